//! Why stores cannot be merged.

use std::fmt;

use loto_proto::identity::SweepId;
use loto_proto::job::Job;
use loto_proto::untrusted_text::escape;
use loto_transport::TransportError;

use crate::CoordinatorError;
use crate::error::RECOMPUTE;
use crate::trace_check::DamagedTrace;

/// Most conflicts that a message lists.
const LISTED: usize = 10;

/// Why stores cannot be merged. Nothing was written, unless a store failed on the way.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MergeError {
    /// A store has no sweeps.
    #[error("{0} has no sweeps: is it the file that was meant?")]
    Empty(String),

    /// A path is no text.
    #[error("{0}: only paths in UTF-8 can be merged; rename the file")]
    Path(String),

    /// A store lists a sweep that is not there.
    #[error(
        "{store} names sweep {sweep} and does not have it: run that sweep again with this store, or leave it out"
    )]
    LostSweep {
        /// The store.
        store: String,
        /// The sweep.
        sweep: SweepId,
    },

    /// A store has damaged traces.
    #[error("{store} has {count} damaged traces, and {RECOMPUTE}; the first: {first}")]
    DamagedTraces {
        /// The store.
        store: String,
        /// Their number.
        count: usize,
        /// The first one.
        #[source]
        first: Box<DamagedTrace>,
    },

    /// Other values of a store are damaged.
    #[error("{store} has {count} damaged values, which may hide others; the first: {first}")]
    DamagedValues {
        /// The store.
        store: String,
        /// Their number.
        count: usize,
        /// What is wrong with the first one.
        first: String,
    },

    /// Two stores have different traces of the same job.
    #[error("the same jobs have different traces, so nothing was merged: {}", listed(.0))]
    Conflicts(Vec<MergeConflict>),

    /// A store failed.
    #[error(transparent)]
    Transport(#[from] TransportError),

    /// What a store has cannot be read.
    #[error(transparent)]
    Reading(#[from] CoordinatorError),
}

/// A job of which two stores have different traces.
#[derive(Debug)]
pub(crate) struct MergeConflict {
    pub(crate) job: Box<Job>,
    /// The first iteration that differs, counted from 1.
    pub(crate) iteration: usize,
    /// Names of the two stores.
    pub(crate) stores: [String; 2],
    /// What computed the two traces.
    pub(crate) linear_algebra: [String; 2],
}

impl fmt::Display for MergeConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            job,
            iteration,
            stores,
            linear_algebra,
        } = self;
        let (method, task) = (escape(job.series.method.label()), escape(&job.series.task));
        write!(
            f,
            "job {} ({method} on {task}, seed {}) differs from iteration {iteration} on: {} ({}), {} ({})",
            job.id(),
            job.seed,
            stores[0],
            escape(&linear_algebra[0]),
            stores[1],
            escape(&linear_algebra[1]),
        )
    }
}

fn listed(conflicts: &[MergeConflict]) -> String {
    let mut lines: Vec<String> = conflicts
        .iter()
        .take(LISTED)
        .map(ToString::to_string)
        .collect();
    if conflicts.len() > LISTED {
        lines.push(format!("and {} more", conflicts.len() - LISTED));
    }
    lines.join("; ")
}
