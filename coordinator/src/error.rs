//! What can go wrong while finished traces are read, analysed and served.

use std::path::PathBuf;

use loto_engine::EngineError;
use loto_proto::identity::{Fingerprint, JobId, SweepId};
use loto_proto::message_error::MessageError;
use loto_statistics::StatisticsError;
use loto_transport::TransportError;

use crate::trace_check::TraceProblem;

/// Why finished traces cannot be read, analysed or served.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The store failed.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// A table in the store is damaged.
    #[error(transparent)]
    Message(#[from] MessageError),

    /// A file with the tokens of clients could not be read.
    #[error("cannot read {path}: {source}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// A job or a table was refused.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// There are no statistics.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),

    /// A sweep is asked for that is not in the store.
    #[error("sweep `{0}`: it is not in the store; ListSweeps tells which are")]
    UnknownSweep(SweepId),

    /// An option or argument that makes no sense; names it and says what to do.
    #[error("{0}")]
    InvalidInput(String),

    /// A trace in the store does not fit its job and table, or cannot be read.
    #[error(
        "sweep {sweep}: the trace of job {job} ({method} on {task}, seed {seed}) is corrupt: \
         {problem}; delete it from the store and submit the sweep again"
    )]
    CorruptTrace {
        /// The sweep whose traces were read.
        sweep: SweepId,
        /// The job.
        job: JobId,
        /// Id of the job's method.
        method: String,
        /// Target task of the job.
        task: String,
        /// Seed of the job.
        seed: u32,
        /// What is wrong with it.
        #[source]
        problem: Box<TraceProblem>,
    },

    /// A sweep names a task that its table does not have.
    #[error("sweep {sweep} has the target task `{task}`, which table {table} does not have")]
    TaskNotInTable {
        /// The sweep.
        sweep: SweepId,
        /// The task.
        task: String,
        /// The table.
        table: Fingerprint,
    },

    /// A thread that computed for this process died: a bug, reported as such.
    #[error("{task} stopped: {problem}")]
    ThreadDied {
        /// What it computed.
        task: &'static str,
        /// How it ended.
        problem: String,
    },

    /// The gRPC service cannot listen, or had to stop.
    #[error("cannot serve on {address}: {problem}")]
    Serving {
        /// Where it was to listen.
        address: String,
        /// What happened.
        problem: String,
    },
}
