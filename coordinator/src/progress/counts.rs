//! Jobs counted by state.

use std::fmt;
use std::ops::AddAssign;
use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::job::Job;
use loto_proto::untrusted_text::escape;

/// Jobs by state; each job is in one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Not begun by any worker.
    pub queued: u64,
    /// Begun, and not known to have failed.
    pub running: u64,
    /// The trace is in the store.
    pub done: u64,
    /// Failed, and will be tried again.
    pub failed: u64,
    /// Failed so often that no worker tries it again.
    pub poisoned: u64,
}

impl Counts {
    /// Counts the jobs of one series.
    pub(super) fn of_series<'a>(
        planned: u64,
        done: u64,
        attempts: impl Iterator<Item = &'a Attempt>,
    ) -> Self {
        let mut counts = Self {
            done,
            ..Self::default()
        };
        for attempt in attempts {
            match attempt.state {
                AttemptState::Queued => {}
                AttemptState::Running => counts.running += 1,
                AttemptState::Failed => counts.failed += 1,
                AttemptState::Poisoned => counts.poisoned += 1,
            }
        }
        let begun = counts.done + counts.running + counts.failed + counts.poisoned;
        counts.queued = planned.saturating_sub(begun);
        counts
    }

    /// Jobs in whatever state.
    pub fn planned(&self) -> u64 {
        self.queued + self.running + self.done + self.failed + self.poisoned
    }

    /// Jobs that are neither done nor poisoned.
    pub fn unfinished(&self) -> u64 {
        self.queued + self.running + self.failed
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.queued += other.queued;
        self.running += other.running;
        self.done += other.done;
        self.failed += other.failed;
        self.poisoned += other.poisoned;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} of {} done", self.done, self.planned())?;
        let others = [
            (self.running, "running"),
            (self.queued, "queued"),
            (self.failed, "failed (to be tried again)"),
            (self.poisoned, "poisoned"),
        ];
        let mut others = others.into_iter().filter(|(count, _)| *count > 0);
        others.try_for_each(|(count, state)| write!(formatter, ", {count} {state}"))
    }
}

/// The jobs of one method on one black box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupProgress {
    /// Name of the black box.
    pub blackbox: String,
    /// Name of the method.
    pub method: String,
    /// Its jobs on all targets.
    pub counts: Counts,
    /// CPU time that one of them is expected to take.
    pub cpu_time: Duration,
    /// Whether that follows from traces of the method, and not only from those of others.
    pub is_timed: bool,
}

/// A poisoned job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoisonedJob {
    /// Name of the black box.
    pub blackbox: String,
    /// The job.
    pub job: Job,
    /// Its last attempt, with the error.
    pub attempt: Attempt,
}

impl fmt::Display for PoisonedJob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} {} on {}, seed {}: {} ({} attempts, last by {})",
            escape(&self.blackbox),
            escape(self.job.series.method.label()),
            escape(&self.job.series.task),
            self.job.seed,
            escape(&self.attempt.error),
            self.attempt.count,
            escape(&self.attempt.worker)
        )
    }
}

/// How far a sweep is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progress {
    /// All jobs.
    pub total: Counts,
    /// By black box and method, in the order of the sweep.
    pub groups: Vec<GroupProgress>,
    /// Number of workers that run jobs of the store, where that is looked at.
    pub workers: Option<usize>,
}
