//! What workers tell of themselves that a user should know: that the broker has an alarm, or that they get jobs
//! which they cannot run.

use std::collections::BTreeSet;
use std::time::Duration;

use loto_proto::excerpt::{excerpt, excerpt_of};
use loto_proto::heartbeat::{Heartbeat, remark_of, tally_of};
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::time::Instant;

use super::live_workers::LiveWorkers;

/// Time between two times that workers are listened to.
const LISTENING_INTERVAL: Duration = Duration::from_secs(5);

/// Most characters of a remark that are shown.
const SHOWN_CHARACTERS: usize = 300;

/// Most remarks that are shown.
const SHOWN_REMARKS: usize = 20;

/// The workers of a store.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerRemarks {
    /// How many there are, those included that vanished within the last minutes.
    pub workers: usize,
    /// What they tell, each with the name of the worker.
    pub remarks: BTreeSet<String>,
}

/// Asks the store what its workers tell of themselves.
///
/// # Errors
/// [`TransportError`] if the store is unavailable, or what workers told is damaged.
pub async fn worker_remarks(store: &dyn Store) -> Result<WorkerRemarks, TransportError> {
    Ok(remarks_of(&store.heartbeats().await?))
}

/// As [`worker_remarks`], from heartbeats that are at hand.
pub(crate) fn remarks_of(heartbeats: &[(String, Heartbeat)]) -> WorkerRemarks {
    let mut found = WorkerRemarks::default();
    for (name, _) in heartbeats {
        match remark_of(name) {
            None => found.workers += 1,
            Some(_) if tally_of(name).is_some() => {}
            Some((worker, remark)) if found.remarks.len() < SHOWN_REMARKS => {
                let remark = excerpt_of(remark, SHOWN_CHARACTERS);
                found
                    .remarks
                    .insert(format!("worker {}: {remark}", excerpt(worker)));
            }
            Some(_) => {}
        }
    }
    found
}

/// Logs remarks that are new, and when there is no worker.
#[derive(Default)]
pub(super) struct ToldRemarks {
    listened: Option<Instant>,
    told: BTreeSet<String>,
    live: LiveWorkers,
    workers: Option<usize>,
}

impl ToldRemarks {
    /// How many workers live, as far as that is known.
    pub(super) fn workers(&self) -> Option<usize> {
        self.workers
    }

    /// A store that does not answer is noticed elsewhere.
    pub(super) async fn tell(&mut self, store: &dyn Store) {
        if let Some(listened) = self.listened
            && listened.elapsed() < LISTENING_INTERVAL
        {
            return;
        }
        self.listened = Some(Instant::now());
        let Ok(heartbeats) = store.heartbeats().await else {
            return;
        };
        let WorkerRemarks { remarks, .. } = remarks_of(&heartbeats);
        for remark in remarks.difference(&self.told) {
            tracing::warn!("{remark}");
        }
        self.told = remarks;
        let workers = self.live.count(Instant::now(), &heartbeats);
        match (self.workers.replace(workers), workers) {
            (None, 0) => tracing::warn!(
                "no worker tells this store about itself: is one running, with this broker and this store?"
            ),
            (Some(before), 0) if before > 0 => {
                tracing::warn!("the last worker is gone; the sweep goes on when one is started");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loto_proto::heartbeat::{remark_name, tally_name};
    use loto_transport::store::{EmbeddedStore, Heartbeats};

    #[tokio::test]
    async fn remarks_are_told_apart_from_workers() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        assert_eq!(
            worker_remarks(&store).await.unwrap(),
            WorkerRemarks::default()
        );
        let heartbeat = Heartbeat::default();
        let alarm = remark_name("host:1", "the broker\nhas an alarm");
        for name in ["host:1", "host:2", &alarm, &tally_name("host:1")] {
            store.put_heartbeat(name, &heartbeat).await.unwrap();
        }
        let found = worker_remarks(&store).await.unwrap();
        assert_eq!(found.workers, 2);
        let told: Vec<&str> = found.remarks.iter().map(String::as_str).collect();
        assert_eq!(told, ["worker host:1: the broker has an alarm"]);
    }
}
