//! The one error type of this crate.

use loto_proto::identity::Fingerprint;
use loto_proto::message_error::MessageError;

use crate::blobs::BlobError;
use crate::table::error::TableError;

/// What can go wrong while a job is run.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A table breaks a rule.
    #[error(transparent)]
    Table(#[from] TableError),

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
    #[error(
        "method `{method}` searches only spaces whose hyperparameters are all categorical: \
         {hyperparameter} is numeric"
    )]
    UnsuitableSpace {
        /// The method's id.
        method: String,
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

    /// A fit in the store is damaged.
    #[error(
        "{name} in the store is corrupt: expected {count} finite numbers in {bytes} bytes; \
         delete it to have it made again"
    )]
    CorruptFit {
        /// Name of the fit in the store.
        name: String,
        /// How many numbers it should have.
        count: usize,
        /// How many bytes those take.
        bytes: usize,
    },

    /// A job asks for a table that is not in the store.
    #[error("table {0} is not in the store; submit the sweep again to upload it")]
    MissingTable(Fingerprint),

    /// The bytes in the store are not those of a table.
    #[error(transparent)]
    Message(#[from] MessageError),

    /// The store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
}
