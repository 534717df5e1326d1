//! Where the broker is, how to connect to it, and what its errors mean.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use lapin::protocol::{AMQPErrorKind, AMQPHardError, AMQPSoftError};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Connection, ConnectionProperties, ErrorKind};
use rustls::ClientConfig;

use super::tls_reactor;
use crate::connection::{Access, refusal};
use crate::error::{Reason, TransportError};
use crate::server::Server;

/// How long the broker may take to accept a connection or a request.
pub(super) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Seconds between signs of life, so that each side notices the other's death within a minute.
const HEARTBEAT_SECONDS: u16 = 30;

/// Where the broker is and how to reach it.
pub(super) struct Broker {
    /// The URL without its password.
    pub(super) name: String,
    uri: AMQPUri,
    /// For AMQP over TLS.
    tls: Option<Arc<ClientConfig>>,
    /// Whether queues that are there are declared all the same, which finds one of another make.
    pub(super) declares: bool,
}

impl Broker {
    pub(super) fn new(access: &Access, declares: bool) -> Result<Self, TransportError> {
        let name = access.address.to_string();
        let unknown = || TransportError::UnknownUrl {
            server: Server::Broker,
            url: name.clone(),
            expected: "amqp[s]://USER:PASSWORD@HOST:PORT/VHOST, HOST a name or an IPv4 address",
        };
        let mut uri: AMQPUri = access.address.expose().parse().map_err(|_| unknown())?;
        // The parser takes an IPv6 address for the local host.
        if name.contains('[') {
            return Err(unknown());
        }
        if uri.vhost.is_empty() {
            // What people mean by a slash at the end; RabbitMQ has no nameless virtual host.
            uri.vhost = "/".into();
        }
        uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
        if let Some(password) = &access.password {
            uri.authority.userinfo.password = password.expose().to_owned();
        }
        let tls = match uri.scheme {
            AMQPScheme::AMQP => None,
            AMQPScheme::AMQPS => Some(access.tls.client_config()?),
        };
        Ok(Self {
            name,
            uri,
            tls,
            declares,
        })
    }

    pub(super) async fn connect(&self) -> lapin::Result<Connection> {
        let properties = ConnectionProperties::default().with_connection_name("loto".into());
        let uri = self.uri.clone();
        match &self.tls {
            Some(tls) => tls_reactor::connect(uri, Arc::clone(tls), properties).await,
            None => Connection::connect_uri(uri, properties).await,
        }
    }

    /// The answer to a request, which is named for the error that says that none came in time.
    pub(super) async fn answer<Answer>(
        &self,
        request: &str,
        asking: impl Future<Output = lapin::Result<Answer>>,
    ) -> Result<Answer, TransportError> {
        match tokio::time::timeout(RESPONSE_TIMEOUT, asking).await {
            Ok(answer) => answer.map_err(|error| self.failed(error)),
            Err(_) => {
                let seconds = RESPONSE_TIMEOUT.as_secs();
                Err(self.unavailable(format!("no answer to {request} within {seconds} s")))
            }
        }
    }

    pub(super) fn failed(&self, error: lapin::Error) -> TransportError {
        match (self.refusal(&error), error.kind()) {
            (Some(reason), _) => self.refused(reason),
            (None, ErrorKind::ParsingError(_)) => {
                let advice = refusal::advice_on_port(&self.name, "a RabbitMQ", "amqp");
                self.unavailable(format!("the answer is not that of a RabbitMQ: {advice}"))
            }
            (None, _) => self.unavailable(error),
        }
    }

    /// Why the broker refuses us, or we it, if that is what the error means.
    fn refusal(&self, error: &lapin::Error) -> Option<String> {
        let user = self.user();
        let refused = match error.kind() {
            ErrorKind::IOError(problem) => {
                let problem: &io::Error = problem;
                return refusal::of_tls(problem);
            }
            ErrorKind::ProtocolError(refused) => refused,
            _ => return None,
        };
        let text = refused.get_message().as_str();
        match refused.kind() {
            AMQPErrorKind::Soft(AMQPSoftError::ACCESSREFUSED) if text.contains("Login") => {
                Some(format!(
                    "it refuses the user `{user}`: the password is wrong, or the account was revoked"
                ))
            }
            AMQPErrorKind::Soft(AMQPSoftError::ACCESSREFUSED) => Some(format!(
                "the user `{user}` may not do this: {text}; use another account, or see deploy/accounts"
            )),
            AMQPErrorKind::Hard(AMQPHardError::NOTALLOWED) => Some(format!(
                "it refuses the user `{user}`: {text}; check the virtual host in the URL, and who may enter it"
            )),
            _ => None,
        }
    }

    /// As whom we speak to the broker.
    pub(super) fn user(&self) -> &str {
        &self.uri.authority.userinfo.username
    }

    pub(super) fn refused(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Refused {
            server: Server::Broker,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }

    pub(super) fn unavailable(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Unavailable {
            server: Server::Broker,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(url: &str) -> Result<Broker, TransportError> {
        Broker::new(&url.into(), true)
    }

    #[test]
    fn a_broker_url_is_read() {
        let broker = parse("amqp://me:secret@host:5673/here").unwrap();
        assert_eq!(broker.uri.vhost, "here");
        assert_eq!(broker.uri.query.heartbeat, Some(HEARTBEAT_SECONDS));
        assert_eq!(broker.name, "amqp://me@host:5673/here");
        for default in ["amqp://host", "amqp://host/", "amqp://host/%2f"] {
            assert_eq!(parse(default).unwrap().uri.vhost, "/");
        }
        let patient = parse("amqp://host?heartbeat=5").unwrap();
        assert_eq!(patient.uri.query.heartbeat, Some(5));
        assert!(patient.tls.is_none());
        assert!(parse("amqps://host").unwrap().tls.is_some());
    }

    #[test]
    fn other_urls_are_refused_without_their_password() {
        for url in [
            "http://me:secret@host",
            "redis://me:secret@host",
            "amqp://[::1]",
            "host",
            "",
        ] {
            let error = parse(url).err().unwrap().to_string();
            assert!(
                error.contains("broker URL") && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
