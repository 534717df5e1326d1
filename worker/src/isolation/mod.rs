//! Jobs in processes of their own, so that one that panics, hangs, takes all
//! memory or brings its process down harms no other job.
//!
//! - [`ProcessPool`] is the worker's side: it keeps a process per running job, hands
//!   it blobs from the store, ends it at the deadline and starts another in its place;
//! - [`child`] is the other side: the same program, started with [`child::ARGUMENT`];
//! - `frame` is how the two talk over the process's standard input and output.

pub mod child;
mod frame;
mod memory;
mod process;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::store::Store;

use self::process::{ComputingProcess, Ended};
use crate::consumer::{Compute, ComputeError};

/// How often a job is offered to a new process because the one before died before it began.
const OFFERS: u32 = 3;

/// What a job may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobLimits {
    /// Time from its beginning to its end, without the time it waits for the store. Must be below
    /// the broker's consumer timeout (30 minutes unless configured), which would take the message away.
    pub deadline: Duration,
    /// Memory of its process, in bytes.
    pub memory: u64,
}

impl JobLimits {
    /// A deadline that leaves room below RabbitMQ's consumer timeout.
    pub const DEADLINE: Duration = Duration::from_secs(20 * 60);

    /// The memory that each of `jobs` jobs may use by default: an equal share of nine
    /// tenths of what this host, or the control group that the process is in, has.
    pub fn share_of_memory(jobs: u16) -> u64 {
        memory::available() / 10 * 9 / u64::from(jobs.max(1))
    }
}

/// Computes jobs in child processes, as many as there are jobs at a time.
pub struct ProcessPool {
    store: Arc<dyn Store>,
    limits: JobLimits,
    /// Processes without a job; they have tables and fits in memory.
    idle: Mutex<Vec<ComputingProcess>>,
}

impl ProcessPool {
    /// A pool whose processes get blobs from `store`.
    pub fn new(store: Arc<dyn Store>, limits: JobLimits) -> Self {
        Self {
            store,
            limits,
            idle: Mutex::default(),
        }
    }

    fn take_idle(&self) -> Option<ComputingProcess> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop()
    }

    fn keep(&self, process: ComputingProcess) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push(process);
    }

    /// What the end of a process says about the job.
    fn explain(&self, ended: Ended) -> ComputeError {
        let (error, backtrace) = match ended {
            Ended::Store(error) if error.is_transient() => {
                return ComputeError::Outage(error.to_string());
            }
            Ended::Store(error) if error.concerns_server() => return ComputeError::Refused(error),
            Ended::Store(error) => (error.to_string(), String::new()),
            Ended::Deadline => {
                let seconds = self.limits.deadline.as_secs_f64();
                let error =
                    format!("it did not end within its deadline of {seconds} s (--deadline)");
                (error, String::new())
            }
            Ended::Garbled(problem) => (
                format!("the process that computed it said nonsense: {problem}"),
                String::new(),
            ),
            Ended::Died { how, last_words } => {
                let memory = self.limits.memory >> 20;
                let hint = if how.contains("SIGKILL") {
                    ", as the system does when memory runs out"
                } else {
                    ""
                };
                let error = format!(
                    "the process that computed it died: {how}{hint} (it may use {memory} MiB, --memory): {}",
                    last_words.lines().last().unwrap_or("without a word")
                );
                (error, last_words)
            }
        };
        ComputeError::Job { error, backtrace }
    }
}

#[async_trait]
impl Compute for ProcessPool {
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError> {
        for _ in 0..OFFERS {
            let mut process = match self.take_idle() {
                Some(process) => process,
                None => ComputingProcess::start(self.limits.memory).map_err(|problem| {
                    ComputeError::Outage(format!("cannot start a process: {problem}"))
                })?,
            };
            // Whoever drops this future ends the process with it.
            let outcome = process
                .compute(job, self.store.as_ref(), self.limits.deadline)
                .await;
            match outcome {
                Ok(computed) => {
                    // After a panic nobody knows what state the process is in.
                    let panicked =
                        matches!(&computed, Err(failure) if !failure.backtrace.is_empty());
                    if !panicked {
                        self.keep(process);
                    }
                    return computed.map_err(|failure| ComputeError::Job {
                        error: failure.error,
                        backtrace: failure.backtrace,
                    });
                }
                Err(ended) if process.has_begun() => return Err(self.explain(ended)),
                Err(ended) => {
                    // It died while it waited for a job: not this one's fault.
                    tracing::warn!("a process ended before it began with a job: {ended:?}");
                }
            }
        }
        Err(ComputeError::Outage(format!(
            "{OFFERS} processes in a row ended before they began with the job"
        )))
    }
}
