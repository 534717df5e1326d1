//! The SQLite file of an embedded store: opening it, and what its errors mean.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode, TransactionBehavior};

use crate::error::{Reason, TransportError};
use crate::server::Server;
use loto_proto::attempt::Attempt;
use loto_proto::identity::SeriesId;
use loto_proto::limits::MAX_BLOB_BYTES;
use loto_proto::trace::Trace;

/// Marks the file as one of ours: "loto" in ASCII.
const APPLICATION_ID: i32 = 0x6c6f_746f;

/// Raised whenever the tables below change.
const SCHEMA_VERSION: i32 = 2;

const SCHEMA: &str = "
    CREATE TABLE sweeps (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        id BLOB NOT NULL UNIQUE,
        sweep BLOB NOT NULL
    );
    CREATE TABLE traces (
        position INTEGER PRIMARY KEY AUTOINCREMENT,
        series BLOB NOT NULL,
        seed INTEGER NOT NULL,
        trace BLOB NOT NULL,
        UNIQUE (series, seed)
    );
    CREATE TABLE attempts (
        series BLOB NOT NULL,
        seed INTEGER NOT NULL,
        attempt TEXT NOT NULL,
        PRIMARY KEY (series, seed)
    ) WITHOUT ROWID;
    CREATE TABLE blobs (
        name TEXT PRIMARY KEY,
        bytes BLOB NOT NULL
    );
";

/// What version 2 has and version 1 had not.
const SCHEMA_SINCE_2: &str = "
    CREATE TABLE conflicts (
        series BLOB NOT NULL,
        seed INTEGER NOT NULL,
        problem TEXT NOT NULL,
        PRIMARY KEY (series, seed)
    ) WITHOUT ROWID;
    CREATE TABLE stopped (
        series BLOB PRIMARY KEY
    ) WITHOUT ROWID;
    CREATE TABLE sweep_states (
        id BLOB PRIMARY KEY,
        published INTEGER NOT NULL DEFAULT 0,
        cancelled INTEGER NOT NULL DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE workers (
        name TEXT PRIMARY KEY,
        report TEXT NOT NULL
    ) WITHOUT ROWID;
";

/// How long a call waits for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest row that SQLite reads, in bytes: a blob, its name, and what SQLite adds.
const LONGEST_ROW: i32 = MAX_BLOB_BYTES as i32 + 4096;

/// The open file; calls take turns.
pub(super) struct File {
    name: String,
    connection: Mutex<Connection>,
}

impl File {
    /// Checks that `connection` leads to a store, or makes it one if it is empty.
    pub(super) fn open(name: String, mut connection: Connection) -> Result<Self, TransportError> {
        prepare(&name, &mut connection)?;
        let connection = Mutex::new(connection);
        Ok(Self { name, connection })
    }

    /// Waits for its turn to use the file.
    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A call that panicked has rolled its transaction back: the connection is sound.
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn failed(&self, error: Error) -> TransportError {
        explain(&self.name, error)
    }

    pub(super) fn corrupt(&self, key: String, reason: impl Into<Reason>) -> TransportError {
        TransportError::CorruptValue {
            store: self.name.clone(),
            key,
            reason: reason.into(),
        }
    }

    pub(super) fn decode_attempt(
        &self,
        series: SeriesId,
        seed: u32,
        text: &[u8],
    ) -> Result<Attempt, TransportError> {
        Attempt::decode(text).map_err(|problem| {
            self.corrupt(format!("attempt of series {series}, seed {seed}"), problem)
        })
    }

    pub(super) fn decode_trace(
        &self,
        series: SeriesId,
        seed: u32,
        bytes: &[u8],
    ) -> Result<Trace, TransportError> {
        Trace::decode(bytes)
            .map_err(|error| self.corrupt(format!("trace of series {series}, seed {seed}"), error))
    }
}

/// Checks that the file is a store, or makes it one if it is empty.
fn prepare(name: &str, connection: &mut Connection) -> Result<(), TransportError> {
    let failed = |error| explain(name, error);
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    connection
        .set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)
        .map_err(failed)?;
    let transaction = connection
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .map_err(failed)?;
    let number = |pragma: &str| -> Result<i32, TransportError> {
        transaction
            .pragma_query_value(None, pragma, |row| row.get(0))
            .map_err(failed)
    };
    let tables: i32 = transaction
        .query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))
        .map_err(failed)?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, SCHEMA_VERSION) => {}
        (APPLICATION_ID, 1) => {
            transaction.execute_batch(SCHEMA_SINCE_2).map_err(failed)?;
            transaction
                .pragma_update(None, "user_version", SCHEMA_VERSION)
                .map_err(failed)?;
        }
        (APPLICATION_ID, version) => {
            return Err(not_a_store(
                name,
                format!(
                    "another version of loto wrote it (schema {version}, this one reads {SCHEMA_VERSION}); \
                     name another file or use that version"
                ),
            ));
        }
        (0, 0) if tables == 0 => {
            transaction.execute_batch(SCHEMA).map_err(failed)?;
            transaction.execute_batch(SCHEMA_SINCE_2).map_err(failed)?;
            transaction
                .pragma_update(None, "application_id", APPLICATION_ID)
                .map_err(failed)?;
            transaction
                .pragma_update(None, "user_version", SCHEMA_VERSION)
                .map_err(failed)?;
        }
        _ => {
            return Err(not_a_store(
                name,
                "it is the SQLite file of another program",
            ));
        }
    }
    transaction.commit().map_err(failed)?;
    write_ahead(connection).map_err(failed)?;
    connection
        .pragma_update(None, "synchronous", "NORMAL")
        .map_err(failed)
}

/// Sets write-ahead mode. SQLite does not wait for other processes here, so we do.
fn write_ahead(connection: &Connection) -> rusqlite::Result<()> {
    let begin = Instant::now();
    loop {
        let set = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match set {
            Err(error) if is_busy(&error) && begin.elapsed() < BUSY_TIMEOUT => {
                std::thread::sleep(Duration::from_millis(20));
            }
            settled => return settled,
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

fn is_busy(error: &Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

fn not_a_store(name: &str, reason: impl Into<String>) -> TransportError {
    TransportError::NotAStore {
        path: name.to_owned(),
        reason: reason.into(),
    }
}

/// Says what an SQLite error means for the store.
pub(super) fn explain(name: &str, error: Error) -> TransportError {
    let damaged = |key: &str, error: Error| TransportError::CorruptValue {
        store: name.to_owned(),
        key: key.into(),
        reason: error.into(),
    };
    let unavailable = |reason: Reason| TransportError::Unavailable {
        server: Server::Store,
        address: name.to_owned(),
        reason,
    };
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => not_a_store(name, "the file is no loto store"),
        Some(ErrorCode::DatabaseCorrupt) => damaged("the file itself", error),
        Some(ErrorCode::TooBig) => damaged("a row", error),
        None if is_wrong_type(&error) => damaged("a column", error),
        // What SQLite says where it cannot make the files beside its own.
        Some(ErrorCode::SystemIoFailure) => {
            unavailable(format!("{error}; is the disk full?").into())
        }
        _ => unavailable(error.into()),
    }
}
