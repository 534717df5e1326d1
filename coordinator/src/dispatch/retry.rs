//! Releases poisoned jobs, which no worker tries any more.

use futures::{StreamExt, TryStreamExt, stream};
use loto_proto::attempt::AttemptState;
use loto_proto::job::Job;
use loto_proto::lifecycle;
use loto_transport::TransportError;
use loto_transport::store::Store;

use crate::progress::Tracker;

/// Number of jobs that are released at the same time.
const CONCURRENT: usize = 32;

/// Releases the poisoned jobs of a sweep: to ask for a sweep again means that the user has seen
/// their errors. Returns the released jobs, which are then to be published.
///
/// Safe while workers run: what became of a job meanwhile stays.
///
/// # Errors
/// [`TransportError`] if the store fails.
pub async fn retry_poisoned(
    tracker: &mut Tracker,
    store: &dyn Store,
) -> Result<Vec<Job>, TransportError> {
    let poisoned: Vec<Job> = tracker.poisoned().map(|poisoned| poisoned.job).collect();
    let releases = stream::iter(poisoned).map(|job| async move {
        let is_released = release(&job, store).await?;
        Ok::<_, TransportError>(is_released.then_some(job))
    });
    let jobs: Vec<Option<Job>> = releases.buffered(CONCURRENT).try_collect().await?;
    let released: Vec<Job> = jobs.into_iter().flatten().collect();
    if !released.is_empty() {
        tracker.scan(store).await?;
    }
    Ok(released)
}

async fn release(job: &Job, store: &dyn Store) -> Result<bool, TransportError> {
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
