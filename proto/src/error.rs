//! The one error type of this crate.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::identity::{Fingerprint, JobId};

/// What can go wrong between two processes of a sweep.
#[derive(Debug, thiserror::Error)]
pub enum ProtoError {
    /// Metrics and probes cannot be offered at an address; `problem` is the reason.
    #[error("cannot offer metrics and probes on {address} (--metrics, LOTO_METRICS): {problem}")]
    Endpoint {
        /// The address.
        address: SocketAddr,
        /// The reason.
        problem: String,
    },

    /// A file could not be read; `problem` is the operating system's reason.
    #[error("cannot read {path}: {problem}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The reason.
        problem: std::io::Error,
    },

    /// A sweep file breaks a rule; `problem` names the line or key and says what to do.
    #[error("sweep file {path}: {problem}")]
    InvalidSweepFile {
        /// The sweep file.
        path: PathBuf,
        /// What is wrong and where.
        problem: String,
    },

    /// A text is not an identifier of the expected kind.
    #[error("`{text}` is not a {kind}: expected 32 hexadecimal digits")]
    InvalidIdentifier {
        /// The kind of identifier, for example "job id".
        kind: &'static str,
        /// The offending text.
        text: String,
    },

    /// Bytes from the queue or the store are not a message of the expected kind.
    #[error("{what} is not valid: {problem}")]
    Malformed {
        /// Which message, and where it came from.
        what: String,
        /// What is wrong with it.
        problem: String,
    },

    /// A queue URL or store URL is of no known kind.
    #[error("`{url}` is not a {what} URL: expected {expected}")]
    UnknownUrl {
        /// The offending URL, without its password.
        url: String,
        /// "broker" or "store".
        what: &'static str,
        /// The forms that would have been accepted.
        expected: &'static str,
    },

    /// The broker is not there, refused us, or went away. Retrying may help.
    #[error("broker {broker}: {problem}")]
    Broker {
        /// The broker's address, without its password.
        broker: String,
        /// What happened.
        problem: String,
    },

    /// The store is not there, refused us, or went away. Retrying may help.
    #[error("store {store}: {problem}")]
    Store {
        /// The store's address, without its password.
        store: String,
        /// What happened.
        problem: String,
    },

    /// The broker or the store refuses us, or we do not trust it: a certificate, a password, an
    /// account or what it may do. Retrying cannot help; `problem` says what can.
    #[error("{server} {address}: {problem}")]
    Refused {
        /// "broker" or "store".
        server: &'static str,
        /// Its address, without its password.
        address: String,
        /// Who refuses what, and what to do.
        problem: String,
    },

    /// A file with a password, a certificate or a key is not what it should be.
    #[error("{path}: {problem}", path = path.display())]
    InvalidFile {
        /// The file.
        path: PathBuf,
        /// What is wrong; never the secret.
        problem: String,
    },

    /// Options that do not go together.
    #[error("{0}")]
    InvalidOptions(String),

    /// A value in the store is damaged; retrying cannot help.
    #[error("store {store}: the value under {key} is corrupt: {problem}")]
    CorruptValue {
        /// The store's address, without its password.
        store: String,
        /// Where the value is.
        key: String,
        /// What is wrong with it.
        problem: String,
    },

    /// Two runs of one job gave different rows or values. This is a bug in a method
    /// (it is not deterministic) or a wrong linear algebra set-up on one host.
    #[error(
        "job {job} was stored before with another outcome: iteration {iteration} differs ({linear_algebra})"
    )]
    Conflict {
        /// The job that ran twice.
        job: JobId,
        /// First iteration that differs, counted from 1.
        iteration: usize,
        /// Linear algebra of the stored and of the new trace.
        linear_algebra: String,
    },

    /// A sweep asks for a table that is not in the store.
    #[error("table {0} is not in the store; submit the sweep again to upload it")]
    MissingTable(Fingerprint),
}

impl ProtoError {
    /// True if the same call may succeed later: the broker or the store was out of reach.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Broker { .. } | Self::Store { .. })
    }

    /// True if it is about the broker or the store as a whole, out of reach or refusing us, and
    /// not about what was asked of it: the next call would fare no better.
    pub fn concerns_server(&self) -> bool {
        self.is_transient() || matches!(self, Self::Refused { .. })
    }
}
