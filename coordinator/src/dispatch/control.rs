//! What a user asks of a sweep under way, on the command line or on a page: to cancel, retry or resume it.

use std::fmt;

use loto_proto::excerpt::list;
use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::queue::Queue;
use loto_transport::store::{Store, StoreIdentity};
use tokio_util::sync::CancellationToken;

use super::cancel::{Cancelled, cancel, refuse_cancelled, resume};
use super::damage::discard_damaged;
use super::error::{DispatchError, Interruption};
use super::publish::{publish_for, publish_sweep, unless_interrupted};
use super::retry::retry_poisoned;
use super::wait::conflicts;
use crate::progress::{Counts, Tracker};

/// A sweep of which no more jobs are begun. As text, what a user is told.
pub(crate) struct CancelledSweep {
    id: SweepId,
    counts: Counts,
    cancelled: Cancelled,
}

/// A sweep whose poisoned jobs are tried again. As text, what a user is told.
pub(crate) struct RetriedSweep {
    id: SweepId,
    published: u64,
}

/// A sweep that goes on. As text, what a user is told.
pub(crate) struct ResumedSweep {
    id: SweepId,
    /// How far it is.
    pub(crate) tracker: Tracker,
    published: u64,
}

/// Cancels a sweep and counts its jobs.
///
/// # Errors
/// As [`cancel`].
pub(crate) async fn cancel_sweep(
    id: SweepId,
    sweep: &Sweep,
    store: &dyn Store,
) -> Result<CancelledSweep, DispatchError> {
    let cancelled = cancel(id, sweep, store).await?;
    let counts = scanned(sweep, store).await?.progress().total;
    Ok(CancelledSweep {
        id,
        counts,
        cancelled,
    })
}

/// Forgets the conflicts of a sweep, and publishes its poisoned jobs again, and those whose traces are damaged.
///
/// # Errors
/// [`DispatchError::Cancelled`] if the sweep is cancelled; [`DispatchError::Transport`] if the store or the broker fails.
pub(crate) async fn retry_sweep(
    id: SweepId,
    sweep: &Sweep,
    store: &dyn Store,
    queue: &dyn Queue,
) -> Result<RetriedSweep, DispatchError> {
    refuse_cancelled(id, store).await?;
    let mut tracker = scanned(sweep, store).await?;
    for conflict in conflicts(&tracker, store).await? {
        store
            .forget_conflict(conflict.series, conflict.seed)
            .await?;
    }
    let retrying = async {
        let discarded = discard_damaged(&mut tracker, store).await?;
        let released = retry_poisoned(&mut tracker, store).await?;
        let jobs = released.into_iter().chain(discarded);
        let published = publish_for(&StoreIdentity::default(), store, jobs, queue).await?;
        Ok(RetriedSweep { id, published })
    };
    let retried = retrying.await;
    if retried.is_err() {
        // A second retry would not find them: they are not poisoned any more.
        tracing::warn!(
            "`loto resume {id}` publishes the jobs that were released before the failure"
        );
    }
    retried
}

/// Lets the jobs of a sweep be begun again, and publishes those that are lost and those whose traces are damaged. It takes
/// [`super::SETTLING`] to find lost jobs.
///
/// # Errors
/// As [`publish_sweep`], and [`DispatchError::Reading`] if a table is damaged.
pub(crate) async fn resume_sweep(
    id: SweepId,
    sweep: &Sweep,
    store: &dyn Store,
    identity: &StoreIdentity,
    queue: &dyn Queue,
    shutdown: &CancellationToken,
) -> Result<ResumedSweep, DispatchError> {
    let resuming = async {
        resume(id, sweep, store).await?;
        let mut tracker = scanned(sweep, store).await?;
        let discarded = discard_damaged(&mut tracker, store).await?;
        tracker.measure(store).await?;
        let recomputed = publish_for(identity, store, discarded.into_iter(), queue).await?;
        Ok::<_, DispatchError>((tracker, recomputed))
    };
    let (mut tracker, recomputed) =
        unless_interrupted(shutdown, Interruption::Preparing, resuming).await?;
    let missing = publish_sweep(id, &mut tracker, store, identity, queue, shutdown).await?;
    Ok(ResumedSweep {
        id,
        tracker,
        published: recomputed + missing,
    })
}

async fn scanned(sweep: &Sweep, store: &dyn Store) -> Result<Tracker, DispatchError> {
    let mut tracker = Tracker::new(sweep);
    tracker.scan(store).await?;
    Ok(tracker)
}

impl fmt::Display for CancelledSweep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cancelled {
            shared_with,
            shared_series,
        } = &self.cancelled;
        write!(formatter, "sweep {} is cancelled: {}", self.id, self.counts)?;
        if *shared_series == 0 {
            return Ok(());
        }
        write!(
            formatter,
            "\n{shared_series} of its pairs of method and task are not cancelled, because they are also part of: {}; \
             cancel these sweeps, too, to stop them",
            list(shared_with.iter().map(String::as_str))
        )
    }
}

impl fmt::Display for RetriedSweep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, published } = self;
        write!(formatter, "sweep {id}: queued {published} jobs again")
    }
}

impl fmt::Display for ResumedSweep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, published, .. } = self;
        let counts = self.tracker.progress().total;
        write!(
            formatter,
            "sweep {id}: {counts}; published {published} jobs"
        )
    }
}
