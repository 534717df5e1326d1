//! Which jobs this worker holds, told to the store in its heartbeats, so that a
//! coordinator does not take them for lost.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loto_proto::heartbeat::{Heartbeat, remark_name, tally_name};
use loto_proto::identity::JobId;
use loto_transport::TransportError;
use loto_transport::store::Store;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The jobs whose messages this worker took and has not settled.
#[derive(Default)]
pub(super) struct HeldJobs {
    jobs: Mutex<BTreeMap<JobId, Held>>,
    /// How many jobs were brought to an end, traces or poisoned ones.
    finished: AtomicU64,
    /// What was last told of this worker.
    told: Mutex<Told>,
}

/// One job that is held.
struct Held {
    /// How many messages of it.
    messages: u32,
    /// When it last got further.
    progress: Instant,
}

#[derive(Default)]
struct Told {
    /// The number of the last heartbeat.
    number: u64,
    /// Under which names there is more of it in the store: remarks, and how many jobs it finished.
    beside: BTreeSet<String>,
}

impl HeldJobs {
    pub(super) fn take(&self, job: JobId) {
        let progress = Instant::now();
        let mut jobs = self.jobs.lock();
        let held = jobs.entry(job).or_insert(Held {
            messages: 0,
            progress,
        });
        held.messages += 1;
        held.progress = progress;
    }

    pub(super) fn settle(&self, job: JobId) {
        let mut jobs = self.jobs.lock();
        if let Some(held) = jobs.get_mut(&job) {
            held.messages -= 1;
            if held.messages == 0 {
                jobs.remove(&job);
            }
        }
    }

    /// Takes note that a job got further.
    pub(super) fn note_progress(&self, job: JobId) {
        if let Some(held) = self.jobs.lock().get_mut(&job) {
            held.progress = Instant::now();
        }
    }

    /// Takes note that a job was brought to its end.
    pub(super) fn note_finished(&self) {
        self.finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes note that no job can get further at the moment.
    pub(super) fn excuse(&self) {
        let now = Instant::now();
        let mut jobs = self.jobs.lock();
        jobs.values_mut().for_each(|held| held.progress = now);
    }

    /// The jobs that did not get further for so long.
    pub(super) fn stalled(&self, longest_silence: Duration) -> Vec<JobId> {
        let jobs = self.jobs.lock();
        let stalled = jobs
            .iter()
            .filter(|(_, held)| held.progress.elapsed() > longest_silence);
        stalled.map(|(&job, _)| job).collect()
    }

    /// Tells the store what is held, and what there is to say of this worker.
    pub(super) async fn send_heartbeat(
        &self,
        worker: &str,
        store: &dyn Store,
        remarks: Vec<String>,
    ) -> Result<(), TransportError> {
        let number = {
            let mut told = self.told.lock();
            told.number += 1;
            told.number
        };
        let jobs = self.jobs.lock().keys().copied().collect();
        let heartbeat = Heartbeat { number, jobs };
        store.put_heartbeat(worker, &heartbeat).await?;
        let beside = remarks
            .iter()
            .map(|remark| (remark_name(worker, remark), number));
        let mut beside: BTreeMap<String, u64> = beside.collect();
        beside.insert(tally_name(worker), self.finished.load(Ordering::Relaxed));
        for (name, &number) in &beside {
            self.told.lock().beside.insert(name.clone());
            let jobs = Vec::new();
            store
                .put_heartbeat(name, &Heartbeat { number, jobs })
                .await?;
        }
        let mut before = self.told.lock().beside.clone();
        before.retain(|name| !beside.contains_key(name));
        for name in &before {
            store.forget_worker(name).await?;
            self.told.lock().beside.remove(name);
        }
        Ok(())
    }

    /// Tells the store that this worker is gone.
    pub(super) async fn say_farewell(
        &self,
        worker: &str,
        store: &dyn Store,
    ) -> Result<(), TransportError> {
        store.forget_worker(worker).await?;
        let names = std::mem::take(&mut self.told.lock().beside);
        for name in &names {
            store.forget_worker(name).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_held_as_long_as_one_of_its_messages_is() {
        let held = HeldJobs::default();
        let job = JobId([1; 16]);
        held.take(job);
        held.take(job);
        held.settle(job);
        assert!(held.jobs.lock().contains_key(&job));
        held.settle(job);
        assert!(held.jobs.lock().is_empty());
    }

    #[test]
    fn a_job_that_does_not_get_further_is_stalled() {
        let held = HeldJobs::default();
        let (one, two) = (JobId([1; 16]), JobId([2; 16]));
        held.take(one);
        held.take(two);
        std::thread::sleep(Duration::from_millis(20));
        held.note_progress(two);
        assert_eq!(held.stalled(Duration::from_millis(10)), [one]);
        assert!(held.stalled(Duration::from_secs(10)).is_empty());
        held.excuse();
        assert!(held.stalled(Duration::from_millis(10)).is_empty());
    }
}
