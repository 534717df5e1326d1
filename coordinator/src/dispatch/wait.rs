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
    /// Ends the waiting early.
    pub shutdown: CancellationToken,
}

/// Waits until every job is done or given up, and tells `on_progress` at every look.
///
/// A job that is given up does not end the waiting for the others.
///
/// # Errors
/// [`CoordinatorError::GaveUp`] if jobs were given up, [`CoordinatorError::Interrupted`]
/// on shutdown, [`CoordinatorError::Proto`] if the store fails.
pub async fn wait_until_done(
    tracker: &mut Tracker,
    mut wait: Wait<'_>,
    mut on_progress: impl FnMut(&Progress),
) -> Result<(), CoordinatorError> {
    let mut last = tracker.progress();
    let mut last_change = Instant::now();
    loop {
        tracker.follow(wait.store).await?;
        if tracker.progress().total.unfinished() == 0 {
            // The history says that all is done; what counts is what is in the store.
            tracker.scan(wait.store).await?;
        }
        let progress = tracker.progress();
        on_progress(&progress);
        if progress.total.unfinished() == 0 {
            return conclude(tracker);
        }
        if progress != last {
            last = progress;
            last_change = Instant::now();
        } else if let Some(queue) = wait.queue
            && last_change.elapsed() >= wait.patience
        {
            republish(tracker, wait.store, queue, wait.patience).await?;
            wait.patience *= 2;
            last_change = Instant::now();
        }
        tokio::select! {
            () = tokio::time::sleep(wait.poll_interval) => {}
            () = wait.shutdown.cancelled() => {
                let unfinished = last.total.unfinished();
                return Err(CoordinatorError::Interrupted(format!("{unfinished} jobs are not done")));
            }
        }
    }
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
