//! Why a run in this process failed.

use std::path::PathBuf;

use loto_engine::EngineError;
use loto_report::UnwritableFile;
use loto_transport::TransportError;

use crate::dispatch::DispatchError;
use crate::progress::Counts;

/// Why a run in this process failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EmbeddedError {
    /// The sweep did not come to its end, or not to the right one.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),

    /// A trace of a trial could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// The store fails.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// Another process works in the folder of the run, or with the same store.
    #[error("another `loto run` or `loto host` works in {}: wait for it, or choose another folder or file", .0.display())]
    FolderInUse(PathBuf),

    /// The folder of the run, or its lock, cannot be made.
    #[error(transparent)]
    UnwritableFile(#[from] UnwritableFile),

    /// The file of the store was deleted while the run wrote to it, or another file took its place.
    #[error(
        "{} was deleted or replaced while this run kept its traces in it: they are lost from then on. \
         Give the same command again; it goes on from what the file there has",
        .0.display()
    )]
    StoreLost(PathBuf),

    /// The time that a batch system gives is up before the sweep is done.
    #[error("the time is up: {0}; the same command goes on from there")]
    TimeIsUp(Counts),

    /// In all the time that a batch system gives not one job could have been finished.
    #[error(
        "the time is too short to finish one more job ({0}): give it more, with Slurm by --time"
    )]
    TooLittleTime(Counts),

    /// The store holds another or a damaged trace of jobs that were run.
    #[error("{count} traces could not be kept; the first: {first}")]
    RefusedTraces {
        /// The number of these jobs.
        count: usize,
        /// Why the first of their traces was refused.
        first: String,
    },
}
