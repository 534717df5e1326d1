//! Publishing jobs to RabbitMQ and consuming them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lapin::Acker;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use loto_proto::job::Job;
use tokio::sync::Mutex;

use super::broker::Broker;
use super::session::Session;
use super::topology::{DEAD_LETTERS, DELAYED, JOBS};
use crate::connection::Access;
use crate::error::TransportError;
use crate::metrics::QUEUE_MESSAGES;
use crate::queue::interface::{Consumer, Delivery, Queue, Receipt};
use crate::retry::{Backoff, retry_transient};

/// How many published messages may await their confirmation.
const CONFIRMATION_WINDOW: usize = 256;

/// A queue in RabbitMQ.
pub struct RabbitQueue {
    broker: Arc<Broker>,
    /// The session that publishes; none after a failure, until the next call.
    publisher: Mutex<Option<Session>>,
}

impl RabbitQueue {
    /// Connects to `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST` and declares the queues.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL;
    /// [`TransportError::Unavailable`] if the broker does not answer;
    /// [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let broker = Arc::new(Broker::new(&access.into(), true)?);
        let session = Session::open(&broker).await?;
        Ok(Self::new(broker, session))
    }

    /// As [`Self::connect`], but declares only queues that are missing; waits for them if it may
    /// not declare them.
    ///
    /// # Errors
    /// As [`Self::connect`].
    pub async fn connect_worker(access: impl Into<Access>) -> Result<Self, TransportError> {
        let broker = Arc::new(Broker::new(&access.into(), false)?);
        let session = Session::open_when_ready(&broker).await?;
        Ok(Self::new(broker, session))
    }

    fn new(broker: Arc<Broker>, session: Session) -> Self {
        Self {
            broker,
            publisher: Mutex::new(Some(session)),
        }
    }

    /// The session that publishes, taken out, so that one that fails is not used again.
    async fn take_session(
        &self,
        publisher: &mut Option<Session>,
    ) -> Result<Session, TransportError> {
        match publisher.take() {
            Some(session) => Ok(session),
            None => Session::open(&self.broker).await,
        }
    }

    /// Publishes the jobs from `confirmed` on, which counts those that are safe.
    async fn publish_rest(
        &self,
        jobs: &[Job],
        confirmed: &mut usize,
    ) -> Result<(), TransportError> {
        let mut publisher = self.publisher.lock().await;
        let session = self.take_session(&mut publisher).await?;
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
        retry_transient(Backoff::BRIEF, "publishing jobs", || async {
            self.publish_rest(jobs, &mut *confirmed.lock().await).await
        })
        .await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        let mut publisher = self.publisher.lock().await;
        let session = self.take_session(&mut publisher).await?;
        let mut messages = [0; 3];
        for (count, queue) in messages.iter_mut().zip([JOBS, DELAYED, DEAD_LETTERS]) {
            *count = session.messages(queue).await?;
            metrics::gauge!(QUEUE_MESSAGES.name, "queue" => queue).set(*count as f64);
        }
        *publisher = Some(session);
        let [waiting, delayed, _rejected] = messages;
        Ok(waiting + delayed)
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        let session = Session::open(&self.broker).await?;
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

    async fn requeue(self: Box<Self>, delay: Duration) -> Result<(), TransportError> {
        let pending = self.session.send(&self.body, delay).await?;
        self.session.confirmation(pending).await?;
        // If this is lost the job waits twice, which is harmless.
        self.acknowledge().await
    }

    async fn reject(self: Box<Self>) -> Result<(), TransportError> {
        let options = BasicRejectOptions { requeue: false };
        self.settled(self.acker.reject(options).await)
    }
}
