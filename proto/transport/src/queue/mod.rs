//! Where jobs wait for a worker.
//!
//! Delivery is at least once: a job is gone only when a consumer has
//! acknowledged it. What makes the effect happen exactly once is the store.

mod in_process;
mod rabbitmq;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

pub use self::in_process::InProcessQueue;
pub use self::rabbitmq::{DEAD_LETTERS, DELIVERY_LIMIT, JOBS, PAUSED, RabbitQueue};
use crate::connection::Access;
use crate::error::TransportError;
use loto_proto::job::Job;

/// Connects to a queue, which is made if it is not there:
/// `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST` for RabbitMQ.
///
/// # Errors
/// As [`RabbitQueue::connect`].
pub async fn connect(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    Ok(Arc::new(RabbitQueue::connect(access).await?))
}

/// As [`connect`], for a worker, whose account need not be allowed to make queues: it makes only
/// those that are missing, and if it may not, waits for them.
///
/// # Errors
/// As [`RabbitQueue::connect`].
pub async fn connect_worker(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    Ok(Arc::new(RabbitQueue::connect_worker(access).await?))
}

/// A queue of jobs.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Puts jobs on the queue; returns when each of them is safe there.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the broker did not take them all. Publishing
    /// them again is safe: a job that waits twice is computed once.
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError>;

    /// Number of messages that wait for a consumer, those among them that pause before
    /// they are tried again; not those that a consumer holds.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the broker is out of reach.
    async fn waiting(&self) -> Result<u64, TransportError>;

    /// Begins to receive jobs, at most `in_flight` unsettled ones at a time.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the broker is out of reach.
    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError>;
}

/// A stream of deliveries.
#[async_trait]
pub trait Consumer: Send {
    /// Waits for the next delivery; `None` when the queue was closed on purpose
    /// (the embedded queue, once it is drained; never a broker).
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the connection is lost; unsettled deliveries then
    /// go back to the queue by themselves, and the caller consumes anew.
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError>;
}

/// One message, to be settled exactly once. One that is dropped unsettled goes
/// back to the queue when the consumer's connection ends.
pub struct Delivery {
    /// The message body, untrusted: see [`Job::decode`].
    pub body: Vec<u8>,
    /// How to settle it.
    pub receipt: Box<dyn Receipt>,
}

/// Settles a delivery.
#[async_trait]
pub trait Receipt: Send {
    /// The job is done: forget the message.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the connection is gone; the message will come again.
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError>;

    /// The job was not done: give the message to another consumer, after a pause, if any.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the connection is gone; the message will come again.
    async fn give_back(self: Box<Self>, pause: Duration) -> Result<(), TransportError>;

    /// The message is not a job: keep it among the dead letters.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the connection is gone; the message will come again.
    async fn reject(self: Box<Self>) -> Result<(), TransportError>;
}
