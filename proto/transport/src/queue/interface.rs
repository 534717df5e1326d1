//! What a queue of jobs does, wherever it is.

use std::time::Duration;

use async_trait::async_trait;
use loto_proto::identity::StoreId;
use loto_proto::job::Job;

use crate::error::TransportError;

/// A queue of jobs.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Puts jobs on the queue; returns when each of them is safe there.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the broker did not take them all for as long as
    /// [`Backoff::BRIEF`](crate::retry::Backoff::BRIEF) says. Publishing them again is safe: a job that waits
    /// twice is computed once.
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError>;

    /// As [`Self::publish`], for the workers of this store. A queue inside one process serves the one store
    /// of that process and need not tell.
    async fn publish_for(&self, store: StoreId, jobs: &[Job]) -> Result<(), TransportError> {
        let _the_only_one = store;
        self.publish(jobs).await
    }

    /// Why no message can be published at the moment although the broker answers, if that is so.
    async fn alarm(&self) -> Result<Option<String>, TransportError> {
        Ok(None)
    }

    /// Number of messages that wait for a consumer, also of those whose delay is not over;
    /// messages that a consumer holds do not count.
    async fn waiting(&self) -> Result<u64, TransportError>;

    /// Begins to receive jobs, at most `in_flight` unsettled ones at a time.
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

/// Settles a delivery. If that fails with [`TransportError::Unavailable`], the message comes again.
#[async_trait]
pub trait Receipt: Send {
    /// The job is done: the message is deleted.
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError>;

    /// The job was not done: the message goes to another consumer, after a delay if there is any.
    async fn requeue(self: Box<Self>, delay: Duration) -> Result<(), TransportError>;

    /// The message is not a job: it is kept among the dead letters.
    async fn reject(self: Box<Self>) -> Result<(), TransportError>;
}
