//! Why a sweep file cannot be planned.

use std::path::PathBuf;

use loto_engine::EngineError;
use loto_proto::message_error::MessageProblem;
use loto_proto::sweep_file::SweepFileError;

/// Why there is no plan for a sweep file.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The sweep file cannot be read, or breaks a rule of its own.
    #[error(transparent)]
    SweepFile(#[from] SweepFileError),

    /// A table cannot be read.
    #[error("cannot read {path}: {source}")]
    UnreadableTable {
        /// The file of the table.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// A table breaks a rule.
    #[error(transparent)]
    Table(#[from] EngineError),

    /// A table is in none of the folders where tables are looked for.
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

    /// The sweep file asks for what its tables or the methods do not have.
    #[error("sweep file {path}: {problem}")]
    InvalidSweep {
        /// The sweep file.
        path: PathBuf,
        /// What does not fit.
        #[source]
        problem: SweepProblem,
    },
}

/// What in a sweep file does not fit its tables or the methods.
#[derive(Debug, thiserror::Error)]
pub enum SweepProblem {
    /// A black box cannot be run.
    #[error("black box `{blackbox}`: {problem}")]
    Blackbox {
        /// The black box.
        blackbox: String,
        /// Why not.
        #[source]
        problem: Box<BlackboxProblem>,
    },

    /// Two black boxes would share a trace, and their jobs be counted twice.
    #[error(
        "black boxes `{first}` and `{second}` are the same table with the same target \
         `{target}`: leave one of them out"
    )]
    SharedSeries {
        /// A black box.
        first: String,
        /// A later one.
        second: String,
        /// A target task of both.
        target: String,
    },

    /// The sweep is larger than a sweep may be.
    #[error(transparent)]
    TooLarge(#[from] MessageProblem),
}

/// Why a black box cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BlackboxProblem {
    /// No task is left to learn from.
    #[error(
        "table {table} has only one task; leaving one task out needs at least one other as a source"
    )]
    OneTask {
        /// The table.
        table: String,
    },

    /// A task is named that the table does not have.
    #[error("{key}: task `{task}` is not in the table; {suggestion}")]
    UnknownTask {
        /// The key of the sweep file that names it.
        key: &'static str,
        /// The task.
        task: String,
        /// What may have been meant, and what there is.
        suggestion: String,
    },

    /// Every task of the table is a source.
    #[error("sources_only leaves no target: take at least one task out of it")]
    NoTarget,

    /// A trace would need more rows than its target has.
    #[error(
        "iterations is {iterations}, but target `{target}` has only {rows} rows and each is \
         evaluated at most once: set iterations of the black box to at most {rows} or \
         put the task into sources_only"
    )]
    TooFewRows {
        /// Number of evaluations in a trace.
        iterations: u32,
        /// The target task.
        target: String,
        /// The number of its rows.
        rows: usize,
    },

    /// A method or one of its parameters is not known.
    #[error(transparent)]
    Method(EngineError),

    /// A method does not search the table's kind of hyperparameters.
    #[error(
        "{problem}; give this black box its own `methods`, without `{method}`, or list the \
         hyperparameter under `categorical` if it is one"
    )]
    UnsuitableMethod {
        /// Id of the method.
        method: String,
        /// The hyperparameter that is in the way.
        #[source]
        problem: EngineError,
    },
}

fn listed(places: &[PathBuf]) -> String {
    let places = places.iter().map(|place| place.display().to_string());
    places.collect::<Vec<_>>().join(", ")
}
