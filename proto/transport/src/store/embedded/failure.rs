//! Why a call of SQLite failed, and what that means for the store.

use rusqlite::{Error, ErrorCode};

use crate::error::{Reason, TransportError};
use crate::server::Server;

/// What to do about a file that is damaged.
pub(super) const RESTORE: &str =
    "restore the file from a copy, or run the sweep again in another one";

/// Why a call failed; it does not know the file.
pub(super) enum Failure {
    /// SQLite reports an error.
    Sqlite(Error),
    /// A stored value is damaged.
    Corrupt { key: String, reason: Reason },
    /// The file is something else.
    NotAStore(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

/// What SQLite finds wrong with a file, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}; {RESTORE}")]
struct Damaged(#[source] Error);

impl Failure {
    /// Why that table could not be read.
    pub(super) fn of_reading(table: &str, error: Error) -> Self {
        let is_too_big = error.sqlite_error_code() == Some(ErrorCode::TooBig);
        if is_too_big || is_wrong_type(&error) {
            return Self::corrupt(format!("table {table}"), Damaged(error));
        }
        Self::Sqlite(error)
    }

    pub(super) fn corrupt(key: String, reason: impl Into<Reason>) -> Self {
        let reason = reason.into();
        Self::Corrupt { key, reason }
    }

    /// What it means for a store that is only read.
    pub(super) fn of_read_only(self, store: &str) -> TransportError {
        match self {
            Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::ReadOnly) => {
                TransportError::Refused {
                    server: Server::Store,
                    address: store.to_owned(),
                    reason: "it can be read here, and not changed: the file or its folder is not writable; \
                             copy it to another folder"
                        .into(),
                }
            }
            failure => failure.of(store),
        }
    }

    /// What it means for the store in that file.
    pub(super) fn of(self, store: &str) -> TransportError {
        let store = store.to_owned();
        let unavailable = |address, reason: Reason| TransportError::Unavailable {
            server: Server::Store,
            address,
            reason,
        };
        let error = match self {
            Self::Sqlite(error) => error,
            Self::Corrupt { key, reason } => {
                return TransportError::CorruptValue { store, key, reason };
            }
            Self::NotAStore(reason) => {
                let path = store;
                return TransportError::NotAStore { path, reason };
            }
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) => {
                Self::corrupt("the file itself".into(), Damaged(error)).of(&store)
            }
            Some(ErrorCode::NotADatabase) => {
                Self::NotAStore("the file is no loto store".into()).of(&store)
            }
            // What SQLite says where it cannot make the files beside its own.
            Some(ErrorCode::SystemIoFailure) => {
                unavailable(store, format!("{error}; is the disk full?").into())
            }
            _ => unavailable(store, error.into()),
        }
    }
}

fn is_wrong_type(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidColumnType(..)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
    )
}
