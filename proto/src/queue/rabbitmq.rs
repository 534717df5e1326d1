//! The networked queue: RabbitMQ 3.10 or later.
//!
//! Jobs wait in `loto.jobs`, a durable quorum queue; the virtual host in the URL
//! keeps installations apart. Every message is persistent, published as
//! mandatory and confirmed by the broker before [`Queue::publish`] returns.
//!
//! A delivery whose consumer dies comes back by itself, at most
//! [`DELIVERY_LIMIT`] times; then the broker moves it to `loto.jobs.dead`, where
//! rejected messages go too. A delivery that is given back on purpose is
//! published anew instead, so that it does not count against that limit; if it is to
//! pause first, to `loto.jobs.paused`, from which the broker moves it back in time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, BasicRejectOptions,
    ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::uri::{AMQPScheme, AMQPUri};
use lapin::{
    Acker, BasicProperties, Channel, Confirmation, Connection, ConnectionProperties,
    PublisherConfirm,
};
use tokio::sync::Mutex;

use super::{Consumer, Delivery, Queue, Receipt};
use crate::ProtoError;
use crate::address::without_password;
use crate::job::Job;
use crate::retry::{RetryPolicy, retry_transient};

/// The queue of jobs.
pub const JOBS: &str = "loto.jobs";

/// The queue of messages that pause before they are tried again.
pub const PAUSED: &str = "loto.jobs.paused";

/// The queue of messages that were given up.
pub const DEAD_LETTERS: &str = "loto.jobs.dead";

/// How often a message may lose its consumer before the broker gives it up.
pub const DELIVERY_LIMIT: u32 = 20;

/// How many published messages may await their confirmation.
const CONFIRMATION_WINDOW: usize = 256;

/// How long the broker may take to accept a connection or a request.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Seconds between signs of life, so that each side notices the other's death within a minute.
const HEARTBEAT_SECONDS: u16 = 30;

/// RabbitMQ marks a message that is to survive its restart with this.
const PERSISTENT: u8 = 2;

/// A queue in RabbitMQ.
pub struct RabbitQueue {
    broker: Arc<Broker>,
    /// The session that publishes; none after a failure, until the next call.
    publisher: Mutex<Option<Arc<Session>>>,
}

impl RabbitQueue {
    /// Connects to `amqp://USER:PASSWORD@HOST:PORT/VHOST` and declares the queues.
    ///
    /// # Errors
    /// [`ProtoError::UnknownUrl`] if it is no such URL;
    /// [`ProtoError::Broker`] if the broker does not answer or refuses us.
    pub async fn connect(url: &str) -> Result<Self, ProtoError> {
        let broker = Arc::new(Broker::parse(url)?);
        let session = broker.open_session().await?;
        Ok(Self {
            broker,
            publisher: Mutex::new(Some(Arc::new(session))),
        })
    }

    /// Publishes the jobs from `confirmed` on, which counts those that are safe.
    async fn publish_rest(&self, jobs: &[Job], confirmed: &mut usize) -> Result<(), ProtoError> {
        let mut publisher = self.publisher.lock().await;
        // Taken out, so that a session that fails is not used again.
        let session = match publisher.take() {
            Some(session) => session,
            None => Arc::new(self.broker.open_session().await?),
        };
        let mut window = VecDeque::with_capacity(CONFIRMATION_WINDOW);
        for job in &jobs[*confirmed..] {
            if window.len() == CONFIRMATION_WINDOW
                && let Some(oldest) = window.pop_front()
            {
                session.confirmation(oldest).await?;
                *confirmed += 1;
            }
            window.push_back(session.send(&job.encode(), Duration::ZERO).await?);
        }
        for pending in window {
            session.confirmation(pending).await?;
            *confirmed += 1;
        }
        *publisher = Some(session);
        Ok(())
    }
}

#[async_trait]
impl Queue for RabbitQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), ProtoError> {
        let confirmed = Mutex::new(0);
        retry_transient(RetryPolicy::BRIEF, "publishing jobs", || async {
            self.publish_rest(jobs, &mut *confirmed.lock().await).await
        })
        .await
    }

    async fn waiting(&self) -> Result<u64, ProtoError> {
        let mut publisher = self.publisher.lock().await;
        let session = match publisher.take() {
            Some(session) => session,
            None => Arc::new(self.broker.open_session().await?),
        };
        let messages = session.messages(JOBS).await? + session.messages(PAUSED).await?;
        *publisher = Some(session);
        Ok(messages)
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, ProtoError> {
        let session = self.broker.open_session().await?;
        let failed = |error| self.broker.failed(error);
        let channel = &session.channel;
        channel
            .basic_qos(in_flight.max(1), BasicQosOptions::default())
            .await
            .map_err(failed)?;
        let deliveries = channel
            .basic_consume(
                JOBS.into(),
                "".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await
            .map_err(failed)?;
        Ok(Box::new(RabbitConsumer {
            session: Arc::new(session),
            deliveries,
        }))
    }
}

/// Where the broker is and how to reach it.
struct Broker {
    /// The URL without its password.
    name: String,
    uri: AMQPUri,
}

impl Broker {
    fn parse(url: &str) -> Result<Self, ProtoError> {
        let name = without_password(url);
        let unknown = || ProtoError::UnknownUrl {
            url: name.clone(),
            what: "broker",
            expected: "amqp://USER:PASSWORD@HOST:PORT/VHOST, HOST a name or an IPv4 address \
                       (amqps://, AMQP over TLS, is not supported)",
        };
        let mut uri: AMQPUri = url.parse().map_err(|_| unknown())?;
        // The parser takes an IPv6 address for the local host.
        if uri.scheme != AMQPScheme::AMQP || name.contains('[') {
            return Err(unknown());
        }
        if uri.vhost.is_empty() {
            // What people mean by a slash at the end; RabbitMQ has no nameless virtual host.
            uri.vhost = "/".into();
        }
        uri.query.heartbeat.get_or_insert(HEARTBEAT_SECONDS);
        Ok(Self { name, uri })
    }

    /// Opens a connection with one channel and declares the queues, so that it
    /// does not matter who comes first.
    async fn open_session(self: &Arc<Self>) -> Result<Session, ProtoError> {
        let properties = ConnectionProperties::default().with_connection_name("loto".into());
        let opening = async {
            let connection = Connection::connect_uri(self.uri.clone(), properties).await?;
            let channel = connection.create_channel().await?;
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await?;
            let durable = QueueDeclareOptions::durable();
            channel
                .queue_declare(DEAD_LETTERS.into(), durable, quorum_queue())
                .await?;
            channel
                .queue_declare(JOBS.into(), durable, jobs_queue())
                .await?;
            channel
                .queue_declare(PAUSED.into(), durable, quorum_queue_to(JOBS))
                .await?;
            Ok(Session {
                broker: self.clone(),
                channel,
                _connection: connection,
            })
        };
        match tokio::time::timeout(RESPONSE_TIMEOUT, opening).await {
            Ok(session) => session.map_err(|error| self.failed(error)),
            Err(_) => Err(self.silent("our connecting")),
        }
    }

    fn failed(&self, error: lapin::Error) -> ProtoError {
        self.problem(error.to_string())
    }

    fn silent(&self, request: &str) -> ProtoError {
        let seconds = RESPONSE_TIMEOUT.as_secs();
        self.problem(format!("no answer to {request} within {seconds} s"))
    }

    fn problem(&self, problem: impl Into<String>) -> ProtoError {
        ProtoError::Broker {
            broker: self.name.clone(),
            problem: problem.into(),
        }
    }
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

/// A connection with one channel; both close when the last user is dropped.
struct Session {
    broker: Arc<Broker>,
    channel: Channel,
    _connection: Connection,
}

impl Session {
    /// Sends a message to the queue of jobs, after a pause if any; [`Self::confirmation`] tells when it is safe.
    async fn send(&self, body: &[u8], pause: Duration) -> Result<PublisherConfirm, ProtoError> {
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
        let mut queue = JOBS;
        if !pause.is_zero() {
            properties = properties.with_expiration(pause.as_millis().to_string().into());
            queue = PAUSED;
        }
        let sending =
            self.channel
                .basic_publish("".into(), queue.into(), options, body, properties);
        match tokio::time::timeout(RESPONSE_TIMEOUT, sending).await {
            Ok(sent) => sent.map_err(|error| self.broker.failed(error)),
            Err(_) => Err(self.broker.silent("a job")),
        }
    }

    async fn confirmation(&self, pending: PublisherConfirm) -> Result<(), ProtoError> {
        let confirmation = match tokio::time::timeout(RESPONSE_TIMEOUT, pending).await {
            Ok(confirmation) => confirmation.map_err(|error| self.broker.failed(error))?,
            Err(_) => return Err(self.broker.silent("a published job")),
        };
        match confirmation {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => Err(self
                .broker
                .problem(format!("it returned a job: {}", returned.reply_text))),
            Confirmation::Nack(None) => Err(self.broker.problem("it could not keep a job")),
            Confirmation::NotRequested => Err(self.broker.problem("it does not confirm messages")),
        }
    }
}

impl Session {
    /// Number of messages in a queue that no consumer holds.
    async fn messages(&self, queue: &str) -> Result<u64, ProtoError> {
        let passive = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let asking = self
            .channel
            .queue_declare(queue.into(), passive, FieldTable::default());
        match tokio::time::timeout(RESPONSE_TIMEOUT, asking).await {
            Ok(Ok(queue)) => Ok(queue.message_count().into()),
            Ok(Err(error)) => Err(self.broker.failed(error)),
            Err(_) => Err(self.broker.silent("our looking at a queue")),
        }
    }
}

struct RabbitConsumer {
    session: Arc<Session>,
    deliveries: lapin::Consumer,
}

#[async_trait]
impl Consumer for RabbitConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, ProtoError> {
        let broker = &self.session.broker;
        let delivery = match self.deliveries.next().await {
            Some(delivery) => delivery.map_err(|error| broker.failed(error))?,
            // The stream ends when the queue is deleted or moves, or the connection is gone.
            None => return Err(broker.problem("it ended the delivery of jobs")),
        };
        Ok(Some(Delivery {
            receipt: Box::new(RabbitReceipt {
                session: self.session.clone(),
                acker: delivery.acker,
                body: delivery.data.clone(),
            }),
            body: delivery.data,
        }))
    }
}

struct RabbitReceipt {
    session: Arc<Session>,
    acker: Acker,
    body: Vec<u8>,
}

impl RabbitReceipt {
    fn settled(&self, answer: lapin::Result<bool>) -> Result<(), ProtoError> {
        match answer {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.session.broker.problem("the connection was lost")),
            Err(error) => Err(self.session.broker.failed(error)),
        }
    }
}

#[async_trait]
impl Receipt for RabbitReceipt {
    async fn acknowledge(self: Box<Self>) -> Result<(), ProtoError> {
        self.settled(self.acker.ack(BasicAckOptions::default()).await)
    }

    async fn give_back(self: Box<Self>, pause: Duration) -> Result<(), ProtoError> {
        let pending = self.session.send(&self.body, pause).await?;
        self.session.confirmation(pending).await?;
        // If this is lost the job waits twice, which is harmless.
        self.acknowledge().await
    }

    async fn reject(self: Box<Self>) -> Result<(), ProtoError> {
        let options = BasicRejectOptions { requeue: false };
        self.settled(self.acker.reject(options).await)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broker_url_is_read() {
        let broker = Broker::parse("amqp://me:secret@host:5673/here").unwrap();
        assert_eq!(broker.uri.vhost, "here");
        assert_eq!(broker.uri.query.heartbeat, Some(HEARTBEAT_SECONDS));
        assert_eq!(broker.name, "amqp://me@host:5673/here");
        for default in ["amqp://host", "amqp://host/", "amqp://host/%2f"] {
            assert_eq!(Broker::parse(default).unwrap().uri.vhost, "/");
        }
        assert_eq!(
            Broker::parse("amqp://host?heartbeat=5")
                .unwrap()
                .uri
                .query
                .heartbeat,
            Some(5)
        );
    }

    #[test]
    fn other_urls_are_refused_without_their_password() {
        for url in [
            "amqps://me:secret@host",
            "redis://me:secret@host",
            "amqp://[::1]",
            "host",
            "",
        ] {
            let error = Broker::parse(url).err().unwrap().to_string();
            assert!(
                error.contains("broker URL") && !error.contains("secret"),
                "{error}"
            );
        }
    }
}
