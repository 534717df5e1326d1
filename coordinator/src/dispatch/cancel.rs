//! Cancels a sweep, and resumes it.

use std::collections::HashSet;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::error::DispatchError;
use super::sound_sweeps::sound_sweeps;
use crate::progress::Tracker;

/// Series whose finished seeds are asked for at a time.
pub(super) const SERIES_PER_QUERY: usize = 1000;

/// What was not cancelled of a sweep, because other sweeps need it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cancelled {
    /// Names of the sweeps that share unfinished series with it.
    pub shared_with: Vec<String>,
    /// Number of these series.
    pub shared_series: usize,
}

/// Cancels a sweep: no job of its series is begun any more, and workers drop the messages of its
/// jobs as they come to them. Jobs that are running are finished, and their traces are kept.
/// Series that another sweep still needs are not cancelled.
///
/// # Errors
/// [`DispatchError::Transport`] if the store fails.
pub async fn cancel(
    id: SweepId,
    sweep: &Sweep,
    store: &dyn Store,
) -> Result<Cancelled, DispatchError> {
    let mut stopped: HashSet<SeriesId> = sweep.series().map(|series| series.id()).collect();
    let mut cancelled = Cancelled::default();
    for (other_id, other) in sound_sweeps(id, store).await? {
        if store.sweep_state(other_id).await?.cancelled {
            continue;
        }
        let shared = other.series().map(|series| series.id());
        let shared: Vec<SeriesId> = shared.filter(|series| stopped.contains(series)).collect();
        let mut unfinished = Vec::new();
        for batch in shared.chunks(SERIES_PER_QUERY) {
            for (series, done) in batch.iter().zip(store.seeds_done(batch).await?) {
                let planned = done.iter().filter(|&&seed| seed < other.seeds).count();
                if planned < other.seeds as usize {
                    unfinished.push(*series);
                }
            }
        }
        if !unfinished.is_empty() {
            cancelled.shared_with.push(other.name);
            cancelled.shared_series += unfinished.len();
            for series in &unfinished {
                stopped.remove(series);
            }
        }
    }
    let mut stopped: Vec<SeriesId> = stopped.into_iter().collect();
    stopped.sort_unstable();
    store.cancel_sweep(id, &stopped).await?;
    Ok(cancelled)
}

/// Resumes a sweep that was cancelled; its jobs are then to be published again.
///
/// # Errors
/// [`DispatchError::Transport`] if the store fails.
pub async fn resume(id: SweepId, sweep: &Sweep, store: &dyn Store) -> Result<(), DispatchError> {
    if store.sweep_state(id).await?.cancelled {
        let series: Vec<SeriesId> = sweep.series().map(|series| series.id()).collect();
        store.resume_sweep(id, &series).await?;
    }
    Ok(())
}

/// Lets the jobs of a sweep be begun whose series were stopped when another sweep was cancelled: that one did not
/// know of this one.
///
/// # Errors
/// Whatever the store reports.
pub(crate) async fn release_series(
    id: SweepId,
    tracker: &Tracker,
    store: &dyn Store,
) -> Result<(), TransportError> {
    let series = tracker.follower().series().iter();
    let series: Vec<SeriesId> = series.map(|followed| followed.id).collect();
    store.release_series(id, &series).await
}

/// Refuses a sweep that was cancelled.
///
/// # Errors
/// [`DispatchError::Cancelled`] if it was.
pub async fn refuse_cancelled(id: SweepId, store: &dyn Store) -> Result<(), DispatchError> {
    if store.sweep_state(id).await?.cancelled {
        return Err(DispatchError::Cancelled(id));
    }
    Ok(())
}
