//! What goes wrong between a process and the broker or the store.

use std::io;
use std::path::PathBuf;

use loto_proto::identity::{Fingerprint, JobId, ProgramId};
use loto_proto::limits::MAX_BLOB_BYTES;

use crate::server::Server;

/// A reason for people: the error of a server, a file or a message, or a sentence of ours.
pub type Reason = Box<dyn std::error::Error + Send + Sync>;

/// What can go wrong between a process and the broker or the store.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The URL of a server is of no known kind.
    #[error("`{url}` is not a {server} URL: expected {expected}")]
    UnknownUrl {
        /// What the URL should lead to.
        server: Server,
        /// The URL, without its password.
        url: String,
        /// The forms that would have been accepted.
        expected: &'static str,
    },

    /// A server is not there or went away. Retrying may help.
    #[error("{server} {address}: {reason}")]
    Unavailable {
        /// Which server.
        server: Server,
        /// Its address, without its password.
        address: String,
        /// What happened.
        #[source]
        reason: Reason,
    },

    /// A server refuses us, or we do not trust it: a certificate, a password, an account or
    /// what it may do. Retrying cannot help; the reason says what can.
    #[error("{server} {address}: {reason}")]
    Refused {
        /// Which server.
        server: Server,
        /// Its address, without its password.
        address: String,
        /// Who refuses what, and what to do.
        #[source]
        reason: Reason,
    },

    /// A file with a password, a certificate or a key could not be read.
    #[error("cannot read {path}: {source}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },

    /// A file with a password, a certificate or a key is not what it should be.
    #[error("{path}: {reason}", path = path.display())]
    InvalidFile {
        /// The file.
        path: PathBuf,
        /// What is wrong; never the secret.
        #[source]
        reason: Reason,
    },

    /// Others than its owner and its group can read or write a file with a secret.
    #[error(
        "{path} holds a secret, and others can get at it (mode {mode:04o}): `chmod o= {path}`, \
         and make another secret if others had access",
        path = path.display()
    )]
    ExposedSecret {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },

    /// A password is given in more than one way.
    #[error("there is a password in {first} and another in {second}: give only one")]
    TwoPasswords {
        /// The one place.
        first: String,
        /// The other.
        second: String,
    },

    /// The environment variable for a password holds something else than text.
    #[error("{0} is not UTF-8 text")]
    UnreadableVariable(&'static str),

    /// A certificate is given without its key, or a key without its certificate.
    #[error("--certificate and --key go together: give both or none")]
    HalfIdentity,

    /// A file is not a store of this version.
    #[error("store {path} is not valid: {reason}")]
    NotAStore {
        /// The file.
        path: String,
        /// What it is instead.
        reason: String,
    },

    /// A value in the store is damaged; retrying cannot help.
    #[error("store {store}: the value under {key} is corrupt: {reason}")]
    CorruptValue {
        /// The store's address, without its password.
        store: String,
        /// Where the value is.
        key: String,
        /// What is wrong with it.
        #[source]
        reason: Reason,
    },

    /// A position in the history of new traces is of another kind of store.
    #[error("cursor is not valid: `{cursor}` is no position in {store}")]
    InvalidCursor {
        /// The beginning of the cursor.
        cursor: String,
        /// The kind of store that was asked.
        store: &'static str,
    },

    /// No store could take so large a blob.
    #[error("blob {name} is not valid: it has {bytes} bytes, allowed are {MAX_BLOB_BYTES}")]
    LargeBlob {
        /// Its name.
        name: String,
        /// Its size.
        bytes: usize,
    },

    /// The embedded queue was closed before a job was published.
    #[error("job is not valid: it was published after the queue was closed")]
    QueueClosed,

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

    /// A job needs the program of an external method, which the store does not have.
    #[error("program {0} is not in the store; submit the sweep again to upload it")]
    MissingProgram(ProgramId),
}

impl TransportError {
    /// Whether the same call may succeed later: the broker or the store was unavailable.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unavailable { .. })
    }

    /// Whether it is about the broker or the store as a whole, unavailable or refusing us, and
    /// not about what was asked of it: the next call would fare no better.
    pub fn concerns_server(&self) -> bool {
        matches!(self, Self::Unavailable { .. } | Self::Refused { .. })
    }
}
