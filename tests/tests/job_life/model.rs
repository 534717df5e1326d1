//! One job, two workers, a broker, a store and a coordinator, and every step they can take.

use std::time::Duration;

use loto_coordinator::dispatch::LostJobs;
use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::JobId;
use loto_proto::lifecycle::{self, AttemptLimits, Begin, JobRecord};
use tokio::time::Instant;

use super::explorer::Explored;
use super::worker::Worker;

const JOB: JobId = JobId([1; 16]);

/// Small limits, so that every way is short.
const LIMITS: AttemptLimits = AttemptLimits {
    failures: 2,
    vanished: 3,
};

/// How many faults of each kind may still happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Faults {
    /// A worker dies and another one takes its place.
    pub(super) crashes: u8,
    /// A worker loses the broker, which gives its message to another.
    pub(super) disconnections: u8,
    /// A worker shuts down and requeues its job.
    pub(super) requeues: u8,
    /// The store forgets what it was not sure of.
    pub(super) store_losses: u8,
    /// The broker forgets a message.
    pub(super) message_losses: u8,
    /// The job is published once more, by another coordinator.
    pub(super) duplicates: u8,
    /// The sweep is cancelled, and resumed at some later moment.
    pub(super) cancellations: u8,
    /// A poisoned job is retried.
    pub(super) retries: u8,
}

/// What the store knows.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Stored {
    trace: bool,
    attempt: Option<Attempt>,
}

/// How everything stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct State {
    /// Messages that wait, or pause.
    waiting: u8,
    now: Stored,
    /// What the store would have after a crash.
    durable: Stored,
    stopped: bool,
    workers: [Worker; 2],
    /// The coordinator has told that the job is done.
    told_done: bool,
    /// The job was retried and is still to be published.
    retried: bool,
    faults: Faults,
    /// Errors, and events after which an attempt may count as vanished: deaths, and whatever
    /// makes a second message of the job, which may begin it while it runs.
    errors: u8,
    vanishing: u8,
    /// How often the trace was stored as new, without the times when it was lost after that.
    stored: u8,
}

/// A step that was taken.
pub(super) struct Step {
    pub(super) name: &'static str,
    pub(super) is_fault: bool,
}

/// A state in which nothing more happens.
pub(super) enum Rest {
    Done,
    Poisoned,
    Stopped,
}

impl Rest {
    pub(super) fn counter<'a>(&self, explored: &'a mut Explored) -> &'a mut usize {
        match self {
            Self::Done => &mut explored.done,
            Self::Poisoned => &mut explored.poisoned,
            Self::Stopped => &mut explored.stopped,
        }
    }
}

type Steps = Vec<(Step, State)>;

/// How many faults of a kind are left.
type Left = fn(&mut Faults) -> &mut u8;

impl State {
    /// The job was just published.
    pub(super) fn new(faults: Faults) -> Self {
        Self {
            waiting: 1,
            now: Stored::default(),
            durable: Stored::default(),
            stopped: false,
            workers: [Worker::Idle, Worker::Idle],
            told_done: false,
            retried: false,
            faults,
            errors: 0,
            vanishing: 0,
            stored: 0,
        }
    }

    /// What must hold in every state.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.stored > 1 {
            return Err("the trace was stored twice".into());
        }
        if self.told_done && !self.now.trace {
            return Err("the trace is gone although it was told to be done".into());
        }
        if self.now.trace && self.now.attempt.is_some() {
            return Err("the job is done and has an attempt".into());
        }
        // A message that comes twice may begin a job that runs: nobody can tell that from one
        // whose worker died. If the job is then poisoned, the trace that comes wins.
        let is_running = |worker: &&Worker| matches!(worker, Worker::Running { .. });
        let running = self.workers.iter().filter(is_running).count() as u32;
        let unheard_of = u32::from(self.errors) + u32::from(self.vanishing) + running;
        let enough = u32::from(self.errors) >= LIMITS.failures || unheard_of >= LIMITS.vanished;
        if self.is_poisoned() && !enough {
            return Err("the job was poisoned too early".into());
        }
        Ok(())
    }

    /// How it came to rest, in a state without further steps.
    pub(super) fn rest(&self) -> Result<Rest, String> {
        if self.waiting > 0 {
            return Err("a message is left".into());
        }
        if self.workers.iter().any(|worker| *worker != Worker::Idle) {
            return Err("a worker is stuck".into());
        }
        if self.stopped {
            return Ok(Rest::Stopped);
        }
        match (self.now.trace, self.told_done, self.is_poisoned()) {
            (true, true, _) => Ok(Rest::Done),
            (true, false, _) => Err("the coordinator does not see that the job is done".into()),
            (false, _, true) => Ok(Rest::Poisoned),
            (false, _, false) => Err("the job is lost".into()),
        }
    }

    fn is_poisoned(&self) -> bool {
        let attempt = self.now.attempt.as_ref();
        attempt.is_some_and(|attempt| attempt.state == AttemptState::Poisoned)
    }

    /// Every step that can be taken, with the state after it.
    pub(super) fn steps(&self) -> Steps {
        let mut steps = Vec::new();
        for number in 0..self.workers.len() {
            self.steps_of_worker(number, &mut steps);
        }
        self.steps_of_coordinator(&mut steps);
        self.faults_of_servers(&mut steps);
        steps
    }

    fn step(&self, steps: &mut Steps, name: &'static str, change: impl FnOnce(&mut Self)) {
        let mut next = self.clone();
        change(&mut next);
        let is_fault = false;
        steps.push((Step { name, is_fault }, next));
    }

    /// A step that takes one of the faults that are left.
    fn fault(
        &self,
        steps: &mut Steps,
        name: &'static str,
        left: Left,
        change: impl FnOnce(&mut Self),
    ) {
        let mut next = self.clone();
        let left = left(&mut next.faults);
        if *left == 0 {
            return;
        }
        *left -= 1;
        change(&mut next);
        let is_fault = true;
        steps.push((Step { name, is_fault }, next));
    }

    fn record(&self) -> JobRecord {
        JobRecord {
            done: self.now.trace,
            stopped: self.stopped,
            attempt: self.now.attempt.clone(),
            ..JobRecord::default()
        }
    }

    /// Compare-and-set, as `Store::put_attempt` does it.
    fn put_attempt(&mut self, expected: &Option<Attempt>, attempt: Attempt) -> bool {
        let replaces = !self.now.trace && self.now.attempt == *expected;
        if replaces {
            self.now.attempt = Some(attempt);
        }
        replaces
    }

    fn steps_of_worker(&self, number: usize, steps: &mut Steps) {
        let worker = self.workers[number].clone();
        if worker != Worker::Idle {
            self.faults_of_worker(number, &worker, steps);
        }
        match worker {
            Worker::Idle if self.waiting > 0 => self.step(steps, "take a message", |next| {
                next.waiting -= 1;
                next.workers[number] = Worker::Took { message: true };
            }),
            Worker::Idle => {}
            Worker::Took { message } => self.step(steps, "read the record", |next| {
                let begin = lifecycle::begin(&next.record(), "", "", LIMITS);
                let attempt = next.now.attempt.clone();
                next.workers[number] = Worker::Read {
                    message,
                    attempt,
                    begin,
                };
            }),
            Worker::Read {
                message,
                attempt: seen,
                begin,
            } => {
                self.step(steps, "record the beginning", |next| {
                    next.workers[number] = match begin {
                        Begin::Done | Begin::Drop => Worker::Acknowledging { message },
                        Begin::Run(attempt) if next.put_attempt(&seen, attempt.clone()) => {
                            Worker::Running { message, attempt }
                        }
                        Begin::Poison(attempt) if next.put_attempt(&seen, attempt.clone()) => {
                            Worker::Acknowledging { message }
                        }
                        Begin::Run(_) | Begin::Poison(_) => Worker::Took { message },
                    };
                });
            }
            Worker::Running { message, attempt } => {
                self.step(steps, "store the trace", |next| {
                    // As `Store::put_trace` does it: what is there stays.
                    next.stored += u8::from(!next.now.trace);
                    next.now = Stored {
                        trace: true,
                        attempt: None,
                    };
                    next.workers[number] = Worker::Acknowledging { message };
                });
                self.step(steps, "fail", |next| {
                    next.errors += 1;
                    next.workers[number] = Worker::Failed { message, attempt };
                });
            }
            Worker::Failed { message, attempt } => self.step(steps, "record the failure", |next| {
                let failed = lifecycle::fail(&attempt, "", "", LIMITS);
                let is_last = failed.state == AttemptState::Poisoned;
                let recorded = next.put_attempt(&Some(attempt), failed);
                next.workers[number] = match recorded && is_last {
                    true => Worker::Acknowledging { message },
                    false => Worker::Requeueing { message },
                };
            }),
            Worker::Acknowledging { .. } => self.step(steps, "acknowledge", |next| {
                next.workers[number] = Worker::Idle;
            }),
            Worker::Requeueing { message } => {
                self.step(steps, "publish anew and acknowledge", |next| {
                    next.waiting += u8::from(message);
                    next.workers[number] = Worker::Idle;
                });
                if message {
                    self.fault(
                        steps,
                        "publish anew, then die",
                        |faults| &mut faults.crashes,
                        |next| {
                            next.waiting += 2;
                            next.vanishing += 1;
                            next.workers[number] = Worker::Idle;
                        },
                    );
                }
            }
        }
    }

    fn faults_of_worker(&self, number: usize, worker: &Worker, steps: &mut Steps) {
        let message = worker.has_message();
        self.fault(
            steps,
            "a worker dies",
            |faults| &mut faults.crashes,
            |next| {
                next.waiting += u8::from(message);
                next.vanishing += 1;
                next.workers[number] = Worker::Idle;
            },
        );
        if message {
            let left: Left = |faults| &mut faults.disconnections;
            // Two attempts may then run at a time, of which one counts as vanished.
            self.fault(steps, "a worker loses the broker", left, |next| {
                next.waiting += 1;
                next.vanishing += 1;
                next.workers[number].lose_message();
            });
        }
        if let Worker::Running { attempt, .. } = worker {
            let left: Left = |faults| &mut faults.requeues;
            self.fault(steps, "a worker shuts down", left, |next| {
                // If another one has taken the job up, this attempt is not heard of again.
                next.vanishing += 1;
                next.put_attempt(&Some(attempt.clone()), lifecycle::requeue(attempt));
                next.workers[number] = Worker::Requeueing { message };
            });
        }
    }

    fn steps_of_coordinator(&self, steps: &mut Steps) {
        if self.now != self.durable {
            self.step(steps, "the store writes to its disk", |next| {
                next.durable = next.now.clone();
            });
        }
        if self.now.trace && self.durable.trace && !self.told_done && !self.stopped {
            self.step(steps, "tell that the job is done", |next| {
                next.told_done = true
            });
        }
        if self.retried {
            self.step(steps, "publish the job that is retried", |next| {
                next.retried = false;
                next.waiting += 1;
                next.vanishing += 1;
            });
        }
        if self.looks_lost() {
            self.step(steps, "publish a lost job", |next| next.waiting += 1);
        }
        if self.is_poisoned() && !self.retried {
            let left: Left = |faults| &mut faults.retries;
            self.fault(steps, "retry the job", left, |next| {
                let poisoned = next.now.attempt.clone();
                if let Some(attempt) = &poisoned {
                    next.put_attempt(&poisoned, lifecycle::retry(attempt));
                    next.retried = true;
                }
            });
        }
        if self.stopped {
            // Whoever resumes also publishes.
            let resume = |next: &mut Self| {
                next.stopped = false;
                next.waiting += 1;
                next.vanishing += 1;
            };
            let mut next = self.clone();
            resume(&mut next);
            let name = "resume the sweep";
            steps.push((
                Step {
                    name,
                    is_fault: true,
                },
                next,
            ));
        } else {
            let left: Left = |faults| &mut faults.cancellations;
            self.fault(steps, "cancel the sweep", left, |next| next.stopped = true);
        }
    }

    /// What the coordinator finds when it looks twice, the settling time apart.
    fn looks_lost(&self) -> bool {
        let unfinished = !self.now.trace && !self.is_poisoned() && !self.stopped;
        let settling = Duration::from_secs(15);
        let mut lost_jobs = LostJobs::new(settling);
        let begin = Instant::now();
        let holders = self
            .workers
            .iter()
            .filter(|worker| **worker != Worker::Idle);
        let holders = holders.count();
        let look = |lost_jobs: &mut LostJobs, now, number| {
            let report = |holder| {
                let jobs = vec![JOB];
                (format!("worker {holder}"), Heartbeat { number, jobs })
            };
            let reports: Vec<_> = (0..holders).map(report).collect();
            let unfinished = unfinished.then_some((JOB, None)).into_iter();
            lost_jobs.look(now, unfinished, self.waiting.into(), &reports)
        };
        let first = look(&mut lost_jobs, begin, 1);
        let second = look(&mut lost_jobs, begin + settling, 2);
        first.suspects.contains(&JOB) || second.suspects.contains(&JOB)
    }

    fn faults_of_servers(&self, steps: &mut Steps) {
        if self.now != self.durable {
            let left: Left = |faults| &mut faults.store_losses;
            self.fault(steps, "the store dies before it wrote", left, |next| {
                next.vanishing += 1;
                next.stored -= u8::from(next.now.trace && !next.durable.trace);
                next.now = next.durable.clone();
            });
        }
        if self.waiting > 0 {
            let left: Left = |faults| &mut faults.message_losses;
            self.fault(steps, "the broker loses a message", left, |next| {
                next.waiting -= 1;
            });
        }
        let left: Left = |faults| &mut faults.duplicates;
        self.fault(
            steps,
            "another coordinator publishes the job",
            left,
            |next| {
                next.vanishing += 1;
                next.waiting += 1;
            },
        );
    }
}
