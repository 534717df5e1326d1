//! Puts the missing jobs of a sweep on the queue.

use loto_proto::ProtoError;
use loto_proto::job::Job;
use loto_proto::queue::Queue;
use loto_proto::retry::{RetryPolicy, retry_transient};
use loto_proto::store::{Attempt, AttemptState, Store};

use crate::progress::Tracker;

/// Jobs published at a time, so that a sweep of millions is never in memory at once.
const JOBS_PER_BATCH: usize = 1000;

/// Publishes every job that the tracker knows to be neither done nor given up,
/// in the order of [`Tracker::missing`]; returns how many.
///
/// A job that waits on the queue already is published again: it is computed
/// once all the same, as the second worker finds the trace in the store.
///
/// # Errors
/// [`ProtoError::Broker`] if the broker does not take them, or does not come back.
pub async fn publish_missing(tracker: &Tracker, queue: &dyn Queue) -> Result<u64, ProtoError> {
    publish(tracker.missing(), queue).await
}

/// Publishes jobs in their order; returns how many.
///
/// # Errors
/// As [`publish_missing`].
pub async fn publish(
    mut jobs: impl Iterator<Item = Job>,
    queue: &dyn Queue,
) -> Result<u64, ProtoError> {
    let mut published = 0;
    loop {
        let batch: Vec<_> = jobs.by_ref().take(JOBS_PER_BATCH).collect();
        if batch.is_empty() {
            return Ok(published);
        }
        let publish = || queue.publish(&batch);
        retry_transient(RetryPolicy::BRIEF, "publishing jobs", publish).await?;
        published += batch.len() as u64;
    }
}

/// Gives the jobs that were given up another chance: asking for a sweep again
/// means that the user has seen their errors. Returns how many there were.
///
/// # Errors
/// Whatever the store reports.
pub async fn recall_poisoned(tracker: &mut Tracker, store: &dyn Store) -> Result<u64, ProtoError> {
    let mut recalled = 0;
    for poisoned in tracker.poisoned() {
        let attempt = Attempt {
            count: 0,
            state: AttemptState::Failed,
            ..poisoned.attempt
        };
        store.put_attempt(&poisoned.job, &attempt).await?;
        recalled += 1;
    }
    if recalled > 0 {
        tracker.scan(store).await?;
    }
    Ok(recalled)
}
