//! The one error type of this crate.

use loto_engine::EngineError;
use loto_process::observation::endpoint::EndpointError;
use loto_transport::TransportError;

/// What can go wrong in a worker.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A job could not be run.
    #[error(transparent)]
    Engine(#[from] EngineError),

    /// The operating system refused what a worker needs to start.
    #[error("cannot {what}: {problem}")]
    CannotStart {
        /// What it needs.
        what: &'static str,
        /// The system's reason.
        problem: std::io::Error,
    },

    /// Metrics and probes cannot be offered.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),

    /// The queue or the store failed.
    #[error(transparent)]
    Transport(#[from] TransportError),
}
