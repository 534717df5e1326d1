//! Options of a command line that say how to reach the broker and the store, and as whom.

use std::path::{Path, PathBuf};

use clap::{ArgGroup, Args};
use loto_transport::TransportError;
use loto_transport::connection::Access;
use loto_transport::connection::address::Address;
use loto_transport::connection::password::PasswordSources;
use loto_transport::connection::tls::Tls;
use loto_transport::server::Server;

const BROKER_PASSWORD: PasswordSources = PasswordSources {
    option: "--broker-password-file",
    variable: "LOTO_BROKER_PASSWORD",
};

const STORE_PASSWORD: PasswordSources = PasswordSources {
    option: "--store-password-file",
    variable: "LOTO_STORE_PASSWORD",
};

const HOST_TOKEN: PasswordSources = PasswordSources {
    option: "--host-token-file",
    variable: "LOTO_HOST_TOKEN",
};

/// How to reach the broker, where jobs wait.
#[derive(Debug, Args)]
pub struct BrokerOptions {
    /// The broker: amqp[s]://[USER[:PASSWORD]@]HOST[:PORT][/VHOST].
    #[arg(
        long,
        env = "LOTO_BROKER",
        hide_env_values = true,
        value_name = "URL",
        conflicts_with = "host"
    )]
    broker: Option<Address>,

    /// File with the password of the broker's user; LOTO_BROKER_PASSWORD may hold it instead.
    #[arg(long, env = "LOTO_BROKER_PASSWORD_FILE", value_name = "FILE")]
    broker_password_file: Option<PathBuf>,
}

impl BrokerOptions {
    /// The file with the password, if it is in one.
    pub fn secret_file(&self) -> Option<&Path> {
        self.broker_password_file.as_deref()
    }

    /// How to reach the broker, which may be the host that also has the store. A command that needs one has
    /// the group of [`either_or_host`].
    ///
    /// # Errors
    /// As [`Self::access_if_given`]; [`TransportError::UnknownUrl`] if neither is given.
    pub fn access(&self, store: &StoreOptions, tls: &TlsOptions) -> Result<Access, TransportError> {
        let access = self.access_if_given(store, tls)?;
        access.ok_or_else(|| not_given(Server::Broker, "--broker or --host"))
    }

    /// As [`Self::access`]; `None` if there is neither a broker nor a host.
    ///
    /// # Errors
    /// As [`PasswordSources::find`] and [`Tls::read`].
    pub fn access_if_given(
        &self,
        store: &StoreOptions,
        tls: &TlsOptions,
    ) -> Result<Option<Access>, TransportError> {
        if store.host.is_some() {
            return Ok(Some(store.access(tls)?));
        }
        let file = self.broker_password_file.as_deref();
        let broker = self.broker.as_ref();
        let broker = broker.map(|broker| access(broker, &BROKER_PASSWORD, file, tls));
        broker.transpose()
    }
}

/// How to reach the store, where tables come from and traces go.
#[derive(Debug, Args)]
#[command(group = either_or_host("store or host", "store"))]
pub struct StoreOptions {
    /// The store: redis[s]://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE], or the sweep.loto file of
    /// `loto run`.
    #[arg(
        long,
        env = "LOTO_STORE",
        hide_env_values = true,
        value_name = "URL",
        conflicts_with = "host"
    )]
    store: Option<Address>,

    /// File with the password of the store's user; LOTO_STORE_PASSWORD may hold it instead.
    #[arg(long, env = "LOTO_STORE_PASSWORD_FILE", value_name = "FILE")]
    store_password_file: Option<PathBuf>,

    /// The process of `loto host`, which is broker and store: loto[s]://HOST[:PORT].
    #[arg(long, env = "LOTO_HOST", hide_env_values = true, value_name = "URL")]
    host: Option<Address>,

    /// File with a token that the host knows; LOTO_HOST_TOKEN may hold it instead.
    #[arg(long, env = "LOTO_HOST_TOKEN_FILE", value_name = "FILE")]
    host_token_file: Option<PathBuf>,
}

impl StoreOptions {
    /// The files with the password or the token, if they are in one.
    pub fn secret_files(&self) -> impl Iterator<Item = &Path> {
        let files = [&self.store_password_file, &self.host_token_file];
        files.into_iter().flatten().map(PathBuf::as_path)
    }

    /// How to reach the store.
    ///
    /// # Errors
    /// As [`PasswordSources::find`] and [`Tls::read`].
    pub fn access(&self, tls: &TlsOptions) -> Result<Access, TransportError> {
        match (&self.store, &self.host) {
            (_, Some(host)) => access(host, &HOST_TOKEN, self.host_token_file.as_deref(), tls),
            (Some(store), None) => {
                let file = self.store_password_file.as_deref();
                access(store, &STORE_PASSWORD, file, tls)
            }
            // The command line does not let this happen.
            (None, None) => Err(not_given(Server::Store, "--store or --host")),
        }
    }
}

/// Which certificates to trust and to show over TLS.
#[derive(Debug, Args)]
pub struct TlsOptions {
    /// PEM file of the authorities to trust for amqps, rediss and lotos [default: the system's].
    #[arg(long, env = "LOTO_CA", value_name = "FILE")]
    ca: Option<PathBuf>,

    /// PEM file of the certificate to show to broker and store.
    #[arg(long, env = "LOTO_CERTIFICATE", value_name = "FILE", requires = "key")]
    certificate: Option<PathBuf>,

    /// PEM file of that certificate's key.
    #[arg(long, env = "LOTO_KEY", value_name = "FILE", requires = "certificate")]
    key: Option<PathBuf>,
}

impl TlsOptions {
    /// The file with the key of the certificate, if there is one.
    pub fn secret_file(&self) -> Option<&Path> {
        self.key.as_deref()
    }
}

/// A group, with a name of its own, of an option and `--host`, one of which has to be given: a message that none is names both.
pub fn either_or_host(name: &'static str, option: &'static str) -> ArgGroup {
    // That they exclude each other is said at the option, so that one that is given wins over the variable of the other.
    ArgGroup::new(name)
        .args([option, "host"])
        .required(true)
        .multiple(true)
}

fn not_given(server: Server, expected: &'static str) -> TransportError {
    TransportError::UnknownUrl {
        server,
        url: String::new(),
        expected,
    }
}

/// A file as a store takes no password, and only TLS takes certificates: what is in the environment
/// for the servers does not get in its way.
fn access(
    address: &Address,
    sources: &PasswordSources,
    file: Option<&Path>,
    options: &TlsOptions,
) -> Result<Access, TransportError> {
    let scheme = address.expose().split_once("://").map(|(scheme, _)| scheme);
    let password = match scheme {
        Some(_) => sources.find(address, file, std::env::var_os(sources.variable))?,
        None => None,
    };
    let [ca, certificate, key] =
        [&options.ca, &options.certificate, &options.key].map(Option::as_deref);
    let tls = match scheme {
        Some("amqps" | "rediss" | "lotos") => Tls::read(ca, certificate, key)?,
        _ => Tls::default(),
    };
    Ok(Access {
        address: address.clone(),
        password,
        tls,
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Arguments {
        #[command(flatten)]
        broker: BrokerOptions,
        #[command(flatten)]
        store: StoreOptions,
        #[command(flatten)]
        tls: TlsOptions,
    }

    fn parse(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from([&["program"], arguments].concat())
    }

    #[test]
    fn options_are_shown_without_passwords_and_a_file_needs_none() {
        let servers = ["--broker", "amqps://me:secret@host", "--store", "x.loto"];
        let passwords = [
            "--store-password-file",
            "/no/such/file",
            "--ca",
            "/no/such/ca",
        ];
        let arguments = parse(&[servers.as_slice(), &passwords].concat()).unwrap();
        let shown = format!("{arguments:?}");
        assert!(
            shown.contains("amqps://me@host") && !shown.contains("secret"),
            "{shown}"
        );
        assert!(arguments.store.access(&arguments.tls).is_ok());
        let error = arguments
            .broker
            .access(&arguments.store, &arguments.tls)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("/no/such/ca") && !error.contains("secret"),
            "{error}"
        );
    }

    #[test]
    fn without_a_store_both_ways_to_name_one_are_shown() {
        let error = parse(&["--broker", "amqp://host"]).unwrap_err().to_string();
        assert!(error.contains("--store <URL>|--host <URL>"), "{error}");
        assert!(parse(&["--host", "loto://host"]).is_ok());
        let both = ["--host", "loto://host", "--store", "x.loto"];
        let error = parse(&both).unwrap_err().to_string();
        assert!(error.contains("cannot be used with"), "{error}");
    }

    #[test]
    fn a_certificate_needs_its_key() {
        let servers = ["--broker", "amqp://host", "--store", "x.loto"];
        for alone in ["--certificate", "--key"] {
            let error = parse(&[servers.as_slice(), &[alone, "file"]].concat()).unwrap_err();
            assert!(error.to_string().contains("required"), "{error}");
        }
    }
}
