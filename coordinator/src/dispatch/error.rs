//! Why a sweep was not handed out, or did not come to its end.

use std::fmt::Display;
use std::path::PathBuf;

use loto_proto::identity::{Fingerprint, SweepId};
use loto_proto::untrusted_text::escape;
use loto_transport::TransportError;
use loto_transport::store::Conflict;

use crate::CoordinatorError;
use crate::error::RECOMPUTE;
use crate::progress::{Counts, PoisonedJob};
use crate::trace_check::DamagedTrace;

/// Jobs that an error lists; `loto status` lists more.
const LISTED_JOBS: usize = 10;

/// Why a sweep was not handed out, or did not come to its end, or not to the right one.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The broker or the store fails, or what is in the store is damaged.
    #[error(transparent)]
    Transport(#[from] TransportError),

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

    /// The sweep was stopped by `loto cancel`.
    #[error("sweep {0} is cancelled; resume it with `loto resume`")]
    Cancelled(SweepId),

    /// The store has lost the sweep, and nobody records it again.
    #[error(
        "sweep {0} is gone from the store: was it emptied? Submit the sweep again, with --wait to have it \
         recorded again whenever that happens; traces that are stored by then are kept"
    )]
    LostSweep(SweepId),

    /// The user asked to stop before the end.
    #[error("interrupted: {0}")]
    Interrupted(Interruption),

    /// The run ended while jobs were left.
    #[error("the run ended too early: {0}")]
    Unfinished(Counts),

    /// Jobs failed so often that no worker tries them again.
    #[error(
        "{} of {planned} jobs are poisoned: every attempt failed; `loto status SWEEP --store STORE --backtraces` tells more of each:{}",
        jobs.len(),
        listed(jobs)
    )]
    Poisoned {
        /// Number of jobs of the sweep.
        planned: u64,
        /// The jobs with their errors.
        jobs: Vec<PoisonedJob>,
    },

    /// Finished traces could not be read, or do not fit their tables.
    #[error(
        "damaged traces in the store: {}; their jobs are not done, and {RECOMPUTE}:{}",
        .0.len(),
        listed(.0)
    )]
    DamagedTraces(Vec<DamagedTrace>),

    /// Finished traces could not be read at all, or a table is damaged.
    #[error(transparent)]
    Reading(#[from] CoordinatorError),

    /// Jobs had another outcome than the one that is stored for them: a method that is not
    /// deterministic, or workers of different releases.
    #[error(
        "{} jobs had another outcome than the one that is stored; the stored ones stand. \
         `loto retry` forgets this:{}",
        .0.len(),
        listed(.0.iter().map(|conflict| escape(&conflict.problem)))
    )]
    Conflicts(Vec<Conflict>),
}

/// What was interrupted, and how far it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Interruption {
    /// Running a sweep in this process.
    #[error("{0}")]
    Running(Counts),

    /// Waiting for a sweep that others run.
    #[error(
        "{counts}; the sweep itself goes on: `loto watch {id}` shows it again, `loto cancel {id}` stops it"
    )]
    Watching {
        /// The sweep.
        id: SweepId,
        /// How far it was.
        counts: Counts,
    },

    /// What comes before the missing jobs of a sweep are published.
    #[error("not all jobs are published; the same command goes on from there")]
    Preparing,

    /// Publishing the jobs of a sweep.
    #[error(
        "published the jobs of {published} of {seeds} seeds; the same command goes on from there"
    )]
    Publishing {
        /// Number of seeds whose jobs are on the queue.
        published: u32,
        /// Number of seeds of the sweep.
        seeds: u32,
    },

    /// Looking for jobs that got lost.
    #[error("while looking for lost jobs")]
    LookingForLostJobs,
}

/// The first few of `items`, one per line, with the number of the others.
fn listed<Item: Display>(items: impl IntoIterator<Item = Item>) -> String {
    let mut items = items.into_iter();
    let lines = items.by_ref().take(LISTED_JOBS);
    let mut text: String = lines.map(|item| format!("\n  {item}")).collect();
    match items.count() {
        0 => {}
        more => text.push_str(&format!("\n  and {more} more")),
    }
    text
}
