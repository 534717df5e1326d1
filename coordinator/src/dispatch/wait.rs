//! Waits until a sweep is done.

use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_transport::TransportError;
use loto_transport::queue::Queue;
use loto_transport::store::{Conflict, Store, StoreIdentity};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::cancel::{refuse_cancelled, release_series};
use super::error::{DispatchError, Interruption};
use super::inventory::Inventory;
use super::lost_jobs::{LostJobs, SETTLING, look_for_lost_jobs};
use super::publish::publish_for;
use super::remarks::ToldRemarks;
use crate::CoordinatorError;
use crate::metrics;
use crate::progress::{Progress, Tracker};
use crate::results::inspect;

/// A look that takes long is followed by a delay this many times as long.
const DELAY_PER_LOOK: u32 = 10;

/// Longest delay between two looks: that a look waited for a server is not a reason to wait longer.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// How long a networked store may be unavailable while a user waits.
pub const LONGEST_OUTAGE: Duration = Duration::from_secs(600);

/// How long to wait for another process to record a sweep again that the store has lost.
pub const LONGEST_ABSENCE: Duration = Duration::from_secs(30);

/// How to wait for a sweep.
pub struct Wait<'a> {
    /// The sweep.
    pub id: SweepId,
    /// Where its traces end up.
    pub store: &'a dyn Store,
    /// What to record again if the store loses it; `None` if that is up to others.
    pub inventory: Option<Inventory>,
    /// How to publish jobs again that got lost; `None` if that is up to others.
    pub requeue: Option<Requeue<'a>>,
    /// Least time between two looks at the store.
    pub poll_interval: Duration,
    /// How long the store may be unavailable.
    pub longest_outage: Duration,
    /// How long the sweep may be missing from the store, if recording it again is up to others.
    pub longest_absence: Duration,
    /// Ends the waiting early.
    pub shutdown: CancellationToken,
}

/// How to publish jobs again.
pub struct Requeue<'a> {
    /// Where to.
    pub queue: &'a dyn Queue,
    /// The id of the store that messages name: the one under which this process has published before.
    pub identity: &'a StoreIdentity,
    /// How many ids the store had when all jobs were published.
    pub ids: usize,
    /// How long a job has to look lost until it is published again.
    pub settling: Duration,
    /// Time without any change after which all missing jobs are published again,
    /// whatever else waits on the queue. It doubles each time, so that a queue without workers does
    /// not fill with copies.
    pub patience: Duration,
}

impl<'a> Requeue<'a> {
    /// For real servers: longer than a job may take, so that it is not the slow ones that are doubled.
    pub fn new(queue: &'a dyn Queue, identity: &'a StoreIdentity) -> Self {
        Self {
            queue,
            identity,
            ids: 1,
            settling: SETTLING,
            patience: Duration::from_secs(3600),
        }
    }
}

/// Waits until every job is done or poisoned, and tells `on_progress` at every look. A sweep has to stay done for as long as the
/// store may lose what it was told last.
///
/// A poisoned job does not end the waiting for the others.
///
/// # Errors
/// [`DispatchError::Poisoned`] if jobs are poisoned, [`DispatchError::Conflicts`] if
/// some had two outcomes, [`DispatchError::DamagedTraces`] if traces are damaged,
/// [`DispatchError::Cancelled`] if the sweep was stopped,
/// [`DispatchError::LostSweep`] if it is gone from the store and nobody records it again,
/// [`DispatchError::Interrupted`] on shutdown, [`DispatchError::Transport`] if the store
/// fails for too long.
pub async fn wait_until_done(
    tracker: &mut Tracker,
    wait: Wait<'_>,
    mut on_progress: impl FnMut(&Progress),
) -> Result<(), DispatchError> {
    let (id, shutdown) = (wait.id, wait.shutdown.clone());
    let mut counts = tracker.progress().total;
    let following = follow_to_its_end(tracker, wait, |progress| {
        counts = progress.total;
        on_progress(progress);
    });
    // A look that is dropped leaves nothing behind: the next one publishes or records again what is missing.
    let ended = tokio::select! {
        biased;
        ended = following => Some(ended),
        () = shutdown.cancelled() => None,
    };
    ended.unwrap_or_else(|| {
        let interruption = Interruption::Watching { id, counts };
        Err(DispatchError::Interrupted(interruption))
    })
}

/// As [`wait_until_done`], whatever the shutdown says.
async fn follow_to_its_end(
    tracker: &mut Tracker,
    mut wait: Wait<'_>,
    mut on_progress: impl FnMut(&Progress),
) -> Result<(), DispatchError> {
    let settling = wait
        .requeue
        .as_ref()
        .map_or(SETTLING, |requeue| requeue.settling);
    let mut lost_jobs = LostJobs::new(settling);
    let mut remarks = ToldRemarks::default();
    let mut last = tracker.progress();
    let mut last_change = Instant::now();
    let mut done_since: Option<Instant> = None;
    let mut outage: Option<Instant> = None;
    let mut tending_outage: Option<Instant> = None;
    let mut missing_since: Option<Instant> = None;
    loop {
        let begin = Instant::now();
        match look(tracker, wait.store).await {
            Ok(()) => outage = None,
            Err(error) => outage = Some(outlast(error, outage, wait.longest_outage)?),
        }
        let mut progress = tracker.progress();
        if progress != last {
            last = progress.clone();
            last_change = Instant::now();
        }
        if outage.is_none() && progress.total.unfinished() > 0 {
            remarks.tell(wait.store).await;
            progress.workers = remarks.workers();
        }
        on_progress(&progress);
        if outage.is_none() && progress.total.unfinished() == 0 {
            let since = *done_since.get_or_insert_with(Instant::now);
            if since.elapsed() >= wait.store.longest_loss() {
                match end(tracker, &wait).await {
                    Err(
                        DispatchError::Transport(error)
                        | DispatchError::Reading(CoordinatorError::Transport(error)),
                    ) => outage = Some(outlast(error, outage, wait.longest_outage)?),
                    ended => return ended,
                }
            }
        } else {
            done_since = None;
        }
        if outage.is_none() && done_since.is_none() {
            let quiet = last_change.elapsed();
            match tend(
                tracker,
                &mut lost_jobs,
                &mut wait,
                &mut missing_since,
                quiet,
            )
            .await
            {
                Ok(published_all) => {
                    tending_outage = None;
                    if published_all {
                        last_change = Instant::now();
                    }
                }
                // Workers finish the jobs that they hold without the broker, so that it is waited for without end.
                Err(DispatchError::Transport(error)) => {
                    tending_outage = Some(outlast(error, tending_outage, Duration::MAX)?);
                }
                Err(error) => return Err(error),
            }
        }
        let delay = LONGEST_DELAY.min(begin.elapsed() * DELAY_PER_LOOK);
        tokio::time::sleep(delay.max(wait.poll_interval)).await;
    }
}

/// What a sweep came to of which nothing is missing.
async fn end(tracker: &Tracker, wait: &Wait<'_>) -> Result<(), DispatchError> {
    let damaged = inspect(tracker.follower(), wait.store).await?.damaged;
    if !damaged.is_empty() {
        return Err(DispatchError::DamagedTraces(damaged));
    }
    if let Some(inventory) = &wait.inventory {
        inventory.restore(wait.store).await?;
    }
    conclude(tracker, wait.store).await
}

/// Takes in what is new, and what it cost. When the history says that all is done, everything is
/// asked for once more: what counts is what is in the store.
async fn look(tracker: &mut Tracker, store: &dyn Store) -> Result<(), TransportError> {
    tracker.follow(store).await?;
    if tracker.progress().total.unfinished() == 0 {
        return tracker.scan(store).await;
    }
    tracker.measure(store).await?;
    Ok(())
}

/// Ends the waiting for a cancelled sweep; records one again that the store has lost; publishes what got lost, or everything
/// if nothing happened for too long. Says whether it did the latter.
async fn tend(
    tracker: &mut Tracker,
    lost_jobs: &mut LostJobs,
    wait: &mut Wait<'_>,
    missing_since: &mut Option<Instant>,
    quiet: Duration,
) -> Result<bool, DispatchError> {
    refuse_cancelled(wait.id, wait.store).await?;
    if let Some(inventory) = &wait.inventory {
        inventory.restore(wait.store).await?;
    } else if wait.store.sweeps().await?.contains(&wait.id) {
        *missing_since = None;
    } else if missing_since.get_or_insert_with(Instant::now).elapsed() >= wait.longest_absence {
        return Err(DispatchError::LostSweep(wait.id));
    }
    let Some(requeue) = &mut wait.requeue else {
        return Ok(false);
    };
    // A store that lost everything gets its id back, which the messages on the queue name. If another process was
    // faster, it has a new one, and the workers that knew the former may be gone.
    let identity = requeue.identity;
    identity.current(wait.store).await?;
    let ids = identity.ids();
    if ids > requeue.ids {
        tracker.scan(wait.store).await?;
        release_series(wait.id, tracker, wait.store).await?;
        let count = publish_for(identity, wait.store, tracker.missing(), requeue.queue).await?;
        requeue.ids = ids;
        tracing::warn!("the store has another id than before: published {count} jobs for it again");
        return Ok(true);
    }
    let lost = look_for_lost_jobs(lost_jobs, tracker, wait.store, requeue.queue).await?;
    if !lost.is_empty() {
        // The history may have left them out: what counts is what is in the store.
        tracker.scan(wait.store).await?;
        let missing = lost
            .into_iter()
            .filter(|job| tracker.is_missing(job.series.id(), job.seed));
        release_series(wait.id, tracker, wait.store).await?;
        let count = publish_for(identity, wait.store, missing, requeue.queue).await?;
        metrics::jobs_lost(count);
        tracing::warn!("{count} jobs were lost on the way: published them again");
        return Ok(false);
    }
    if quiet < requeue.patience {
        return Ok(false);
    }
    tracker.scan(wait.store).await?;
    release_series(wait.id, tracker, wait.store).await?;
    let count = publish_for(identity, wait.store, tracker.missing(), requeue.queue).await?;
    tracing::warn!(
        "nothing happened for {} s: published {count} missing jobs again; is a worker running?",
        requeue.patience.as_secs()
    );
    requeue.patience *= 2;
    Ok(true)
}

/// Since when servers are unavailable; an error when that is too long or the
/// failure is of another kind.
fn outlast(
    error: TransportError,
    since: Option<Instant>,
    longest: Duration,
) -> Result<Instant, TransportError> {
    if !error.is_transient() || since.is_some_and(|since| since.elapsed() >= longest) {
        return Err(error);
    }
    if since.is_none() {
        tracing::warn!("{error}; waiting until it is back");
    }
    Ok(since.unwrap_or_else(Instant::now))
}

/// What a sweep on which nobody works any more came to.
///
/// # Errors
/// [`DispatchError::Poisoned`] if jobs are poisoned, [`DispatchError::Conflicts`] if
/// some had two outcomes, [`DispatchError::Unfinished`] if jobs are left,
/// [`DispatchError::Transport`] if the store fails.
pub async fn conclude(tracker: &Tracker, store: &dyn Store) -> Result<(), DispatchError> {
    let counts = tracker.progress().total;
    if counts.unfinished() > 0 {
        return Err(DispatchError::Unfinished(counts));
    }
    if counts.poisoned > 0 {
        return Err(DispatchError::Poisoned {
            planned: counts.planned(),
            jobs: tracker.poisoned().collect(),
        });
    }
    let conflicts = conflicts(tracker, store).await?;
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(DispatchError::Conflicts(conflicts))
}

/// What is known of jobs of the sweep that had another outcome than the stored one.
///
/// # Errors
/// Whatever the store reports.
pub async fn conflicts(
    tracker: &Tracker,
    store: &dyn Store,
) -> Result<Vec<Conflict>, TransportError> {
    let mut conflicts = store.conflicts().await?;
    conflicts.retain(|conflict| tracker.plans(conflict.series, conflict.seed));
    Ok(conflicts)
}
