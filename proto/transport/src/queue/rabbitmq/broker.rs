//! Where the broker is, how to open a session with it, and what its errors mean.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use lapin::options::{ConfirmSelectOptions, QueueDeclareOptions};
use lapin::protocol::{AMQPErrorKind, AMQPHardError, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{Connection, ConnectionProperties, ErrorKind};
use rustls::ClientConfig;

use super::tls_reactor;
use super::{
    DEAD_LETTERS, DELIVERY_LIMIT, HEARTBEAT_SECONDS, JOBS, PAUSED, RESPONSE_TIMEOUT, Session,
};
use crate::connection::{Access, refusal};
use crate::error::{Reason, TransportError};
use crate::server::Server;

/// Time between two looks whether the queues are there.
const QUEUES_PAUSE: Duration = Duration::from_secs(2);

/// Where the broker is and how to reach it.
pub(super) struct Broker {
    /// The URL without its password.
    pub(super) name: String,
    pub(super) uri: AMQPUri,
    /// For AMQP over TLS.
    tls: Option<Arc<ClientConfig>>,
    /// Whether queues that are there are declared all the same, which finds one of another make.
    declares: bool,
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

    /// Opens a connection with one channel and sees to it that the queues are there, so that it
    /// does not matter who comes first.
    pub(super) async fn open_session(self: &Arc<Self>) -> Result<Session, TransportError> {
        let user = &self.uri.authority.userinfo.username;
        self.open_if_queues().await?.ok_or_else(|| {
            self.refused(format!(
                "there are no queues, and the user `{user}` may not make them: submit a sweep first"
            ))
        })
    }

    /// As [`Self::open_session`], but waits for somebody to make the queues if we may not.
    pub(super) async fn open_when_ready(self: &Arc<Self>) -> Result<Session, TransportError> {
        let mut told = false;
        loop {
            if let Some(session) = self.open_if_queues().await? {
                return Ok(session);
            }
            if !told {
                tracing::info!("waiting for the first sweep: its submission makes the queues");
                told = true;
            }
            tokio::time::sleep(QUEUES_PAUSE).await;
        }
    }

    /// Opens a session; `None` if there are no queues and we may not make them.
    async fn open_if_queues(self: &Arc<Self>) -> Result<Option<Session>, TransportError> {
        let opening = async {
            let connection = self.connect().await?;
            if self.declares {
                declare_queues(&connection).await?;
            } else if !has_queues(&connection).await? {
                match declare_queues(&connection).await {
                    Err(error) if is(&error, AMQPSoftError::ACCESSREFUSED) => return Ok(None),
                    declared => declared?,
                }
            }
            let channel = connection.create_channel().await?;
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await?;
            Ok(Some(Session {
                broker: self.clone(),
                channel,
                _connection: connection,
            }))
        };
        match tokio::time::timeout(RESPONSE_TIMEOUT, opening).await {
            Ok(session) => session.map_err(|error| self.failed(error)),
            Err(_) => Err(self.silent("our connecting")),
        }
    }

    async fn connect(&self) -> lapin::Result<Connection> {
        let properties = ConnectionProperties::default().with_connection_name("loto".into());
        let uri = self.uri.clone();
        match &self.tls {
            Some(tls) => tls_reactor::connect(uri, Arc::clone(tls), properties).await,
            None => Connection::connect_uri(uri, properties).await,
        }
    }

    pub(super) fn failed(&self, error: lapin::Error) -> TransportError {
        match self.refusal(&error) {
            Some(reason) => self.refused(reason),
            None => self.unavailable(error),
        }
    }

    /// Why the broker refuses us, or we it, if that is what the error means.
    fn refusal(&self, error: &lapin::Error) -> Option<String> {
        let user = &self.uri.authority.userinfo.username;
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

    fn refused(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Refused {
            server: Server::Broker,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }

    pub(super) fn silent(&self, request: &str) -> TransportError {
        let seconds = RESPONSE_TIMEOUT.as_secs();
        self.unavailable(format!("no answer to {request} within {seconds} s"))
    }

    pub(super) fn unavailable(&self, reason: impl Into<Reason>) -> TransportError {
        TransportError::Unavailable {
            server: Server::Broker,
            address: self.name.clone(),
            reason: reason.into(),
        }
    }
}

/// Whether all queues are there. To look, no permission is needed.
async fn has_queues(connection: &Connection) -> lapin::Result<bool> {
    let channel = connection.create_channel().await?;
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    for queue in [DEAD_LETTERS, JOBS, PAUSED] {
        let looking = channel.queue_declare(queue.into(), passive, FieldTable::default());
        match looking.await {
            Ok(_) => {}
            Err(error) if is(&error, AMQPSoftError::NOTFOUND) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    // An error means that the connection is gone, too, as its next use will show.
    let _closed = channel.close(200, "".into()).await;
    Ok(true)
}

fn is(error: &lapin::Error, kind: AMQPSoftError) -> bool {
    let ErrorKind::ProtocolError(problem) = error.kind() else {
        return false;
    };
    *problem.kind() == AMQPErrorKind::Soft(kind)
}

async fn declare_queues(connection: &Connection) -> lapin::Result<()> {
    let channel = connection.create_channel().await?;
    let durable = QueueDeclareOptions::durable();
    for (queue, arguments) in [
        (DEAD_LETTERS, quorum_queue()),
        (JOBS, jobs_queue()),
        (PAUSED, quorum_queue_to(JOBS)),
    ] {
        channel
            .queue_declare(queue.into(), durable, arguments)
            .await?;
    }
    // An error means that the connection is gone, too, as its next use will show.
    let _closed = channel.close(200, "".into()).await;
    Ok(())
}

fn quorum_queue() -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    arguments
}

/// A queue whose messages go to another one when they are rejected or expire.
fn quorum_queue_to(queue: &str) -> FieldTable {
    let mut arguments = quorum_queue();
    // The default exchange takes a message to the queue that its routing key names.
    arguments.insert(
        "x-dead-letter-exchange".into(),
        AMQPValue::LongString("".into()),
    );
    arguments.insert(
        "x-dead-letter-routing-key".into(),
        AMQPValue::LongString(queue.into()),
    );
    arguments
}

fn jobs_queue() -> FieldTable {
    let mut arguments = quorum_queue_to(DEAD_LETTERS);
    arguments.insert(
        "x-delivery-limit".into(),
        AMQPValue::LongUInt(DELIVERY_LIMIT),
    );
    arguments
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
