//! Finds jobs that nobody will do: not done, not poisoned, held by no worker and
//! waiting on no queue.
//!
//! Such a hole is left when a store loses its last second after the broker was told
//! that a job is done, or when a broker loses a message. No time of day is looked
//! at: a worker counts as alive while the number of its heartbeat grows.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use loto_proto::heartbeat::{HEARTBEAT_INTERVAL, Heartbeat};
use loto_proto::identity::JobId;
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::queue::Queue;
use loto_transport::store::Store;
use tokio::time::Instant;

use super::other_sweeps::OtherSweeps;
use crate::progress::Tracker;

/// How long a job has to look lost until it is taken for lost: a worker that took it has
/// told so by then.
pub const SETTLING: Duration = HEARTBEAT_INTERVAL.saturating_mul(3);

/// Least time between two looks at a networked store.
pub const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A report that stayed the same for so long is of a worker that will not come back.
const FORGOTTEN: Duration = Duration::from_secs(600);

/// What was seen so far.
pub struct LostJobs {
    settling: Duration,
    workers: BTreeMap<String, LastReport>,
    /// Jobs that looked lost at every look since then.
    suspects: Option<(Instant, HashSet<JobId>)>,
    others: OtherSweeps,
}

/// What is lost.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// So many jobs, at least.
    pub count: usize,
    /// Those that may be among them.
    pub suspects: HashSet<JobId>,
}

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
            workers: BTreeMap::new(),
            suspects: None,
            others: OtherSweeps::default(),
        }
    }

    /// Whether a job looks lost, so that further looks are of use.
    pub fn has_suspects(&self) -> bool {
        self.suspects.is_some()
    }

    /// Takes in how things stand: the `unfinished` jobs with the workers that began them, the number of
    /// messages `waiting` on the queue that may be theirs, what workers report. Returns what is
    /// lost, each job once.
    ///
    /// As long as enough messages wait, nothing is lost: they may be the jobs in question.
    pub fn look<'a>(
        &mut self,
        now: Instant,
        unfinished: impl Iterator<Item = (JobId, Option<&'a str>)>,
        waiting: u64,
        reports: &[(String, Heartbeat)],
    ) -> Lost {
        let (alive, held) = self.held(now, reports);
        // A heartbeat lags behind what a worker begins. When nothing waits any more, only what it
        // says counts: a worker may have got the name of another one that died.
        let runs = |worker: Option<&str>| {
            waiting > 0 && worker.is_some_and(|worker| alive.contains(worker))
        };
        let unheld: HashSet<JobId> = unfinished
            .filter(|(job, worker)| !held.contains(job) && !runs(*worker))
            .map(|(job, _)| job)
            .collect();
        let count = unheld.len().saturating_sub(waiting as usize);
        if count == 0 {
            self.suspects = None;
            return Lost::default();
        }
        let (since, suspects) = match self.suspects.take() {
            None => (now, unheld),
            Some((since, mut suspects)) => {
                suspects.retain(|job| unheld.contains(job));
                (since, suspects)
            }
        };
        if suspects.is_empty() {
            return Lost::default();
        }
        if now.duration_since(since) >= self.settling {
            return Lost { count, suspects };
        }
        self.suspects = Some((since, suspects));
        Lost::default()
    }

    /// The workers that live, and what they hold.
    fn held<'a>(
        &mut self,
        now: Instant,
        reports: &'a [(String, Heartbeat)],
    ) -> (HashSet<&'a str>, HashSet<JobId>) {
        let mut alive = HashSet::new();
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
                alive.insert(worker.as_str());
                held.extend(&report.jobs);
            }
        }
        self.workers
            .retain(|worker, _| reports.iter().any(|(reporting, _)| reporting == worker));
        (alive, held)
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
    let others = match waiting {
        0 => 0,
        _ => lost_jobs.others.waiting_jobs(tracker, store).await?,
    };
    let now = Instant::now();
    let ours = waiting.saturating_sub(others);
    let lost = lost_jobs.look(now, tracker.unfinished(), ours, &reports);
    for worker in lost_jobs.forgotten(now) {
        store.forget_worker(worker).await?;
    }
    if lost.suspects.is_empty() {
        return Ok(Vec::new());
    }
    // A queue gives out first what was published first: of the suspects, the first are missing.
    let missing = tracker.missing();
    let suspects = missing.filter(|job| lost.suspects.contains(&job.id()));
    Ok(suspects.take(lost.count).collect())
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
            let jobs = jobs.iter().map(|&job| (job, None));
            let found = lost.look(now, jobs, waiting, reports);
            found.suspects.into_iter().collect::<Vec<_>>()
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
            let jobs = [(job(1), None)].into_iter();
            if lost.look(now, jobs, 0, &reports) != Lost::default() {
                found.push(seconds);
            }
        }
        // Believed for 10 s, then a suspect for 10 s.
        assert_eq!(found, [21]);
        assert_eq!(lost.forgotten(begin + FORGOTTEN).count(), 1);
        assert_eq!(lost.forgotten(begin + SECOND).count(), 0);
    }

    #[test]
    fn fewer_messages_than_jobs_that_need_one_mean_that_jobs_are_lost() {
        let mut lost = LostJobs::new(10 * SECOND);
        let begin = Instant::now();
        let jobs: Vec<JobId> = (0..6).map(job).collect();
        let mut look = |seconds: u32, waiting| {
            // The last two run, of which the heartbeat knows one.
            let workers = [None, None, None, None, Some("a"), Some("a")];
            let jobs = jobs.iter().copied().zip(workers);
            let report = report("a", u64::from(seconds), &[job(4)]);
            lost.look(begin + seconds * SECOND, jobs, waiting, &[report])
        };
        for seconds in 0..20 {
            assert_eq!(look(seconds, 4), Lost::default());
        }
        for seconds in 20..30 {
            assert_eq!(look(seconds, 3), Lost::default());
        }
        let found = look(30, 3);
        assert_eq!((found.count, found.suspects.len()), (1, 4));
        assert_eq!(look(31, 4), Lost::default());
    }
}
