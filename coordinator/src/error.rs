//! The one error type of this crate.

use std::fmt;
use std::path::PathBuf;

use loto_engine::EngineError;
use loto_process::ProcessError;
use loto_proto::identity::{Fingerprint, JobId, SweepId};
use loto_proto::message_error::MessageError;
use loto_proto::sweep_file::SweepFileError;
use loto_report::UnwritableFile;
use loto_statistics::StatisticsError;
use loto_transport::TransportError;

/// What can go wrong while a sweep is planned, run or reported.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The queue or the store failed.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// A sweep file was refused.
    #[error(transparent)]
    SweepFile(#[from] SweepFileError),

    /// A sweep file and the tables or methods that it names do not fit; `problem` says what to do.
    #[error("sweep file {path}: {problem}")]
    UnsuitableSweep {
        /// The sweep file.
        path: PathBuf,
        /// What is wrong and where.
        problem: String,
    },

    /// A table in the store is damaged.
    #[error(transparent)]
    Message(#[from] MessageError),

    /// The store's list of sweeps names one that is not there.
    #[error("the store's list of sweeps is not valid: it names sweep {0}, which is not there")]
    LostSweep(SweepId),

    /// The process could not be set up.
    #[error(transparent)]
    Process(#[from] ProcessError),

    /// A file could not be read.
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

    /// A file or folder could not be written.
    #[error(transparent)]
    UnwritableFile(#[from] UnwritableFile),

    /// A table named in a sweep file is in none of the folders where tables are looked for.
    #[error(
        "black box `{blackbox}`: table {table} is not there; looked at {}; \
         say with --data DIR or LOTO_DATA where the tables are",
        listed(places)
    )]
    TableNotFound {
        /// The black box that needs it.
        blackbox: String,
        /// The table, as the sweep file names it.
        table: String,
        /// Every place looked at.
        places: Vec<PathBuf>,
    },

    /// The store holds a sweep of the same name over another table: running on
    /// would mix traces of two tables in one report.
    #[error(
        "the table of black box `{blackbox}`, {table}, has changed since sweep `{sweep}` was \
         recorded: its fingerprint was {recorded} and is {found} now (the file, its objective or \
         its categorical columns); restore the table or give the sweep another name"
    )]
    TableChanged {
        /// The sweep's name.
        sweep: String,
        /// The black box.
        blackbox: String,
        /// The table file.
        table: PathBuf,
        /// Fingerprint of the table when the sweep was recorded.
        recorded: Fingerprint,
        /// Fingerprint of the table as it is now.
        found: Fingerprint,
    },

    /// No sweep, or more than one, goes by what the user gave as a sweep id.
    #[error("sweep `{wanted}`: {problem}")]
    UnknownSweep {
        /// What the user gave.
        wanted: String,
        /// Whether none or several fit, and what there is.
        problem: String,
    },

    /// An option or argument that makes no sense; names it and says what to do.
    #[error("{0}")]
    InvalidInput(String),

    /// A file of recorded traces breaks a rule; `problem` names the line and the value.
    #[error("traces {}: {problem}", path.display())]
    InvalidTraces {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        problem: String,
    },

    /// Jobs were given up after too many failed attempts.
    #[error("{count} of {planned} jobs were given up; `loto status` lists them all:{errors}")]
    GaveUp {
        /// Jobs given up.
        count: u64,
        /// Jobs of the sweep.
        planned: u64,
        /// The first of their errors, one per line.
        errors: String,
    },

    /// Jobs had another outcome than the one that is stored for them: a method that is not
    /// deterministic, or workers of different releases.
    #[error(
        "{count} jobs had another outcome than the one that is stored; the stored ones stand. \
         `loto retry` forgets this:{problems}"
    )]
    Conflicts {
        /// Number of these jobs.
        count: u64,
        /// What is known of the first of them, one per line.
        problems: String,
    },

    /// The sweep was stopped by `loto cancel`.
    #[error("sweep {0} is cancelled; `loto resume` takes it up again")]
    Cancelled(SweepId),

    /// A run did not come to its end, or not to the right one; says why.
    #[error("{0}")]
    RunFailed(String),

    /// The user asked to stop before the end.
    #[error("interrupted: {0}")]
    Interrupted(String),

    /// A trace in the store does not fit its job and table, or cannot be read.
    #[error(
        "sweep {sweep}: the trace of job {job} ({method} on {task}, seed {seed}) is corrupt: \
         {problem}; delete it from the store and submit the sweep again"
    )]
    CorruptTrace {
        /// The sweep that was being collected.
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
        problem: String,
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

fn listed(places: &[PathBuf]) -> impl fmt::Display {
    let places: Vec<_> = places
        .iter()
        .map(|place| place.display().to_string())
        .collect();
    places.join(", ")
}
