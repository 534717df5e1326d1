//! Runs a sweep in this process: the worker's own consumer loop, fed by a queue
//! in memory, over a store in one file.

mod error;
mod folder;
pub(crate) mod recomputation;
pub(crate) mod trial;

use std::sync::Arc;
use std::time::Duration;

use loto_transport::TransportError;
use loto_transport::queue::InProcessQueue;
use loto_transport::store::Store;
use loto_worker::compute::Compute;
use loto_worker::consumer::{self, ConsumerOptions};
use loto_worker::outcome::{Observer, Outcome};
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

pub(crate) use error::EmbeddedError;
pub(crate) use folder::{RunFolder, take_lock};

use crate::dispatch::{
    DispatchError, Interruption, conclude, discard_damaged, publish, refuse_cancelled,
    release_series, resume, retry_poisoned,
};
use crate::plan::Plan;
use crate::progress::{Progress, Tracker};
use crate::shard::Share;

/// Jobs per thread that still wait when those of the next seed are put on the queue:
/// few, so that their order follows from all that was measured; some, so that no thread waits.
const WAITING_PER_THREAD: usize = 4;

/// Time between two looks at the store.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Runs the missing jobs of a recorded sweep, or of a share of it, as `options` say, and tells
/// `on_progress` how far it is. Poisoned jobs are retried, damaged traces are computed again, and a sweep that was cancelled is
/// resumed.
///
/// On shutdown, and once there is no time left for another job, those in flight are finished and no other is begun.
///
/// # Errors
/// [`DispatchError::Poisoned`] once all other jobs are done if jobs are poisoned,
/// [`DispatchError::Cancelled`] if the sweep was cancelled meanwhile,
/// [`DispatchError::Interrupted`] on shutdown, [`EmbeddedError::TimeIsUp`] and [`EmbeddedError::TooLittleTime`] if the allocation ends before the
/// sweep, others if the store fails.
pub(crate) async fn run(
    plan: &Plan,
    share: Option<&Share>,
    store: Arc<dyn Store>,
    compute: Arc<dyn Compute>,
    options: ConsumerOptions,
    shutdown: CancellationToken,
    mut on_progress: impl FnMut(&Progress),
) -> Result<(), EmbeddedError> {
    let id = plan.sweep.id();
    resume(id, &plan.sweep, store.as_ref()).await?;
    let mut tracker = Tracker::of_plan(plan);
    if let Some(share) = share {
        tracker = tracker.only(share);
    }
    release_series(id, &tracker, store.as_ref()).await?;
    tracker.scan(store.as_ref()).await?;
    discard_damaged(&mut tracker, store.as_ref()).await?;
    retry_poisoned(&mut tracker, store.as_ref()).await?;
    let refusals = Refusals::default();
    let allocation = options.allocation.clone();
    let done_before = tracker.progress().total.done;
    if tracker.progress().total.unfinished() > 0 {
        let published = tracker.clone();
        let queue = InProcessQueue::bounded(WAITING_PER_THREAD * usize::from(options.jobs));
        let consuming = consumer::run(
            Arc::new(queue.clone()),
            Arc::clone(&store),
            compute,
            options,
            shutdown.clone(),
            Some(refusals.observer()),
        );
        let ended = CancellationToken::new();
        let publishing = async {
            tokio::select! {
                published = publish_by_seed(published, plan.sweep.seeds, store.as_ref(), &queue) => {
                    published?;
                }
                () = shutdown.cancelled() => {}
                () = allocation.closed() => {}
            }
            queue.close();
            Ok::<_, EmbeddedError>(())
        };
        let computing = async {
            let computed = consuming.await;
            ended.cancel();
            Ok(computed?)
        };
        let watching = async {
            while !ended.is_cancelled() {
                tracker.follow(store.as_ref()).await?;
                tracker.measure(store.as_ref()).await?;
                on_progress(&tracker.progress());
                tokio::select! {
                    () = tokio::time::sleep(POLL_INTERVAL) => {}
                    () = ended.cancelled() => {}
                }
            }
            Ok(())
        };
        tokio::try_join!(publishing, computing, watching)?;
        tracker.scan(store.as_ref()).await?;
    }
    let progress = tracker.progress();
    on_progress(&progress);
    if progress.total.unfinished() > 0 && shutdown.is_cancelled() {
        let interruption = Interruption::Running(progress.total);
        return Err(DispatchError::Interrupted(interruption).into());
    }
    if progress.total.unfinished() > 0 && allocation.is_closed() {
        // To come back for as much time would be of no use.
        let no_use = allocation.lacks_time() && progress.total.done == done_before;
        let counts = progress.total;
        return Err(match no_use {
            true => EmbeddedError::TooLittleTime(counts),
            false => EmbeddedError::TimeIsUp(counts),
        });
    }
    if progress.total.unfinished() > 0 {
        refuse_cancelled(id, store.as_ref()).await?;
    }
    refusals.check()?;
    Ok(conclude(&tracker, store.as_ref()).await?)
}

/// Publishes the missing jobs one seed after the other, each in the order that is best
/// by what was measured until then.
async fn publish_by_seed(
    mut tracker: Tracker,
    seeds: u32,
    store: &dyn Store,
    queue: &InProcessQueue,
) -> Result<(), TransportError> {
    for seed in 0..seeds {
        queue.room().await;
        if tracker.may_measure() {
            tracker.follow(store).await?;
            tracker.measure(store).await?;
        }
        publish(tracker.missing_of_seeds(seed..seed + 1), queue).await?;
    }
    Ok(())
}

/// Jobs for which the store holds another or a damaged trace. It counts them as
/// done, so this is the only place that knows.
#[derive(Default)]
struct Refusals(Arc<Mutex<Vec<String>>>);

impl Refusals {
    fn observer(&self) -> Observer {
        let problems = Arc::clone(&self.0);
        Arc::new(move |_, outcome| {
            if let Outcome::Refused(problem) = outcome {
                problems.lock().push(problem.clone());
            }
        })
    }

    fn check(&self) -> Result<(), EmbeddedError> {
        let problems = self.0.lock();
        match problems.first() {
            None => Ok(()),
            Some(first) => Err(EmbeddedError::RefusedTraces {
                count: problems.len(),
                first: first.clone(),
            }),
        }
    }
}

#[cfg(test)]
mod tests;
