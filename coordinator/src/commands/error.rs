//! Why a command failed: the one error type of the binary.

use std::path::PathBuf;

use loto_engine::EngineError;
use loto_process::ProcessError;
use loto_proto::excerpt::list;
use loto_proto::identity::SweepId;
use loto_report::UnwritableFile;
use loto_statistics::StatisticsError;
use loto_transport::TransportError;

use crate::CoordinatorError;
use crate::dispatch::{DeleteError, DispatchError};
use crate::embedded::EmbeddedError;
use crate::error::RECOMPUTE;
use crate::import::error::ImportError;
use crate::merge::MergeError;
use crate::plan::PlanError;
use crate::progress::Counts;
use crate::reporting::ReportingError;
use crate::score::hpob::HpobError;
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

    /// Recorded results of HPO-B cannot be scored.
    #[error(transparent)]
    Hpob(#[from] HpobError),

    /// Data of others cannot be imported.
    #[error(transparent)]
    Import(#[from] ImportError),

    /// Stores cannot be merged.
    #[error(transparent)]
    Merge(#[from] MergeError),

    /// `loto score` was given neither traces with a sweep file nor a form that needs none.
    #[error(
        "say what to score: `loto score TRACES --sweep SWEEP`, or `loto score hpob FILES` for recorded \
         results of HPO-B"
    )]
    NothingToScore,

    /// A sweep could not be deleted.
    #[error(transparent)]
    Delete(#[from] DeleteError),

    /// The user did not say that a sweep is to be deleted.
    #[error("nothing was deleted; to delete {0}, give the command again with --yes")]
    NotConfirmed(String),

    /// A sweep could not be handed out or waited for.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),

    /// A run in this process failed.
    #[error(transparent)]
    Embedded(#[from] EmbeddedError),

    /// Finished traces cannot be read, or the service failed.
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),

    /// There is no report.
    #[error(transparent)]
    Reporting(#[from] ReportingError),

    /// There are no statistics.
    #[error(transparent)]
    Statistics(#[from] StatisticsError),

    /// A report or standard output could not be written.
    #[error(transparent)]
    UnwritableFile(#[from] UnwritableFile),

    /// Finished traces of the sweep are damaged; the command told which, and all that is sound.
    #[error("damaged traces in the store: {0}; their jobs are not done, and {RECOMPUTE}")]
    DamagedTraces(usize),

    /// Values in the store are damaged and were passed over; the log names them.
    #[error(
        "damaged values in the store that were passed over: {0}; this may not be all. The warnings name \
         them: delete them from the store"
    )]
    PassedOver(usize),

    /// Traces that were computed again are not what the store has.
    #[error("traces in the store that are not confirmed: {0}")]
    Doubtful(usize),

    /// The user stopped `loto verify` before its end.
    #[error("interrupted: computed {count} of {size} traces again")]
    VerifyInterrupted {
        /// How many were compared.
        count: usize,
        /// How many were to be compared.
        size: usize,
    },

    /// No sweep goes by what the user gave as a sweep id.
    #[error(
        "sweep `{wanted}`: no sweep of this id or name is in the store, which has {}. If the store \
         was emptied, submit the sweep again: it keeps the traces that are stored by then",
        sweeps(*known, listed)
    )]
    UnknownSweep {
        /// What the user gave.
        wanted: String,
        /// The number of sweeps in the store.
        known: usize,
        /// Their names, or some of them.
        listed: String,
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

    /// A report would replace that of something else.
    #[error(
        "{} holds the report of {found}: choose another --out, or replace it with --replace",
        folder.display()
    )]
    OtherReport {
        /// The folder.
        folder: PathBuf,
        /// What its report is of.
        found: String,
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

fn sweeps(known: usize, listed: &str) -> String {
    match known {
        0 => "none".to_owned(),
        _ => format!("{known} ({listed})"),
    }
}

fn listed(ids: &[SweepId]) -> String {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    list(ids.iter().map(String::as_str))
}
