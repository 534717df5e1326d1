//! Connecting, asking, and what errors mean.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use redis::io::tcp::TcpSettings;
use redis::{
    Client, ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind, FromRedisValue,
    IntoConnectionInfo, Pipeline, RedisError, RedisResult, ScriptInvocation, TlsCertificates,
};

use super::connection::Connection;
use super::keys::EVENTS;
use super::scripts::Scripts;
use crate::connection::tls::{Tls, install_cryptography};
use crate::connection::{Access, refusal};
use crate::error::{Reason, TransportError};
use crate::server::Server;
use crate::store::damage::Damage;
use loto_proto::excerpt::excerpt;

/// How long a connection may take.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(5);

/// How long an answer may take; a large table takes a while on a slow network.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// How many series one round trip asks for.
pub(super) const SERIES_PER_PIPELINE: usize = 1000;

/// A store in Redis. A lost connection is opened again by the next call, which fails
/// in the meantime.
pub struct RedisStore {
    place: Place,
    connection: Connection,
    pub(super) scripts: Scripts,
    pub(super) damage: Damage,
    /// Whether the event of the last trace could not be added.
    pub(super) events_lost: AtomicBool,
}

impl RedisStore {
    /// Connects to `redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL;
    /// [`TransportError::Unavailable`] if the server does not answer;
    /// [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let access = access.into();
        let name = access.address.to_string();
        let address = access.address.expose().into_connection_info();
        let mut address = address.map_err(|_| TransportError::UnknownUrl {
            server: Server::Store,
            url: name.clone(),
            expected: "redis[s]://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]",
        })?;
        if let Some(password) = &access.password {
            let settings = address.redis_settings().clone();
            address = address.set_redis_settings(settings.set_password(password.expose()));
        }
        let user = address.redis_settings().username();
        let place = Place {
            user: user.unwrap_or("default").to_owned(),
            name,
        };
        let settings = TcpSettings::default().set_nodelay(true);
        // Without it a server that vanished is noticed only after a quarter of an hour.
        #[cfg(target_os = "linux")]
        let settings = settings.set_user_timeout(RESPONSE_TIMEOUT);
        let failed = |error| place.not_reached(error);
        let client = client(address.set_tcp_settings(settings), &access.tls).map_err(failed)?;
        let mut connection = Connection::open(client, CONNECTION_TIMEOUT, RESPONSE_TIMEOUT)
            .await
            .map_err(failed)?;
        let _: String = redis::cmd("PING")
            .query_async(&mut connection)
            .await
            .map_err(failed)?;
        Ok(Self {
            place,
            connection,
            scripts: Scripts::new(),
            damage: Damage::default(),
            events_lost: AtomicBool::new(false),
        })
    }

    /// The URL without its password.
    pub(super) fn name(&self) -> &str {
        &self.place.name
    }

    /// Sends one command about `key`.
    pub(super) async fn ask<Answer: FromRedisValue>(
        &self,
        key: &str,
        command: &Cmd,
    ) -> Result<Answer, TransportError> {
        let answer = command.query_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(key, error))
    }

    /// Sends one command per key, many at a time, and returns the answers in the order of the keys.
    pub(super) async fn ask_each<Answer: FromRedisValue>(
        &self,
        command: &str,
        keys: &[String],
    ) -> Result<Vec<Answer>, TransportError> {
        let mut answers = Vec::with_capacity(keys.len());
        for keys in keys.chunks(SERIES_PER_PIPELINE) {
            let mut pipeline = Pipeline::with_capacity(keys.len());
            for key in keys {
                pipeline.cmd(command).arg(key);
            }
            let found: Vec<RedisResult<Answer>> =
                self.ask_all(EVENTS, pipeline.ignore_errors()).await?;
            for (key, answer) in keys.iter().zip(found) {
                answers.push(answer.map_err(|error| self.explain(key, error))?);
            }
        }
        Ok(answers)
    }

    /// Sends commands about these keys together.
    pub(super) async fn ask_all<Answer: FromRedisValue>(
        &self,
        keys: &str,
        commands: &Pipeline,
    ) -> Result<Answer, TransportError> {
        let answer = commands.query_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(keys, error))
    }

    /// Runs a script about these keys.
    pub(super) async fn invoke<Answer: FromRedisValue>(
        &self,
        keys: &str,
        script: &ScriptInvocation<'_>,
    ) -> Result<Answer, TransportError> {
        let answer = script.invoke_async(&mut self.connection.clone()).await;
        answer.map_err(|error| self.explain(keys, error))
    }

    /// Says what an error of a command about `key` means.
    fn explain(&self, key: &str, error: RedisError) -> TransportError {
        // Scripts and pipelines pass the reply on in their own words.
        let reply = error.to_string();
        match error.kind() {
            _ if reply.contains("WRONGTYPE") => {
                self.corrupt(key, "it has the wrong type for this key")
            }
            ErrorKind::UnexpectedReturnType => self.corrupt(key, error),
            _ => self.place.failed(error),
        }
    }

    pub(super) fn corrupt(
        &self,
        key: impl Into<String>,
        reason: impl Into<Reason>,
    ) -> TransportError {
        TransportError::CorruptValue {
            store: self.place.name.clone(),
            key: key.into(),
            reason: reason.into(),
        }
    }

    pub(super) fn decode_seed(&self, key: &str, field: &[u8]) -> Result<u32, TransportError> {
        let seed = std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.parse().ok());
        seed.ok_or_else(|| {
            let field = String::from_utf8_lossy(field);
            self.corrupt(key, format!("its field `{}` is no seed", excerpt(&field)))
        })
    }
}

/// Where the store is, for messages.
struct Place {
    /// The URL without its password.
    name: String,
    user: String,
}

impl Place {
    fn failed(&self, error: RedisError) -> TransportError {
        match self.refusal(&error) {
            Some(reason) => TransportError::Refused {
                server: Server::Store,
                address: self.name.clone(),
                reason: reason.into(),
            },
            None => self.unavailable(error),
        }
    }

    fn unavailable(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Unavailable {
            server: Server::Store,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }

    /// What it means that the first question failed.
    fn not_reached(&self, error: RedisError) -> TransportError {
        let is_plain = self.name.starts_with("redis://");
        let was_taken = error.is_connection_dropped() && !error.is_connection_refusal();
        let problem = match error.kind() {
            ErrorKind::Parse => "the answer is not that of a Redis".to_owned(),
            // A Redis with TLS drops a connection that begins without it.
            ErrorKind::Io if is_plain && was_taken => error.to_string(),
            _ => return self.failed(error),
        };
        let advice = refusal::advice_on_port(&self.name, "a Redis", "redis");
        self.unavailable(format!("{problem}: {advice}"))
    }

    /// Why the store refuses us, or we it, if that is what the error means.
    fn refusal(&self, error: &RedisError) -> Option<String> {
        let user = &self.user;
        // Scripts pass the reply on in their own words.
        let text = error.to_string();
        match error.kind() {
            ErrorKind::Io => refusal::of_tls(error),
            ErrorKind::AuthenticationFailed => Some(format!(
                "it refuses the user `{user}`: the password is wrong, or the account was revoked"
            )),
            _ if text.contains("NOAUTH") => Some(format!(
                "it demands a password of the user `{user}`: put the user into the URL and the \
                 password into a file for --store-password-file"
            )),
            _ if text.contains("NOPERM") || text.contains("NoPerm") => Some(format!(
                "the user `{user}` may not do this: {text}; use another account, or see deploy/accounts"
            )),
            _ => None,
        }
    }
}

/// A client for this place, with our authorities and certificate if it speaks TLS.
fn client(address: ConnectionInfo, tls: &Tls) -> RedisResult<Client> {
    if !matches!(address.addr(), ConnectionAddr::TcpTls { .. }) {
        return Client::open(address);
    }
    install_cryptography();
    let client_tls = tls.identity().map(|identity| ClientTlsConfig {
        client_cert: identity.certificate().to_vec(),
        client_key: identity.expose_key().to_vec(),
    });
    let certificates = TlsCertificates {
        client_tls,
        root_cert: tls.authorities().map(<[u8]>::to_vec),
    };
    Client::build_with_tls(address, certificates)
}
