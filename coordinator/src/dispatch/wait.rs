//! Waits until a sweep is done.

use std::time::{Duration, Instant};

use loto_proto::ProtoError;
use loto_proto::queue::Queue;
use loto_proto::store::Store;
use tokio_util::sync::CancellationToken;

use super::publish_missing;
use crate::CoordinatorError;
use crate::progress::{Progress, Tracker};

/// Errors of given-up jobs that are listed; `loto status` lists them all.
const LISTED_ERRORS: usize = 10;

/// Time between two looks at a networked store.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a networked store may be out of reach while a user waits.
pub const LONGEST_OUTAGE: Duration = Duration::from_secs(600);

/// How to wait for a sweep.
pub struct Wait<'a> {
    /// Where its traces end up.
    pub store: &'a dyn Store,
    /// Where to publish jobs again which seem to be lost; `None` if they cannot be.
    pub queue: Option<&'a dyn Queue>,
    /// Time between two looks at the store.
    pub poll_interval: Duration,
    /// Time without any change after which the missing jobs are published again.
    /// It doubles each time, so that a queue without workers does not fill with copies.
    pub patience: Duration,
    /// How long the store may be out of reach.
    pub longest_outage: Duration,
    /// Ends the waiting early.
    pub shutdown: CancellationToken,
}

/// Waits until every job is done or given up, and tells `on_progress` at every look.
///
/// A job that is given up does not end the waiting for the others.
///
/// # Errors
/// [`CoordinatorError::GaveUp`] if jobs were given up, [`CoordinatorError::Interrupted`]
/// on shutdown, [`CoordinatorError::Proto`] if the store fails for too long.
pub async fn wait_until_done(
    tracker: &mut Tracker,
    mut wait: Wait<'_>,
    mut on_progress: impl FnMut(&Progress),
) -> Result<(), CoordinatorError> {
    let mut last = tracker.progress();
    let mut last_change = Instant::now();
    let mut outage: Option<Instant> = None;
    loop {
        match look(tracker, wait.store).await {
            Ok(()) => outage = None,
            Err(error) => outage = Some(outlast(error, outage, wait.longest_outage)?),
        }
        let progress = tracker.progress();
        on_progress(&progress);
        if outage.is_none() && progress.total.unfinished() == 0 {
            return conclude(tracker);
        }
        if progress != last {
            last = progress;
            last_change = Instant::now();
        } else if let Some(queue) = wait.queue
            && outage.is_none()
            && last_change.elapsed() >= wait.patience
        {
            match republish(tracker, wait.store, queue, wait.patience).await {
                Ok(()) => wait.patience *= 2,
                Err(error) => _ = outlast(error, None, wait.longest_outage)?,
            }
            last_change = Instant::now();
        }
        tokio::select! {
            () = tokio::time::sleep(wait.poll_interval) => {}
            () = wait.shutdown.cancelled() => {
                return Err(CoordinatorError::Interrupted(last.total.to_string()));
            }
        }
    }
}

/// Takes in what is new, and what it cost. When the history says that all is done, everything is
/// asked for once more: what counts is what is in the store.
async fn look(tracker: &mut Tracker, store: &dyn Store) -> Result<(), ProtoError> {
    tracker.follow(store).await?;
    if tracker.progress().total.unfinished() == 0 {
        return tracker.scan(store).await;
    }
    tracker.measure(store).await
}

/// Since when servers are out of reach; an error when that is too long or the
/// failure is of another kind.
fn outlast(
    error: ProtoError,
    since: Option<Instant>,
    longest: Duration,
) -> Result<Instant, ProtoError> {
    if !error.is_transient() || since.is_some_and(|since| since.elapsed() >= longest) {
        return Err(error);
    }
    if since.is_none() {
        tracing::warn!("{error}; waiting until it is back");
    }
    Ok(since.unwrap_or_else(Instant::now))
}

async fn republish(
    tracker: &mut Tracker,
    store: &dyn Store,
    queue: &dyn Queue,
    waited: Duration,
) -> Result<(), ProtoError> {
    tracker.scan(store).await?;
    let count = publish_missing(tracker, queue).await?;
    tracing::warn!(
        "nothing happened for {} s: published {count} missing jobs again; is a worker running?",
        waited.as_secs()
    );
    Ok(())
}

/// What a sweep on which nobody works any more came to.
///
/// # Errors
/// [`CoordinatorError::GaveUp`] if jobs were given up, [`CoordinatorError::RunFailed`]
/// if jobs are left.
pub fn conclude(tracker: &Tracker) -> Result<(), CoordinatorError> {
    let counts = tracker.progress().total;
    if counts.unfinished() > 0 {
        return Err(CoordinatorError::RunFailed(format!(
            "the run ended too early: {counts}"
        )));
    }
    let count = counts.poisoned;
    if count == 0 {
        return Ok(());
    }
    let mut errors = String::new();
    for poisoned in tracker.poisoned().take(LISTED_ERRORS) {
        errors.push_str(&format!("\n  {poisoned}"));
    }
    if count > LISTED_ERRORS as u64 {
        errors.push_str(&format!("\n  and {} more", count - LISTED_ERRORS as u64));
    }
    Err(CoordinatorError::GaveUp {
        count,
        planned: counts.planned(),
        errors,
    })
}
