//! Which jobs this worker holds, told to the store in its heartbeats, so that a
//! coordinator does not take them for lost.

use std::collections::HashMap;
use std::time::Duration;

use loto_process::observation::readiness::Need;
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::JobId;
use loto_transport::store::Store;
use parking_lot::Mutex;

/// The jobs whose messages this worker took and has not settled.
#[derive(Default)]
pub(super) struct HeldJobs {
    /// How many messages of each job.
    jobs: Mutex<HashMap<JobId, u32>>,
}

impl HeldJobs {
    pub(super) fn take(&self, job: JobId) {
        *self.jobs.lock().entry(job).or_default() += 1;
    }

    pub(super) fn settle(&self, job: JobId) {
        let mut jobs = self.jobs.lock();
        if let Some(messages) = jobs.get_mut(&job) {
            *messages -= 1;
            if *messages == 0 {
                jobs.remove(&job);
            }
        }
    }

    /// Tells the store what is held, again and again. A store that is unavailable is told the next
    /// time.
    pub(super) async fn send_heartbeats(
        &self,
        worker: &str,
        store: &dyn Store,
        interval: Duration,
        reached: &Need,
    ) {
        let mut number = 0;
        let mut was_reached = true;
        loop {
            number += 1;
            let jobs = self.jobs.lock().keys().copied().collect();
            let report = Heartbeat { number, jobs };
            let told = store.put_heartbeat(worker, &report).await;
            reached.set(told.is_ok());
            match told {
                Err(error) if was_reached => {
                    tracing::warn!("telling the store what is held: {error}; going on");
                    was_reached = false;
                }
                Err(_) => {}
                Ok(()) => was_reached = true,
            }
            tokio::time::sleep(interval).await;
        }
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
}
