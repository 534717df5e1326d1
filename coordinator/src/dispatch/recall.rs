//! Gives jobs that were given up another chance.

use futures::{StreamExt, TryStreamExt, stream};
use loto_proto::attempt::AttemptState;
use loto_proto::job::Job;
use loto_proto::lifecycle;
use loto_transport::TransportError;
use loto_transport::store::Store;

use crate::progress::Tracker;

/// Jobs that are recalled side by side.
const CONCURRENT: usize = 32;

/// Takes back that jobs were given up: asking for a sweep again means that the user has
/// seen their errors. Returns the jobs, which are then to be published.
///
/// Safe while workers run: what became of a job meanwhile stays.
///
/// # Errors
/// Whatever the store reports.
pub async fn recall_poisoned(
    tracker: &mut Tracker,
    store: &dyn Store,
) -> Result<Vec<Job>, TransportError> {
    let poisoned: Vec<Job> = tracker.poisoned().map(|poisoned| poisoned.job).collect();
    let recalling = stream::iter(poisoned).map(|job| async move {
        let recalled = recall(&job, store).await?;
        Ok::<_, TransportError>(recalled.then_some(job))
    });
    let recalled: Vec<Option<Job>> = recalling.buffered(CONCURRENT).try_collect().await?;
    let recalled: Vec<Job> = recalled.into_iter().flatten().collect();
    if !recalled.is_empty() {
        tracker.scan(store).await?;
    }
    Ok(recalled)
}

async fn recall(job: &Job, store: &dyn Store) -> Result<bool, TransportError> {
    let record = store.job_record(job.series.id(), job.seed).await?;
    match record.attempt {
        Some(poisoned) if poisoned.state == AttemptState::Poisoned => {
            let waiting = lifecycle::retry(&poisoned);
            let version = store.put_attempt(job, &record.version, &waiting).await?;
            Ok(version.is_some())
        }
        _ => Ok(false),
    }
}
