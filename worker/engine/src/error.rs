//! The one error type of this crate.

use loto_proto::ProtoError;

use crate::methods::Spaces;
use crate::table::error::TableError;

/// What can go wrong while a job is run.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A table breaks a rule.
    #[error("table {table}: {source}")]
    Table {
        /// The table, as the caller named it.
        table: String,
        /// What is wrong and where.
        source: TableError,
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

    /// A method on a space that it is not made for.
    #[error("method `{method}` searches {spaces}: {hyperparameter} is numeric")]
    UnsuitableSpace {
        /// The method's id.
        method: String,
        /// The spaces it searches.
        spaces: Spaces,
        /// A hyperparameter that is in the way.
        hyperparameter: String,
    },

    /// A job for another version of a method than this program has.
    #[error(
        "method `{method}`: the job is for version {wanted}, this program has version {available}; \
         run workers and coordinator of the same release"
    )]
    OtherVersion {
        /// The method's id.
        method: String,
        /// The version the job is for.
        wanted: u32,
        /// The version there is.
        available: u32,
    },

    /// A job that cannot be run as it stands: its task is not in the table, say.
    #[error("job cannot be run: {0}")]
    ImpossibleJob(String),

    /// A matrix that has to be positive definite is not, in floating point.
    #[error("{routine} failed: the matrix is not positive definite (info {info})")]
    LinearAlgebra {
        /// The LAPACK routine.
        routine: &'static str,
        /// Its return code: the order of the leading minor that is not positive.
        info: i32,
    },

    /// A table or a fitted prior in the store is damaged.
    #[error("{name} in the store is corrupt: {problem}; delete it to have it made again")]
    CorruptBlob {
        /// The blob's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },

    /// A computing process lost the worker that it works for; it ends, too.
    #[error("the worker is gone: {problem}")]
    LostWorker {
        /// What happened to the pipe.
        problem: String,
    },

    /// The queue or the store failed.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}
