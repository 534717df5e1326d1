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

mod broker;
mod tls_reactor;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lapin::options::{
    BasicAckOptions, BasicConsumeOptions, BasicPublishOptions, BasicQosOptions, BasicRejectOptions,
    QueueDeclareOptions,
};
use lapin::types::FieldTable;
use lapin::{Acker, BasicProperties, Channel, Confirmation, Connection, PublisherConfirm};
use tokio::sync::Mutex;

use self::broker::Broker;
use super::{Consumer, Delivery, Queue, Receipt};
use crate::connection::Access;
use crate::error::TransportError;
use crate::metrics::QUEUE_MESSAGES;
use crate::retry::{RetryPolicy, retry_transient};
use loto_proto::job::Job;

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
    /// Connects to `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST` and declares the queues.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is no such URL;
    /// [`TransportError::Unavailable`] if the broker does not answer;
    /// [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let broker = Arc::new(Broker::new(&access.into(), true)?);
        let session = broker.open_session().await?;
        Ok(Self::new(broker, session))
    }

    /// As [`Self::connect`], but declares only queues that are missing; waits for them if it may
    /// not declare them.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn connect_worker(access: impl Into<Access>) -> Result<Self, TransportError> {
        let broker = Arc::new(Broker::new(&access.into(), false)?);
        let session = broker.open_when_ready().await?;
        Ok(Self::new(broker, session))
    }

    fn new(broker: Arc<Broker>, session: Session) -> Self {
        Self {
            broker,
            publisher: Mutex::new(Some(Arc::new(session))),
        }
    }

    /// Publishes the jobs from `confirmed` on, which counts those that are safe.
    async fn publish_rest(
        &self,
        jobs: &[Job],
        confirmed: &mut usize,
    ) -> Result<(), TransportError> {
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
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        let confirmed = Mutex::new(0);
        retry_transient(RetryPolicy::BRIEF, "publishing jobs", || async {
            self.publish_rest(jobs, &mut *confirmed.lock().await).await
        })
        .await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        let mut publisher = self.publisher.lock().await;
        let session = match publisher.take() {
            Some(session) => session,
            None => Arc::new(self.broker.open_session().await?),
        };
        let mut messages = [0; 3];
        for (count, queue) in messages.iter_mut().zip([JOBS, PAUSED, DEAD_LETTERS]) {
            *count = session.messages(queue).await?;
            metrics::gauge!(QUEUE_MESSAGES.name, "queue" => queue).set(*count as f64);
        }
        *publisher = Some(session);
        let [waiting, paused, _refused] = messages;
        Ok(waiting + paused)
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
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

/// A connection with one channel; both close when the last user is dropped.
struct Session {
    broker: Arc<Broker>,
    channel: Channel,
    _connection: Connection,
}

impl Session {
    /// Sends a message to the queue of jobs, after a pause if any; [`Self::confirmation`] tells when it is safe.
    async fn send(&self, body: &[u8], pause: Duration) -> Result<PublisherConfirm, TransportError> {
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

    async fn confirmation(&self, pending: PublisherConfirm) -> Result<(), TransportError> {
        let confirmation = match tokio::time::timeout(RESPONSE_TIMEOUT, pending).await {
            Ok(confirmation) => confirmation.map_err(|error| self.broker.failed(error))?,
            Err(_) => return Err(self.broker.silent("a published job")),
        };
        match confirmation {
            Confirmation::Ack(None) => Ok(()),
            Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => Err(self
                .broker
                .unavailable(format!("it returned a job: {}", returned.reply_text))),
            Confirmation::Nack(None) => Err(self.broker.unavailable("it could not keep a job")),
            Confirmation::NotRequested => {
                Err(self.broker.unavailable("it does not confirm messages"))
            }
        }
    }
}

impl Session {
    /// Number of messages in a queue that no consumer holds.
    async fn messages(&self, queue: &str) -> Result<u64, TransportError> {
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
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        let broker = &self.session.broker;
        let delivery = match self.deliveries.next().await {
            Some(delivery) => delivery.map_err(|error| broker.failed(error))?,
            // The stream ends when the queue is deleted or moves, or the connection is gone.
            None => return Err(broker.unavailable("it ended the delivery of jobs")),
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
    fn settled(&self, answer: lapin::Result<bool>) -> Result<(), TransportError> {
        match answer {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.session.broker.unavailable("the connection was lost")),
            Err(error) => Err(self.session.broker.failed(error)),
        }
    }
}

#[async_trait]
impl Receipt for RabbitReceipt {
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError> {
        self.settled(self.acker.ack(BasicAckOptions::default()).await)
    }

    async fn give_back(self: Box<Self>, pause: Duration) -> Result<(), TransportError> {
        let pending = self.session.send(&self.body, pause).await?;
        self.session.confirmation(pending).await?;
        // If this is lost the job waits twice, which is harmless.
        self.acknowledge().await
    }

    async fn reject(self: Box<Self>) -> Result<(), TransportError> {
        let options = BasicRejectOptions { requeue: false };
        self.settled(self.acker.reject(options).await)
    }
}
