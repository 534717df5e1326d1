//! The one error type of this crate.

use std::io;
use std::net::SocketAddr;

use loto_proto::ProtoError;
use metrics_exporter_prometheus::BuildError;

/// What can go wrong around a program's work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The operating system refused what the program needs to start.
    #[error("cannot {what}: {source}")]
    CannotStart {
        /// What it needs.
        what: &'static str,
        /// The system's reason.
        source: io::Error,
    },

    /// The address for metrics and probes is taken or not this host's.
    #[error("cannot offer metrics and probes on {address} (--metrics, LOTO_METRICS): {source}")]
    Endpoint {
        /// The address.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },

    /// Something else in this process collects metrics already.
    #[error("cannot collect metrics: {0}")]
    Metrics(#[from] BuildError),

    /// The queue or the store failed, or the options that say how to reach them are wrong.
    #[error(transparent)]
    Proto(#[from] ProtoError),
}
