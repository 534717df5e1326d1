//! The one error type of this crate.

use loto_proto::ProtoError;

/// What can go wrong while a job is run.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A table breaks a rule; `problem` names the line and column and says what to do.
    #[error("table {table}: {problem}")]
    InvalidTable {
        /// The table, as the caller named it.
        table: String,
        /// What is wrong and where.
        problem: String,
    },

    /// A method id that no method has.
    #[error("unknown method `{id}`: known are {known}")]
    UnknownMethod {
        /// The id asked for.
        id: String,
        /// The ids there are.
        known: String,
    },

    /// A parameter that the method does not have, or a value it does not take.
    #[error("method `{method}`: {problem}")]
    InvalidParameter {
        /// The method's id.
        method: String,
        /// What is wrong with which parameter, and what it takes.
        problem: String,
    },

    /// A job that cannot be run as it stands: its task is not in the table, say.
    #[error("job cannot be run: {0}")]
    ImpossibleJob(String),

    /// The linear algebra gave up.
    #[error("{routine} failed: {problem}")]
    LinearAlgebra {
        /// The BLAS or LAPACK routine.
        routine: &'static str,
        /// What it reported.
        problem: String,
    },

    /// The queue or the store failed.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}
