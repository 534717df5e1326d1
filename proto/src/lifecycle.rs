//! The life of a job: what a worker does with a delivery, given what the store
//! knows of the job, and what it records.
//!
//! ```text
//!           begin            put_trace
//! queued ----------> running ----------> done
//!    ^                 |  |
//!    |  requeue        |  | fail
//!    +-----------------+  v
//!    |                  failed ----> begin again, after a delay
//!    |                    | fail, too often
//!    |  retry             v
//!    +---------------- poisoned
//! ```
//!
//! These functions are pure; the worker and the coordinator apply them by
//! compare-and-set, so that the record always went through one of these arrows.
//! Being done is not recorded but is the presence of the trace: it wins over all else.

use crate::attempt::{Attempt, AttemptState, AttemptVersion};

/// All that the store knows of one job.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct JobRecord {
    /// Its trace is stored.
    pub done: bool,
    /// Its series is stopped: nothing of it is begun any more.
    pub stopped: bool,
    /// The attempts at it, if any.
    pub attempt: Option<Attempt>,
    /// Which state of the attempts this is.
    pub version: AttemptVersion,
}

/// When a job is poisoned: no worker tries it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttemptLimits {
    /// After so many attempts that ended with an error.
    pub failures: u32,
    /// After so many attempts of which nothing was heard any more: the job takes its worker with it.
    pub vanished: u32,
}

/// What to do with a delivery.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Begin {
    /// Record this attempt and compute the trace.
    Run(Attempt),
    /// Record this attempt, the job's last, and acknowledge the message.
    Poison(Attempt),
    /// Acknowledge the message: the trace is stored.
    Done,
    /// Acknowledge the message: the job is poisoned or its series is stopped. Whoever
    /// retries or resumes it publishes it again.
    Drop,
}

/// What a worker does with a job that was delivered to it. The `token` names the process and the
/// delivery: see [`Attempt::token`].
///
/// An attempt of the same process counts as one with this: the process lives, so that it lost its message or
/// the answer of the store, and did not die.
pub fn begin(record: &JobRecord, worker: &str, token: &str, limits: AttemptLimits) -> Begin {
    if record.done {
        return Begin::Done;
    }
    let previous = record.attempt.clone().unwrap_or_default();
    if record.stopped || previous.state == AttemptState::Poisoned {
        return Begin::Drop;
    }
    let is_own = previous.runs_in_process_of(token);
    let ended = previous.count.saturating_sub(u32::from(is_own));
    let vanished = ended.saturating_sub(previous.failures);
    if vanished >= limits.vanished {
        return Begin::Poison(Attempt {
            state: AttemptState::Poisoned,
            error: format!("{vanished} workers died while they ran it"),
            ..previous
        });
    }
    Begin::Run(Attempt {
        count: ended.saturating_add(1),
        state: AttemptState::Running,
        worker: worker.to_owned(),
        token: token.to_owned(),
        ..previous
    })
}

/// What becomes of a running attempt that ended with an error.
pub fn fail(running: &Attempt, error: &str, backtrace: &str, limits: AttemptLimits) -> Attempt {
    let failures = running.failures.saturating_add(1);
    Attempt {
        failures,
        state: if failures >= limits.failures {
            AttemptState::Poisoned
        } else {
            AttemptState::Failed
        },
        error: error.to_owned(),
        backtrace: backtrace.to_owned(),
        ..running.clone()
    }
}

/// What becomes of the `last` attempt on record when the one that was `running` ended with an error and is not the last
/// one any more: another worker began the job meanwhile, since its message was delivered twice.
///
/// The failure counts, or two workers with a job that always fails would take it from each other and neither record
/// why. `None` if it does not: the job was released since, or a failure was counted since, which may be this one,
/// of which the answer of the store got lost.
pub fn fail_superseded(
    running: &Attempt,
    last: &Attempt,
    error: &str,
    backtrace: &str,
    limits: AttemptLimits,
) -> Option<Attempt> {
    let counts = last.failures == running.failures
        && last.count > last.failures
        && last.state != AttemptState::Poisoned;
    counts.then(|| {
        let failed = fail(last, error, backtrace, limits);
        match failed.state {
            AttemptState::Poisoned => failed,
            _ => Attempt {
                state: last.state,
                ..failed
            },
        }
    })
}

/// What becomes of a running attempt that its worker ends for reasons of its own.
pub fn requeue(running: &Attempt) -> Attempt {
    Attempt {
        count: running.count.saturating_sub(1),
        state: if running.failures > 0 {
            AttemptState::Failed
        } else {
            AttemptState::Queued
        },
        ..running.clone()
    }
}

/// What becomes of the `last` attempt on record when the one that was `running` is ended by its worker and is not the last one
/// any more: another worker began the job meanwhile, since its message was delivered twice.
///
/// The worker lives, so that the attempt does not count, or copies of a message would look like deaths. `None` if it is
/// not counted: it was recorded already that it ended, or the job was released or poisoned since.
pub fn requeue_superseded(running: &Attempt, last: &Attempt) -> Option<Attempt> {
    let under_way = u32::from(last.state == AttemptState::Running);
    let counts = last.token != running.token
        && last.state != AttemptState::Poisoned
        && last.count > last.failures.saturating_add(under_way);
    counts.then(|| Attempt {
        count: last.count - 1,
        ..last.clone()
    })
}

/// What becomes of a poisoned job that gets another chance; the error stays to be read.
pub fn retry(poisoned: &Attempt) -> Attempt {
    Attempt {
        count: 0,
        failures: 0,
        state: AttemptState::Queued,
        ..poisoned.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: AttemptLimits = AttemptLimits {
        failures: 3,
        vanished: 2,
    };

    fn record(attempt: Option<Attempt>) -> JobRecord {
        JobRecord {
            attempt,
            ..JobRecord::default()
        }
    }

    fn begun(attempt: Option<Attempt>) -> Attempt {
        begun_by("", attempt)
    }

    fn begun_by(token: &str, attempt: Option<Attempt>) -> Attempt {
        match begin(&record(attempt), "host:1", token, LIMITS) {
            Begin::Run(attempt) => attempt,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_third_failure_is_the_last() {
        let mut attempt = None;
        for failures in 1..=3 {
            let running = begun(attempt.take());
            assert_eq!(running.state, AttemptState::Running);
            let failed = fail(&running, "it broke", "here", LIMITS);
            assert_eq!((failed.count, failed.failures), (failures, failures));
            let last = failed.state == AttemptState::Poisoned;
            assert_eq!(last, failures == 3);
            attempt = Some(failed);
        }
        assert_eq!(begin(&record(attempt), "host:1", "", LIMITS), Begin::Drop);
    }

    #[test]
    fn workers_that_vanish_count_apart_from_failures() {
        let failed = fail(&begun(None), "it broke", "", LIMITS);
        let vanished = begun(Some(failed));
        let again = begun(Some(vanished));
        assert_eq!((again.count, again.failures), (3, 1));
        let last = begin(&record(Some(again)), "host:2", "", LIMITS);
        let Begin::Poison(last) = last else {
            panic!("{last:?}")
        };
        assert_eq!(last.state, AttemptState::Poisoned);
        assert!(last.error.contains("2 workers died"), "{}", last.error);
    }

    #[test]
    fn the_failure_of_a_superseded_attempt_counts_once() {
        let superseded = |running: &Attempt, last: &Attempt| {
            fail_superseded(running, last, "it hangs", "here", LIMITS)
        };
        let first = begun_by("7f/1", None);
        let second = begun_by("80/1", Some(first.clone()));
        let counted = superseded(&first, &second).unwrap();
        assert_eq!((counted.count, counted.failures), (2, 1));
        assert_eq!(
            (counted.state, counted.token.as_str()),
            (AttemptState::Running, "80/1")
        );
        assert_eq!(counted.error, "it hangs");
        // Told again, since the answer got lost, it counts no more; nor does one of another that ended as well.
        assert_eq!(superseded(&first, &counted), None);
        assert_eq!(superseded(&second, &fail(&first, "", "", LIMITS)), None);
        // Two workers that take the job from each other come to an end.
        let mut last = counted;
        for round in 2..4 {
            let third = Attempt {
                count: last.count + 1,
                ..last
            };
            let fourth = Attempt {
                count: third.count + 1,
                ..third.clone()
            };
            last = superseded(&third, &fourth).unwrap();
            assert_eq!(last.failures, round);
        }
        assert_eq!(last.state, AttemptState::Poisoned);
        // A job that was released since begins afresh.
        assert_eq!(superseded(&first, &retry(&last)), None);
        assert_eq!(superseded(&first, &last), None);
    }

    #[test]
    fn workers_that_take_a_job_from_each_other_and_give_it_back_have_not_died() {
        let first = begun_by("7f/1", None);
        let second = begun_by("80/1", Some(first.clone()));
        assert_eq!(second.count, 2);
        // In either order nothing is left of both.
        let last = requeue_superseded(&first, &second).unwrap();
        assert_eq!((last.count, last.state), (1, AttemptState::Running));
        assert_eq!(requeue(&last).count, 0);
        let last = requeue_superseded(&first, &requeue(&second)).unwrap();
        assert_eq!((last.count, last.state), (0, AttemptState::Queued));
        // The last one counts until it ends, and what did not count is not taken off.
        assert_eq!(requeue_superseded(&first, &begun_by("81/1", None)), None);
        assert_eq!(requeue_superseded(&first, &requeue(&first)), None);
        assert_eq!(requeue_superseded(&first, &retry(&second)), None);
        let failed = fail(&begun_by("81/1", None), "it broke", "", LIMITS);
        assert_eq!(requeue_superseded(&first, &failed), None);
    }

    #[test]
    fn requeueing_costs_no_attempt() {
        let running = begun(None);
        let waiting = requeue(&running);
        assert_eq!((waiting.count, waiting.state), (0, AttemptState::Queued));
        let failed = fail(&running, "it broke", "", LIMITS);
        let waiting = requeue(&begun(Some(failed)));
        assert_eq!((waiting.count, waiting.failures), (1, 1));
        assert_eq!(waiting.state, AttemptState::Failed);
    }

    #[test]
    fn a_retried_job_begins_afresh_and_keeps_its_error() {
        let mut attempt = begun(None);
        for _ in 0..3 {
            attempt = fail(&attempt, "it broke", "", LIMITS);
        }
        let again = begun(Some(retry(&attempt)));
        assert_eq!((again.count, again.failures), (1, 0));
        assert_eq!(again.error, "it broke");
    }

    #[test]
    fn nothing_is_begun_of_what_is_done_or_stopped() {
        let done = JobRecord {
            done: true,
            stopped: true,
            ..JobRecord::default()
        };
        assert_eq!(begin(&done, "host:1", "", LIMITS), Begin::Done);
        let stopped = JobRecord {
            stopped: true,
            ..JobRecord::default()
        };
        assert_eq!(begin(&stopped, "host:1", "", LIMITS), Begin::Drop);
    }

    #[test]
    fn attempts_of_a_process_that_lives_do_not_count_as_deaths() {
        let mut attempt = begun_by("7f/1", None);
        for delivery in 2..20 {
            attempt = begun_by(&format!("7f/{delivery}"), Some(attempt));
            assert_eq!(attempt.count, 1);
        }
        // Those of another process do, and so does one of which nobody knows the process.
        let second = begun_by("80/1", Some(attempt));
        assert_eq!(second.count, 2);
        let last = begin(&record(Some(second)), "host:1", "81/1", LIMITS);
        assert!(matches!(last, Begin::Poison(_)), "{last:?}");
        assert_eq!(begun_by("7f/1", Some(begun(None))).count, 2);
        // One that failed counts, whoever made it.
        let failed = fail(&begun_by("7f/1", None), "it broke", "", LIMITS);
        assert_eq!(begun_by("7f/2", Some(failed)).count, 2);
    }
}
