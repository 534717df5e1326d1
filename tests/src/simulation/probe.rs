//! Jobs that end only when every slot of every worker runs one of them: they show that no slot leaked.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use loto_proto::identity::JobId;
use loto_proto::job::Job;
use tokio::sync::Notify;

/// A probing job is held up by nothing but other jobs, which end.
const LONGEST: Duration = Duration::from_secs(300);

/// What all probing jobs share.
#[derive(Debug, Default)]
pub(crate) struct Probe {
    jobs: Mutex<Jobs>,
    /// Woken by each that begins to run. A watch channel would wake its receivers in an order of its own chance.
    changed: Notify,
}

#[derive(Debug, Default)]
struct Jobs {
    /// The probing jobs.
    expected: BTreeSet<JobId>,
    /// How many of them must run at a time.
    slots: usize,
    running: BTreeSet<JobId>,
}

impl Probe {
    fn jobs(&self) -> MutexGuard<'_, Jobs> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on as many of these jobs as there are slots have to run at a time.
    pub(crate) fn expect(&self, slots: usize, expected: impl Iterator<Item = Job>) {
        let mut jobs = self.jobs();
        jobs.slots = slots;
        jobs.expected = expected.map(|job| job.id()).collect();
    }

    /// Waits until so many of them run, if the job is one of them.
    pub(crate) async fn arrive(&self, job: &Job) {
        let id = job.id();
        {
            let mut jobs = self.jobs();
            if !jobs.expected.contains(&id) {
                return;
            }
            jobs.running.insert(id);
        }
        self.changed.notify_waiters();
        // That they come together is seen by `fills_every_slot`.
        let _ = self.fills_every_slot().await;
    }

    /// Waits until all slots run one of the jobs; says how many do if that takes too long.
    pub(crate) async fn fills_every_slot(&self) -> Result<(), usize> {
        let all = async {
            loop {
                let changed = self.changed.notified();
                {
                    let jobs = self.jobs();
                    if jobs.running.len() >= jobs.slots {
                        return;
                    }
                }
                changed.await;
            }
        };
        let came = tokio::time::timeout(LONGEST, all).await;
        came.map_err(|_| self.jobs().running.len())
    }
}
