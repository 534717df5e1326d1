//! What other sweeps of the store wait for on the same queue.
//!
//! A queue tells how many messages wait, and not whose they are. So that a sweep notices that its own are lost
//! while those of others wait, the jobs for which others need a message are counted.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use loto_proto::identity::{JobId, SweepId};
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::time::Instant;

use crate::progress::Tracker;

/// Least time between two counts.
const COUNT_INTERVAL: Duration = Duration::from_secs(5);

/// The other sweeps of a store, as far as they are not done.
#[derive(Default)]
pub(super) struct OtherSweeps {
    counted: Option<(Instant, u64)>,
    trackers: BTreeMap<SweepId, Tracker>,
    /// Sweeps of which nothing more is to come: done, or planned by ours as well.
    settled: HashSet<SweepId>,
}

impl OtherSweeps {
    /// The number of jobs that need a message, and that `ours` does not plan.
    pub(super) async fn waiting_jobs(
        &mut self,
        ours: &Tracker,
        store: &dyn Store,
    ) -> Result<u64, TransportError> {
        if let Some((when, count)) = self.counted
            && when.elapsed() < COUNT_INTERVAL
        {
            return Ok(count);
        }
        let mut jobs: HashSet<JobId> = HashSet::new();
        for id in store.sweeps().await? {
            if self.settled.contains(&id) {
                continue;
            }
            match self.waiting_of(id, ours, store).await {
                Ok(waiting) => jobs.extend(waiting),
                Err(error) if error.concerns_server() => return Err(error),
                Err(error) => {
                    tracing::debug!("{error}; that sweep is left out of account");
                    self.settled.insert(id);
                }
            }
        }
        let count = jobs.len() as u64;
        self.counted = Some((Instant::now(), count));
        Ok(count)
    }

    /// The jobs of one sweep that need a message.
    async fn waiting_of(
        &mut self,
        id: SweepId,
        ours: &Tracker,
        store: &dyn Store,
    ) -> Result<Vec<JobId>, TransportError> {
        let state = store.sweep_state(id).await?;
        if state.cancelled {
            return Ok(Vec::new());
        }
        let tracker = match self.trackers.remove(&id) {
            Some(mut tracker) => {
                tracker.follow(store).await?;
                tracker
            }
            None => {
                let Some(sweep) = store.sweep(id).await? else {
                    return Ok(Vec::new());
                };
                let mut tracker = Tracker::new(&sweep);
                if tracker.is_part_of(ours) {
                    self.settled.insert(id);
                    return Ok(Vec::new());
                }
                tracker.scan(store).await?;
                tracker
            }
        };
        if tracker.progress().total.unfinished() == 0 {
            self.settled.insert(id);
            return Ok(Vec::new());
        }
        let waiting = tracker.waiting(state.published_seeds);
        let others = waiting.filter(|(series, seed)| !ours.plans(*series, *seed));
        let jobs = others
            .map(|(series, seed)| JobId::new(series, seed))
            .collect();
        self.trackers.insert(id, tracker);
        Ok(jobs)
    }
}
