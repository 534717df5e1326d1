//! The one error type of this crate, and the exit status each error ends with.

use std::fmt;
use std::path::PathBuf;

use loto_proto::ProtoError;
use loto_proto::identity::Fingerprint;
use loto_worker::WorkerError;

/// What can go wrong while a sweep is planned, run or reported.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The protocol failed: a sweep file, the queue or the store.
    #[error(transparent)]
    Proto(#[from] ProtoError),

    /// A table or a method was refused.
    #[error(transparent)]
    Worker(#[from] WorkerError),

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

    /// A file or folder could not be written.
    #[error("cannot write {path}: {problem}")]
    UnwritableFile {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        problem: std::io::Error,
    },

    /// Jobs were given up after too many failed attempts.
    #[error("{count} of {planned} jobs were given up:{errors}")]
    GaveUp {
        /// Jobs given up.
        count: u64,
        /// Jobs of the sweep.
        planned: u64,
        /// The first of their errors, one per line.
        errors: String,
    },

    /// A part of this process ended when it should not have.
    #[error("{0}")]
    Internal(String),

    /// The user asked to stop before the end.
    #[error("interrupted: {0}")]
    Interrupted(String),
}

/// How the process ends, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything asked for was done.
    Done = 0,
    /// A job or a run failed.
    Failed = 1,
    /// The input was wrong: an option, a file, an address, a damaged value.
    WrongInput = 2,
    /// Stopped by Ctrl-C or SIGTERM; the shell's 128 + SIGINT.
    Interrupted = 130,
}

impl CoordinatorError {
    /// The exit status of a command that ends with this error.
    pub fn exit_status(&self) -> ExitStatus {
        match self {
            Self::Proto(error) | Self::Worker(WorkerError::Proto(error)) => match error {
                ProtoError::Conflict { .. } => ExitStatus::Failed,
                _ => ExitStatus::WrongInput,
            },
            Self::Worker(WorkerError::ImpossibleJob(_) | WorkerError::LinearAlgebra { .. })
            | Self::GaveUp { .. }
            | Self::Internal(_) => ExitStatus::Failed,
            Self::Interrupted(_) => ExitStatus::Interrupted,
            _ => ExitStatus::WrongInput,
        }
    }
}

fn listed(places: &[PathBuf]) -> impl fmt::Display {
    let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
    places.join(", ")
}
