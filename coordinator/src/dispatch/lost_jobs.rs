//! Finds jobs that nobody will do: not done, not poisoned, held by no worker and
//! waiting on no queue.
//!
//! Such a hole is left when a store loses its last second after the broker was told
//! that a job is done, or when a broker loses a message. No time of day is looked
//! at: a worker counts as alive while the number of its heartbeat grows.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use loto_proto::heartbeat::{HEARTBEAT_INTERVAL, Heartbeat};
use loto_proto::identity::JobId;
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::queue::Queue;
use loto_transport::store::Store;

use crate::progress::Tracker;

/// How long a job has to look lost until it is taken for lost: a worker that took it has
/// told so by then.
pub const SETTLING: Duration = HEARTBEAT_INTERVAL.saturating_mul(3);

/// Least time between two looks at a networked store.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A report that stayed the same for so long is of a worker that will not come back.
const FORGOTTEN: Duration = Duration::from_secs(600);

/// What was seen so far.
#[derive(Debug)]
pub struct LostJobs {
    settling: Duration,
    workers: HashMap<String, LastReport>,
    /// Jobs that looked lost at every look since then.
    suspects: Option<(Instant, HashSet<JobId>)>,
}

#[derive(Debug)]
struct LastReport {
    number: u64,
    /// When it was first seen.
    seen: Instant,
}

impl LostJobs {
    /// Nothing seen yet; a job is lost that looks so for as long as `settling`.
    pub fn new(settling: Duration) -> Self {
        Self {
            settling,
            workers: HashMap::new(),
            suspects: None,
        }
    }

    /// Whether a job looks lost, so that further looks are of use.
    pub fn has_suspects(&self) -> bool {
        self.suspects.is_some()
    }

    /// Takes in how things stand: the `unfinished` jobs, the number of messages `waiting`
    /// on the queue, what workers report. Returns the jobs that are lost, each once.
    ///
    /// As long as messages wait, nothing is lost: they may be the jobs in question.
    pub fn look(
        &mut self,
        now: Instant,
        unfinished: impl Iterator<Item = JobId>,
        waiting: u64,
        reports: &[(String, Heartbeat)],
    ) -> HashSet<JobId> {
        let held = self.held(now, reports);
        if waiting > 0 {
            self.suspects = None;
            return HashSet::new();
        }
        let unheld = unfinished.filter(|job| !held.contains(job));
        let (since, suspects) = match self.suspects.take() {
            None => (now, unheld.collect()),
            Some((since, suspects)) => {
                let still = unheld.filter(|job| suspects.contains(job));
                (since, still.collect::<HashSet<_>>())
            }
        };
        if suspects.is_empty() {
            return suspects;
        }
        if now.duration_since(since) >= self.settling {
            return suspects;
        }
        self.suspects = Some((since, suspects));
        HashSet::new()
    }

    /// What living workers hold.
    fn held(&mut self, now: Instant, reports: &[(String, Heartbeat)]) -> HashSet<JobId> {
        let mut held = HashSet::new();
        for (worker, report) in reports {
            let last = self.workers.entry(worker.clone()).or_insert(LastReport {
                number: report.number,
                seen: now,
            });
            if last.number != report.number {
                *last = LastReport {
                    number: report.number,
                    seen: now,
                };
            }
            if now.duration_since(last.seen) <= self.settling {
                held.extend(&report.jobs);
            }
        }
        self.workers
            .retain(|worker, _| reports.iter().any(|(reporting, _)| reporting == worker));
        held
    }

    /// Workers that have told nothing new for long.
    fn forgotten(&self, now: Instant) -> impl Iterator<Item = &str> {
        let workers = self.workers.iter();
        workers
            .filter(move |(_, last)| now.duration_since(last.seen) >= FORGOTTEN)
            .map(|(worker, _)| worker.as_str())
    }
}

/// Looks at the store and the queue once; returns the jobs of the sweep that are lost.
///
/// # Errors
/// [`TransportError`] if either is unavailable.
pub async fn look_for_lost_jobs(
    lost_jobs: &mut LostJobs,
    tracker: &Tracker,
    store: &dyn Store,
    queue: &dyn Queue,
) -> Result<Vec<Job>, TransportError> {
    // The queue first: a job that a worker takes after this is in a later report.
    let waiting = queue.waiting().await?;
    let reports = store.heartbeats().await?;
    let now = Instant::now();
    let lost = lost_jobs.look(now, tracker.unfinished(), waiting, &reports);
    for worker in lost_jobs.forgotten(now) {
        store.forget_worker(worker).await?;
    }
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let missing = tracker.missing();
    Ok(missing.filter(|job| lost.contains(&job.id())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn job(number: u8) -> JobId {
        JobId([number; 16])
    }

    fn report(worker: &str, number: u64, jobs: &[JobId]) -> (String, Heartbeat) {
        let jobs = jobs.to_vec();
        (worker.to_owned(), Heartbeat { number, jobs })
    }

    #[test]
    fn a_job_is_lost_that_nobody_has_for_long_enough() {
        let mut lost = LostJobs::new(10 * SECOND);
        let begin = Instant::now();
        let mut look = |seconds: u32, jobs: &[JobId], waiting, reports: &[_]| {
            let now = begin + seconds * SECOND;
            let found = lost.look(now, jobs.iter().copied(), waiting, reports);
            found.into_iter().collect::<Vec<_>>()
        };
        let [one, two] = [job(1), job(2)];
        let none: [JobId; 0] = [];
        assert_eq!(look(0, &[one, two], 0, &[report("a", 1, &[two])]), none);
        assert_eq!(look(5, &[one, two], 0, &[report("a", 2, &[two])]), none);
        // Told once, it is not told again at once.
        assert_eq!(look(10, &[one, two], 0, &[report("a", 3, &[two])]), [one]);
        assert_eq!(look(11, &[one, two], 0, &[report("a", 4, &[two])]), none);
        // While messages wait, they may be the jobs.
        assert_eq!(look(20, &[one, two], 1, &[report("a", 5, &[two])]), none);
        assert_eq!(look(21, &[one, two], 0, &[report("a", 6, &[two])]), none);
        // It turned up after all.
        assert_eq!(look(25, &[one], 0, &[report("a", 7, &[one])]), none);
        assert_eq!(look(31, &[one], 0, &[report("a", 8, &[one])]), none);
    }

    #[test]
    fn what_a_vanished_worker_held_is_lost_in_time() {
        let mut lost = LostJobs::new(10 * SECOND);
        let begin = Instant::now();
        let reports = [report("a", 7, &[job(1)])];
        let mut found = Vec::new();
        for seconds in 0..=30 {
            let now = begin + seconds * SECOND;
            if !lost.look(now, [job(1)].into_iter(), 0, &reports).is_empty() {
                found.push(seconds);
            }
        }
        // Believed for 10 s, then a suspect for 10 s.
        assert_eq!(found, [21]);
        assert_eq!(lost.forgotten(begin + FORGOTTEN).count(), 1);
        assert_eq!(lost.forgotten(begin + SECOND).count(), 0);
    }
}
