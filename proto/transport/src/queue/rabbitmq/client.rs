//! Publishing jobs to RabbitMQ and consuming them.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt;
use lapin::Acker;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use tokio::sync::Mutex;

use super::broker::Broker;
use super::publisher::Publisher;
use super::session::{ALARM, Session};
use super::starvation::Starvation;
use super::topology::{DEAD_LETTERS, DELAYED, FORMER_DELAYED, JOBS};
use crate::connection::Access;
use crate::error::TransportError;
use crate::metrics::QUEUE_MESSAGES;
use crate::queue::interface::{Consumer, Delivery, Queue, Receipt};
use crate::retry::{Backoff, retry_transient};

/// How many published messages may await their confirmation.
const CONFIRMATION_WINDOW: usize = 256;

/// How long a delivery that cannot be published anew is held for its delay.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

/// A queue in RabbitMQ.
pub struct RabbitQueue {
    broker: Arc<Broker>,
    publisher: Arc<Publisher>,
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
            publisher: Arc::new(Publisher::new(Arc::clone(&broker), session)),
            broker,
        }
    }

    async fn publish_all(
        &self,
        store: Option<StoreId>,
        jobs: &[Job],
    ) -> Result<(), TransportError> {
        let confirmed = Mutex::new(0);
        retry_transient(Backoff::BRIEF, "publishing jobs", || async {
            let session = self.publisher.session().await?;
            let mut confirmed = confirmed.lock().await;
            let publishing = publish_rest(&session, store, jobs, &mut confirmed);
            self.publisher.checked(&session, publishing.await).await
        })
        .await
    }
}

/// Publishes the jobs from `confirmed` on, which counts those that are safe.
async fn publish_rest(
    session: &Session,
    store: Option<StoreId>,
    jobs: &[Job],
    confirmed: &mut usize,
) -> Result<(), TransportError> {
    let mut window = VecDeque::with_capacity(CONFIRMATION_WINDOW);
    for job in &jobs[*confirmed..] {
        if window.len() == CONFIRMATION_WINDOW
            && let Some(oldest) = window.pop_front()
        {
            session.confirmation(oldest).await?;
            *confirmed += 1;
        }
        window.push_back(session.send(&job.encode_for(store), Duration::ZERO).await?);
    }
    for pending in window {
        session.confirmation(pending).await?;
        *confirmed += 1;
    }
    Ok(())
}

/// The numbers of messages that wait in each queue, told as metrics.
async fn count_waiting(session: &Session) -> Result<u64, TransportError> {
    let mut waiting = 0;
    for queue in [JOBS, DELAYED, FORMER_DELAYED, DEAD_LETTERS] {
        if queue == DELAYED && session.delayed != DELAYED {
            continue;
        }
        let count = session.messages(queue).await?;
        metrics::gauge!(QUEUE_MESSAGES.name, "queue" => queue).set(count as f64);
        if queue == FORMER_DELAYED && count > 0 {
            session.release_endless().await;
        }
        if queue != DEAD_LETTERS {
            waiting += count;
        }
    }
    Ok(waiting)
}

#[async_trait]
impl Queue for RabbitQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.publish_all(None, jobs).await
    }

    async fn publish_for(&self, store: StoreId, jobs: &[Job]) -> Result<(), TransportError> {
        self.publish_all(Some(store), jobs).await
    }

    async fn alarm(&self) -> Result<Option<String>, TransportError> {
        let session = self.publisher.session().await?;
        let asked = session.asks_for_alarm().await;
        let is_blocked = self.publisher.checked(&session, asked).await?;
        Ok(is_blocked.then(|| format!("broker {}: {ALARM}", self.broker.name)))
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        let session = self.publisher.session().await?;
        if session.is_blocked() {
            // Over this connection nothing is asked until the alarm is over.
            return Err(self.broker.unavailable(ALARM));
        }
        let counted = count_waiting(&session).await;
        self.publisher.checked(&session, counted).await
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        let session = Session::open(&self.broker).await?;
        let in_flight = in_flight.max(1);
        let subscribing = async {
            let channel = &session.channel;
            channel
                .basic_qos(in_flight, BasicQosOptions::default())
                .await?;
            let options = BasicConsumeOptions::default();
            channel
                .basic_consume(JOBS.into(), "".into(), options, FieldTable::default())
                .await
        };
        let deliveries = self
            .broker
            .answer("our asking for jobs", subscribing)
            .await?;
        Ok(Box::new(RabbitConsumer {
            session: Arc::new(session),
            publisher: Arc::clone(&self.publisher),
            deliveries,
            in_flight: in_flight.into(),
            held: Arc::new(()),
            starvation: Starvation::new(),
        }))
    }
}

struct RabbitConsumer {
    session: Arc<Session>,
    publisher: Arc<Publisher>,
    deliveries: lapin::Consumer,
    /// How many deliveries may be unsettled.
    in_flight: usize,
    /// Each delivery that is not settled has a clone of it.
    held: Arc<()>,
    starvation: Starvation,
}

impl RabbitConsumer {
    /// Fails if jobs wait that there is room for, and have not come for too long.
    async fn look_whether_jobs_come(&mut self) -> Result<(), TransportError> {
        let has_room = Arc::strong_count(&self.held) <= self.in_flight;
        let jobs_and_room = has_room && self.session.messages(JOBS).await? > 0;
        if self.starvation.is_certain(jobs_and_room) {
            let problem = "it has jobs and delivers none";
            return Err(self.session.broker.unavailable(problem));
        }
        Ok(())
    }
}

#[async_trait]
impl Consumer for RabbitConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        let next = loop {
            tokio::select! {
                biased;
                () = self.session.is_abandoned() => {
                    let broker = &self.session.broker;
                    return Err(broker.unavailable("a delivery could not be settled"));
                }
                next = self.deliveries.next() => break next,
                () = self.starvation.look_is_due() => self.look_whether_jobs_come().await?,
            }
        };
        self.starvation = Starvation::new();
        let broker = &self.session.broker;
        let delivery = match next {
            Some(delivery) => delivery.map_err(|error| broker.failed(error))?,
            // The stream ends when the queue is deleted or moves, or the connection is gone.
            None => return Err(broker.unavailable("it ended the delivery of jobs")),
        };
        Ok(Some(Delivery {
            receipt: Box::new(RabbitReceipt {
                session: self.session.clone(),
                publisher: self.publisher.clone(),
                acker: delivery.acker,
                body: delivery.data.clone(),
                _held: Arc::clone(&self.held),
            }),
            body: delivery.data,
        }))
    }
}

struct RabbitReceipt {
    session: Arc<Session>,
    publisher: Arc<Publisher>,
    acker: Acker,
    body: Vec<u8>,
    /// Counted by the consumer for as long as this delivery is not settled.
    _held: Arc<()>,
}

impl RabbitReceipt {
    /// What came of settling a delivery. One that is not settled would keep its place among those in flight
    /// for as long as the session lasts, and its message: so the session ends.
    async fn settled(
        &self,
        settling: impl Future<Output = lapin::Result<bool>>,
    ) -> Result<(), TransportError> {
        let broker = &self.session.broker;
        let settled = match broker.answer("a settled delivery", settling).await {
            Ok(true) => return Ok(()),
            Ok(false) => broker.unavailable("the connection was lost"),
            Err(error) => error,
        };
        self.session.abandon();
        Err(settled)
    }

    /// Has the broker take the message back as it is. That counts as if a worker had died with it.
    async fn take_back(&self) -> Result<(), TransportError> {
        let options = BasicRejectOptions { requeue: true };
        self.settled(self.acker.reject(options)).await
    }
}

#[async_trait]
impl Receipt for RabbitReceipt {
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError> {
        self.settled(self.acker.ack(BasicAckOptions::default()))
            .await
    }

    async fn requeue(self: Box<Self>, delay: Duration) -> Result<(), TransportError> {
        let Err(error) = self.publisher.publish(&self.body, delay).await else {
            // If this is lost the job waits twice, which is harmless.
            return self.acknowledge().await;
        };
        tracing::warn!(
            "a job cannot be published anew ({error}): the broker takes it back as it is"
        );
        if error.is_transient() {
            // It would come again at once.
            tokio::time::sleep(delay.min(LONGEST_HOLD)).await;
        }
        self.take_back().await?;
        match error {
            TransportError::Refused { .. } => Err(error),
            _ => Ok(()),
        }
    }

    async fn reject(self: Box<Self>) -> Result<(), TransportError> {
        let options = BasicRejectOptions { requeue: false };
        self.settled(self.acker.reject(options)).await
    }
}
