//! Who may ask: TLS, certificates of clients, tokens.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use loto_transport::connection::tls::{self, Identity};
use tonic::service::{Interceptor, InterceptorLayer};
use tonic::transport::{Certificate, ServerTlsConfig};
use tonic::{Request, Status};

use super::tokens::Tokens;
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
#[derive(Default)]
pub struct Guard {
    tls: Option<ServerTlsConfig>,
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
            tokens: tokens.map(Arc::new),
        })
    }

    pub(super) fn tls(&self) -> Option<ServerTlsConfig> {
        self.tls.clone()
    }

    /// What stands before every service.
    pub(super) fn layer(&self) -> InterceptorLayer<Doorkeeper> {
        InterceptorLayer::new(Doorkeeper(self.tokens.clone()))
    }

    /// Says what a user may not know who makes the service reachable for others.
    pub(super) fn warn_if_open_to_others(&self, address: SocketAddr) {
        if address.ip().is_loopback() || self.tls.is_some() {
            return;
        }
        match self.tokens {
            Some(_) => tracing::warn!(
                "tokens travel in the clear: give a certificate with --tls-certificate, or let nobody else near the network"
            ),
            None => tracing::warn!(
                "whoever reaches {address} may ask: see --tokens and --tls-certificate"
            ),
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

/// Looks at the token of every request, if there are tokens.
#[derive(Clone)]
pub(super) struct Doorkeeper(Option<Arc<Tokens>>);

impl Interceptor for Doorkeeper {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(tokens) = &self.0 {
            let checked = tokens.check(request.metadata());
            checked.inspect_err(|refusal| metrics::request_refused(refusal.code()))?;
        }
        Ok(request)
    }
}
