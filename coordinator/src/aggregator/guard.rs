//! Who may ask: TLS, certificates of clients, tokens.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loto_process::connections::connection::Client;
use loto_transport::connection::tls::{self, Identity};
use tonic::service::{Interceptor, InterceptorLayer};
use tonic::transport::{Certificate, ServerTlsConfig};
use tonic::{Request, Status};

use super::tokens::{Rights, Tokens};
use crate::{CoordinatorError, metrics};

/// How long a client may take to agree on TLS.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// The files that say who may ask.
#[derive(Debug, Clone, Default)]
pub struct GuardFiles {
    /// PEM files of the service's certificate and its key; without them there is no TLS.
    pub identity: Option<(PathBuf, PathBuf)>,
    /// PEM file of authorities: every client has to show a certificate of one of them.
    pub client_ca: Option<PathBuf>,
    /// The tokens, one of which every request has to bring.
    pub tokens: Option<PathBuf>,
}

/// Lets in who may ask; by default, everybody.
#[derive(Clone, Default)]
pub struct Guard {
    tls: Option<ServerTlsConfig>,
    /// Whether clients have to show a certificate.
    demands_certificate: bool,
    tokens: Option<Arc<Tokens>>,
}

impl Guard {
    /// Reads the files. That with the tokens is read again when it changes, the others are not.
    ///
    /// # Errors
    /// [`CoordinatorError::Transport`] if a certificate or key is not what it should be,
    /// [`CoordinatorError::InvalidInput`] if the file with the tokens is not, or if there are
    /// authorities for clients and no certificate of the service.
    pub fn read(files: &GuardFiles) -> Result<Self, CoordinatorError> {
        let tokens = files.tokens.clone().map(Tokens::read).transpose()?;
        Ok(Self {
            tls: server_tls(files)?,
            demands_certificate: files.client_ca.is_some(),
            tokens: tokens.map(Arc::new),
        })
    }

    pub(crate) fn tls(&self) -> Option<ServerTlsConfig> {
        self.tls.clone()
    }

    /// What stands before every service.
    pub(crate) fn layer(&self) -> InterceptorLayer<Doorkeeper> {
        InterceptorLayer::new(Doorkeeper(self.clone()))
    }

    /// Lets a request pass if it may: with a token in its header `authorization`, if there are tokens. Says what it may ask
    /// for: without tokens, nobody controls anything, since any page that a browser of this host opens could.
    ///
    /// # Errors
    /// A refusal that says what is missing.
    pub(crate) fn admit(
        &self,
        authorization: Option<&[u8]>,
        client: Option<&Client>,
    ) -> Result<Rights, Status> {
        let rights = match &self.tokens {
            None => Rights::Look,
            Some(tokens) => {
                let address = client.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |client| {
                    client.address.ip()
                });
                let checked = tokens.check(authorization, address);
                checked.inspect_err(|refusal| metrics::request_refused(refusal.code()))?
            }
        };
        // Only now: who is not let in keeps no connection.
        if let Some(client) = client {
            client.note_request();
        }
        Ok(rights)
    }

    /// Whether who asks is known by a token or a certificate.
    pub(crate) fn knows_clients(&self) -> bool {
        self.tokens.is_some() || self.demands_certificate
    }

    /// Refuses to let in everybody who reaches an address of this host from elsewhere; `option` gave the address.
    ///
    /// # Errors
    /// [`CoordinatorError::InvalidInput`], with what to do.
    pub fn refuse_anyone(&self, option: &str, address: SocketAddr) -> Result<(), CoordinatorError> {
        if self.knows_clients() || address.ip().is_loopback() {
            return Ok(());
        }
        Err(CoordinatorError::InvalidInput(format!(
            "{option} {address}: whoever reaches this address could ask: give --tokens (and --tls-certificate) \
             or --client-ca, listen on 127.0.0.1, or say with --allow-anyone that this is meant"
        )))
    }

    /// Says what a user may not know who makes the service reachable for others.
    pub(crate) fn warn_of_tokens_in_the_clear(&self, address: SocketAddr) {
        if self.tokens.is_some() && self.tls.is_none() && !address.ip().is_loopback() {
            tracing::warn!(
                "tokens travel in the clear: give a certificate with --tls-certificate, or let nobody else near the network"
            );
        }
    }
}

fn server_tls(files: &GuardFiles) -> Result<Option<ServerTlsConfig>, CoordinatorError> {
    let Some((certificate, key)) = &files.identity else {
        return match files.client_ca {
            Some(_) => Err(CoordinatorError::InvalidInput(
                "--client-ca needs --tls-certificate: without TLS no client shows a certificate"
                    .into(),
            )),
            None => Ok(None),
        };
    };
    let identity = Identity::read(certificate, key)?;
    let identity =
        tonic::transport::Identity::from_pem(identity.certificate(), identity.expose_key());
    let mut config = ServerTlsConfig::new().identity(identity).timeout(HANDSHAKE);
    if let Some(authorities) = &files.client_ca {
        let authorities = tls::read_authorities(authorities)?;
        config = config.client_ca_root(Certificate::from_pem(authorities));
    }
    Ok(Some(config))
}

/// Looks at the token of every request over gRPC, if there are tokens.
#[derive(Clone)]
pub(crate) struct Doorkeeper(Guard);

impl Interceptor for Doorkeeper {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let client = request.extensions().get::<Arc<Client>>();
        let authorization = request.metadata().get("authorization");
        let authorization = authorization.map(|value| value.as_encoded_bytes());
        self.0.admit(authorization, client.map(Arc::as_ref))?;
        Ok(request)
    }
}
