//! Why a command failed: the one error type of the binary.

use std::path::PathBuf;

use loto_engine::EngineError;
use loto_process::ProcessError;
use loto_proto::identity::SweepId;
use loto_report::UnwritableFile;
use loto_statistics::StatisticsError;
use loto_transport::TransportError;

use crate::CoordinatorError;
use crate::dispatch::DispatchError;
use crate::embedded::EmbeddedError;
use crate::plan::PlanError;
use crate::progress::Counts;
use crate::score::{ForeignRuleError, ScoreError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    /// The store or the broker failed, or an option for them is wrong.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// The store's list of sweeps names one that is not there.
    #[error("the store's list of sweeps is not valid: it names sweep {0}, which is not there")]
    LostSweep(SweepId),

    /// The process could not be set up.
    #[error(transparent)]
    Process(#[from] ProcessError),

    /// A method is not known.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// The sweep file or its tables are wrong.
    #[error(transparent)]
    Plan(#[from] PlanError),

    /// Recorded traces cannot be scored.
    #[error(transparent)]
    Score(#[from] ScoreError),

    /// A sweep could not be handed out or waited for.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),

    /// A run in this process failed.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),

    /// Finished traces cannot be read, or the service failed.
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),

    /// There are no statistics.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),

    /// A report or standard output could not be written.
    #[error(transparent)]
    UnwritableFile(#[from] UnwritableFile),

    /// No sweep goes by what the user gave as a sweep id.
    #[error(
        "sweep `{wanted}`: no sweep of this id or name among the {known} in the store; \
         `loto status` lists them"
    )]
    UnknownSweep {
        /// What the user gave.
        wanted: String,
        /// The number of sweeps in the store.
        known: usize,
    },

    /// Several sweeps go by what the user gave as a sweep id.
    #[error(
        "sweep `{wanted}`: {} sweeps {have}, say which one by its id: {}",
        ids.len(),
        listed(ids)
    )]
    AmbiguousSweep {
        /// What the user gave.
        wanted: String,
        /// What the sweeps have in common.
        have: &'static str,
        /// The sweeps.
        ids: Vec<SweepId>,
    },

    /// The user stopped `loto run` before its end.
    #[error(
        "interrupted: {counts}; the same command goes on from there (traces are kept in {})",
        store.display()
    )]
    RunInterrupted {
        /// How far the sweep was.
        counts: Counts,
        /// The file of its traces.
        store: PathBuf,
    },
}

impl From<ForeignRuleError> for CommandError {
    fn from(error: ForeignRuleError) -> Self {
        Self::Score(error.into())
    }
}

fn listed(ids: &[SweepId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    ids.join(", ")
}
