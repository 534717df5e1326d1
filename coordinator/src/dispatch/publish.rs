//! Puts the missing jobs of a sweep on the queue.

use loto_proto::identity::{StoreId, SweepId};
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::queue::Queue;
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::{Store, StoreIdentity};
use tokio_util::sync::CancellationToken;

use super::cancel::release_series;
use super::error::{DispatchError, Interruption};
use super::lost_jobs::{LostJobs, POLL_INTERVAL, SETTLING, look_for_lost_jobs};
use crate::metrics;
use crate::progress::Tracker;

/// Jobs published at a time, so that a sweep of millions is never in memory at once.
const JOBS_PER_BATCH: usize = 1000;

/// About so many jobs are published between two notes of how far it went: what a
/// coordinator that is killed publishes twice.
const JOBS_PER_NOTE: usize = 10_000;

/// Publishes the missing jobs of a sweep, seed by seed in the order of
/// [`Tracker::missing`]; returns how many.
///
/// It goes on where an earlier call for this sweep was interrupted. If that had
/// published all, only jobs that got lost since are published. A job that waits on the
/// queue twice is computed once all the same: the second worker finds the trace in the
/// store. On shutdown, it ends at once: what is published by then stays so.
///
/// # Errors
/// [`DispatchError::Transport`] if the broker or the store does not come back,
/// [`DispatchError::Interrupted`] on shutdown.
pub async fn publish_sweep(
    id: SweepId,
    tracker: &mut Tracker,
    store: &dyn Store,
    identity: &StoreIdentity,
    queue: &dyn Queue,
    shutdown: &CancellationToken,
) -> Result<u64, DispatchError> {
    let beginning = async {
        let releasing = || release_series(id, tracker, store);
        retry_transient(Backoff::BRIEF, "releasing series", releasing).await?;
        Ok::<_, DispatchError>(store.sweep_state(id).await?.published_seeds)
    };
    let noted = unless_interrupted(shutdown, Interruption::Preparing, beginning).await?;
    if noted >= tracker.seeds() {
        let publishing = publish_lost(tracker, store, identity, queue);
        return unless_interrupted(shutdown, Interruption::LookingForLostJobs, publishing).await;
    }
    let seeds_per_note = (JOBS_PER_NOTE / tracker.jobs_per_seed().max(1)).max(1) as u32;
    let mut published = 0;
    let mut next = noted;
    while next < tracker.seeds() {
        let end = next.saturating_add(seeds_per_note).min(tracker.seeds());
        let publishing = async {
            let missing = tracker.missing_of_seeds(next..end);
            let count = publish_for(identity, store, missing, queue).await?;
            let noting = || store.mark_published(id, end);
            retry_transient(Backoff::BRIEF, "noting what is published", noting).await?;
            Ok::<_, DispatchError>(count)
        };
        let interruption = Interruption::Publishing {
            published: next,
            seeds: tracker.seeds(),
        };
        published += unless_interrupted(shutdown, interruption, publishing).await?;
        next = end;
    }
    Ok(published)
}

/// Does the work, or drops it as soon as `shutdown` comes, also while a server does not answer. It must be safe to drop
/// half-way: the same command does it again later, as after a coordinator that was killed.
///
/// # Errors
/// [`DispatchError::Interrupted`] on shutdown, and whatever the work reports.
pub(crate) async fn unless_interrupted<Value, Failure: From<DispatchError>>(
    shutdown: &CancellationToken,
    interruption: Interruption,
    work: impl Future<Output = Result<Value, Failure>>,
) -> Result<Value, Failure> {
    tokio::select! {
        biased;
        () = shutdown.cancelled() => Err(DispatchError::Interrupted(interruption).into()),
        done = work => done,
    }
}

/// Publishes the jobs of a published sweep that turn out to be lost; returns how many.
async fn publish_lost(
    tracker: &mut Tracker,
    store: &dyn Store,
    identity: &StoreIdentity,
    queue: &dyn Queue,
) -> Result<u64, DispatchError> {
    let mut lost_jobs = LostJobs::new(SETTLING);
    loop {
        let lost = look_for_lost_jobs(&mut lost_jobs, tracker, store, queue).await?;
        if !lost.is_empty() || !lost_jobs.has_suspects() {
            return Ok(publish_for(identity, store, lost.into_iter(), queue).await?);
        }
        tokio::time::sleep(POLL_INTERVAL).await;
        tracker.follow(store).await?;
    }
}

/// Publishes jobs in their order for the workers of the one store of this process; returns how many.
///
/// # Errors
/// [`TransportError::Unavailable`] if the broker does not take them, or does not come back.
pub async fn publish(
    jobs: impl Iterator<Item = Job>,
    queue: &dyn Queue,
) -> Result<u64, TransportError> {
    publish_batches(jobs, queue, None).await
}

/// As [`publish`], for the workers of this store wherever they are.
///
/// # Errors
/// As [`publish`], and whatever the store reports.
pub async fn publish_for(
    identity: &StoreIdentity,
    store: &dyn Store,
    jobs: impl Iterator<Item = Job>,
    queue: &dyn Queue,
) -> Result<u64, TransportError> {
    let asking = || identity.current(store);
    let id = retry_transient(Backoff::BRIEF, "reading the id of the store", asking).await?;
    publish_batches(jobs, queue, Some(id)).await
}

async fn publish_batches(
    mut jobs: impl Iterator<Item = Job>,
    queue: &dyn Queue,
    store: Option<StoreId>,
) -> Result<u64, TransportError> {
    let mut published = 0;
    loop {
        let batch: Vec<_> = jobs.by_ref().take(JOBS_PER_BATCH).collect();
        if batch.is_empty() {
            return Ok(published);
        }
        match store {
            Some(store) => queue.publish_for(store, &batch).await?,
            None => queue.publish(&batch).await?,
        }
        published += batch.len() as u64;
        metrics::jobs_published(batch.len() as u64);
        for job in &batch {
            tracing::debug!(
                id = %job.id(),
                method = job.series.method.id,
                task = job.series.task,
                seed = job.seed,
                "published"
            );
        }
    }
}
