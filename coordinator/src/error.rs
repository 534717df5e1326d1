//! The one error type of this crate.

use loto_proto::ProtoError;
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
}
