//! The one error type of this crate.

use std::net::SocketAddr;

use loto_transport::TransportError;
use loto_transport::error::Reason;

/// What can go wrong around a program's work.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The operating system refused what the program needs to start.
    #[error("cannot {what}: {source}")]
    CannotStart {
        /// What it needs.
        what: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },

    /// The address for metrics and probes is taken or not this host's, or something else in this
    /// process collects metrics already.
    #[error("cannot offer metrics and probes on {address} (--metrics, LOTO_METRICS): {reason}")]
    Endpoint {
        /// The address.
        address: SocketAddr,
        /// What is in the way.
        #[source]
        reason: Reason,
    },

    /// The broker or the store failed, or the options that say how to reach it are wrong.
    #[error(transparent)]
    Transport(#[from] TransportError),
}
