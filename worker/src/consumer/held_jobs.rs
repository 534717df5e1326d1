//! Which jobs this worker holds, told to the store in its heartbeats, so that a
//! coordinator does not take them for lost.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use loto_proto::heartbeat::{Heartbeat, remark_name};
use loto_proto::identity::JobId;
use loto_transport::TransportError;
use loto_transport::store::Store;
use parking_lot::Mutex;
use tokio::time::Instant;

/// The jobs whose messages this worker took and has not settled.
#[derive(Default)]
pub(super) struct HeldJobs {
    jobs: Mutex<BTreeMap<JobId, Held>>,
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
    /// Under which names remarks are in the store.
    remarks: BTreeSet<String>,
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
        let names = remarks.iter().map(|remark| remark_name(worker, remark));
        let names: BTreeSet<String> = names.collect();
        for name in &names {
            self.told.lock().remarks.insert(name.clone());
            let jobs = Vec::new();
            store
                .put_heartbeat(name, &Heartbeat { number, jobs })
                .await?;
        }
        let before = self.told.lock().remarks.clone();
        for name in before.difference(&names) {
            store.forget_worker(name).await?;
            self.told.lock().remarks.remove(name);
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
        let names = std::mem::take(&mut self.told.lock().remarks);
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
