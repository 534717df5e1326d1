//! Has damaged traces computed again.

use loto_proto::job::Job;
use loto_transport::store::Store;

use super::error::DispatchError;
use crate::progress::Tracker;
use crate::results::inspect;

/// Takes the damaged traces of a sweep out of the store and returns their jobs, which are then to be
/// published: nothing else of the store is touched.
///
/// # Errors
/// [`DispatchError::Reading`] if traces cannot be read or a table is damaged,
/// [`DispatchError::Transport`] if one cannot be taken out of the store.
pub async fn discard_damaged(
    tracker: &mut Tracker,
    store: &dyn Store,
) -> Result<Vec<Job>, DispatchError> {
    let mut discarded = Vec::new();
    for damaged in inspect(tracker.follower(), store).await?.damaged {
        tracing::warn!("{damaged}; it is computed again");
        let job = damaged.job;
        store.discard_trace(job.series.id(), job.seed).await?;
        tracker.set_missing(&job);
        discarded.push(*job);
    }
    Ok(discarded)
}
