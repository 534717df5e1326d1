//! The tables of an embedded store, and how a file gets them.

use std::time::{Duration, Instant};

use loto_proto::excerpt::excerpt;
use loto_proto::limits::MAX_BLOB_BYTES;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};

use super::failure::{Failure, RESTORE};

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

/// A second copy of what is in no checksum: keys, marks. Both are compared when the file is opened,
/// so that damage cannot hide a row or change it.
const SECOND_COPIES: &str = "
    CREATE INDEX IF NOT EXISTS attempts_copy ON attempts (series, seed);
    CREATE INDEX IF NOT EXISTS conflicts_copy ON conflicts (series, seed);
    CREATE INDEX IF NOT EXISTS stopped_copy ON stopped (series);
    CREATE INDEX IF NOT EXISTS sweep_states_copy ON sweep_states (id, published, cancelled);
";

/// How long a call waits for another process that writes to the same file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(20);

/// Longest row that SQLite reads, in bytes: a blob, its name, and what SQLite adds.
const LONGEST_ROW: i32 = MAX_BLOB_BYTES as i32 + 4096;

/// Checks that the file is a store, or makes it one if it is empty.
pub(super) fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    restrict(connection)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |pragma: &str| -> rusqlite::Result<i32> {
        transaction.pragma_query_value(None, pragma, |row| row.get(0))
    };
    let count = "SELECT count(*) FROM sqlite_master";
    let tables: i32 = transaction.query_row(count, [], |row| row.get(0))?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, SCHEMA_VERSION) => check_objects(&transaction, SCHEMA_VERSION)?,
        (APPLICATION_ID, 1) => {
            check_objects(&transaction, 1)?;
            transaction.execute_batch(SCHEMA_SINCE_2)?;
        }
        (APPLICATION_ID, version) => {
            return Err(Failure::NotAStore(format!(
                "another version of loto wrote it (schema {version}, this one reads {SCHEMA_VERSION}); \
                 name another file or use that version"
            )));
        }
        (0, 0) if tables == 0 => {
            transaction.execute_batch(SCHEMA)?;
            transaction.execute_batch(SCHEMA_SINCE_2)?;
            transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        _ => {
            let reason = "it is the SQLite file of another program";
            return Err(Failure::NotAStore(reason.into()));
        }
    }
    if number("user_version")? != SCHEMA_VERSION {
        transaction.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    transaction.execute_batch(SECOND_COPIES)?;
    transaction.commit()?;
    check_structure(connection)?;
    write_ahead(connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(())
}

/// Checks that a file that is only read is a store of this version.
pub(super) fn check_read_only(connection: &Connection) -> Result<(), Failure> {
    restrict(connection)?;
    let number = |pragma: &str| -> rusqlite::Result<i32> {
        connection.pragma_query_value(None, pragma, |row| row.get(0))
    };
    let reason = match (number("application_id")?, number("user_version")?) {
        (APPLICATION_ID, SCHEMA_VERSION) => {
            check_objects(connection, SCHEMA_VERSION)?;
            return check_structure(connection);
        }
        (APPLICATION_ID, version) if version < SCHEMA_VERSION => format!(
            "an earlier version of loto wrote it (schema {version}), and it cannot be brought up to date where \
             it cannot be written: copy it to another folder"
        ),
        (APPLICATION_ID, version) => format!(
            "another version of loto wrote it (schema {version}, this one reads {SCHEMA_VERSION})"
        ),
        _ => "it is no loto store".to_owned(),
    };
    Err(Failure::NotAStore(reason))
}

/// Bounds what a file can have SQLite do, also one that is changed while it is open.
fn restrict(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_ROW)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    Ok(())
}

/// Type and name of an object of a schema, and the statement that makes it.
type Object = (String, String, Option<String>);

fn objects(connection: &Connection) -> rusqlite::Result<Vec<Object>> {
    let mut select = connection.prepare("SELECT type, name, sql FROM sqlite_master")?;
    select.query_map([], |row| row.try_into())?.collect()
}

/// Checks that the file has the tables of that version and nothing else. A view in the place of a table may have rows
/// without end, and a trigger changes what is stored.
fn check_objects(connection: &Connection, version: i32) -> Result<(), Failure> {
    let sample = Connection::open_in_memory()?;
    sample.execute_batch(SCHEMA)?;
    if version == SCHEMA_VERSION {
        sample.execute_batch(SCHEMA_SINCE_2)?;
        sample.execute_batch(SECOND_COPIES)?;
    }
    let (expected, found) = (objects(&sample)?, objects(connection)?);
    if let Some((kind, name, _)) = found.iter().find(|object| !expected.contains(object)) {
        return Err(Failure::NotAStore(format!(
            "its {} `{}` is none that loto makes; {RESTORE}",
            excerpt(kind),
            excerpt(name)
        )));
    }
    // Indices may be missing: earlier releases made fewer.
    let mut tables = expected.iter().filter(|(kind, ..)| kind == "table");
    match tables.find(|table| !found.contains(table)) {
        Some((_, name, _)) => {
            let reason = format!("it has no table `{name}`; {RESTORE}");
            Err(Failure::NotAStore(reason))
        }
        None => Ok(()),
    }
}

/// Checks that tables and indices hold the same, so that every row is found that is there.
fn check_structure(connection: &Connection) -> Result<(), Failure> {
    let check = |row: &rusqlite::Row| row.get::<_, String>(0);
    let found = connection.query_row("PRAGMA integrity_check(1)", [], check)?;
    if found == "ok" {
        return Ok(());
    }
    let reason = format!("{}; {RESTORE}", excerpt(&found));
    Err(Failure::corrupt("the file itself".into(), reason))
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

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}
