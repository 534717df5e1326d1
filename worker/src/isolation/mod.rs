//! Runs jobs in processes of their own, so that one that panics, hangs, takes all
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

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::store::Store;
use parking_lot::Mutex;
use rustix::process::Signal;

use self::process::{Answer, ComputingProcess, Failure};
use crate::compute::{Compute, ComputeError};

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
    /// What external methods are kept from.
    withheld: Vec<PathBuf>,
    /// Processes without a job; they have tables and fits in memory.
    idle: Mutex<Vec<ComputingProcess>>,
}

impl ProcessPool {
    /// A pool whose processes get blobs from `store`.
    pub fn new(store: Arc<dyn Store>, limits: JobLimits) -> Self {
        Self {
            store,
            limits,
            withheld: Vec::new(),
            idle: Mutex::default(),
        }
    }

    /// The pool, whose external methods cannot open these files and folders, where the kernel has Landlock: tables,
    /// files of stores, passwords. Those that do not exist yet are withheld once they do.
    #[must_use]
    pub fn withholding(mut self, paths: impl IntoIterator<Item = PathBuf>) -> Self {
        self.withheld = paths.into_iter().collect();
        self
    }

    /// What a process that is of no use any more says about the job.
    fn explain(&self, failure: Failure) -> ComputeError {
        let (status, last_words) = match failure {
            Failure::Store(error) => return error.into(),
            Failure::Deadline => {
                let seconds = self.limits.deadline.as_secs_f64();
                return ComputeError::job(format!(
                    "it did not end within its deadline of {seconds} s (--deadline)"
                ));
            }
            Failure::Garbled(problem) => {
                return ComputeError::job(format!(
                    "the process that computed it said nonsense: {problem}"
                ));
            }
            Failure::Died { status, last_words } => (status, last_words),
        };
        let killed = Some(Signal::KILL.as_raw());
        let how = match &status {
            Ok(status) if status.signal() == killed => {
                format!("{status}, as the system does when memory runs out")
            }
            Ok(status) => match status.code() {
                Some(code) => format!("exit status {code}"),
                None => status.to_string(),
            },
            Err(problem) => problem.to_string(),
        };
        let memory = self.limits.memory >> 20;
        let last_line = last_words.lines().last().unwrap_or("without a word");
        let error = format!(
            "the process that computed it died: {how} (it may use {memory} MiB, --memory): {last_line}"
        );
        ComputeError::Job {
            error,
            backtrace: last_words,
        }
    }
}

#[async_trait]
impl Compute for ProcessPool {
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError> {
        for _ in 0..OFFERS {
            let idle = self.idle.lock().pop();
            let mut process = match idle {
                Some(process) => process,
                None => ComputingProcess::start(self.limits.memory, &self.withheld)
                    .map_err(ComputeError::NoProcess)?,
            };
            // Whoever drops this future ends the process with it.
            let computing = process.compute(job, self.store.as_ref(), self.limits.deadline);
            match computing.await {
                Ok(Answer::Trace(trace)) => {
                    self.idle.lock().push(process);
                    return Ok(trace);
                }
                Ok(Answer::Failure(failure)) => {
                    if !failure.panicked {
                        self.idle.lock().push(process);
                    }
                    if failure.other_release {
                        return Err(ComputeError::OtherRelease(failure.error));
                    }
                    if failure.missing_table {
                        return Err(ComputeError::MissingTable(failure.error));
                    }
                    return Err(ComputeError::Job {
                        error: failure.error,
                        backtrace: failure.backtrace,
                    });
                }
                Err(failure) if process.has_begun() => return Err(self.explain(failure)),
                Err(failure) => {
                    // It died while it waited for a job: not this one's fault.
                    tracing::warn!("a process ended before it began with a job: {failure:?}");
                }
            }
        }
        Err(ComputeError::NoProcess(io::Error::other(format!(
            "{OFFERS} in a row ended before they began with the job"
        ))))
    }
}
