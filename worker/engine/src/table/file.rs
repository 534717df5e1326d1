//! Reads a table file.

use std::io::{Cursor, Read};

use loto_proto::limits::{MAX_ARCHIVE_MEMBERS, MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};
use loto_proto::table_spec::TableSpec;

use super::error::{TableError, TableProblem};
use super::lookup_table::Table;
use super::{container, csv_reader};

impl Table {
    /// Reads a table file: CSV, either plain, gzipped, or the first member of a zip.
    ///
    /// Used are the `hp_*` columns, the objective, `task` and, if there, `blackbox`.
    ///
    /// # Errors
    /// [`TableError`], which calls the table `name`: an archive that cannot be unpacked, a column
    /// that is missing, a number that is none or not finite, a configuration listed twice on a
    /// task, a limit exceeded.
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, TableError> {
        read(file, spec).map_err(|problem| TableError {
            table: name.to_owned(),
            problem: Box::new(problem),
        })
    }
}

fn read(file: &[u8], spec: &TableSpec) -> Result<Table, TableProblem> {
    if file.len() > MAX_TABLE_FILE_BYTES {
        return Err(TableProblem::LargeFile);
    }
    // Whatever number of members an archive claims, each has one of these in its directory.
    let entries = file.windows(4).filter(|bytes| bytes == b"PK\x01\x02");
    if file.starts_with(b"PK") && entries.count() > MAX_ARCHIVE_MEMBERS {
        return Err(TableProblem::TooManyMembers);
    }
    let read_csv = |csv: &mut dyn Read| csv_reader::read(csv, spec);
    let (space, tasks, blackbox) =
        container::with_csv(Cursor::new(file), MAX_UNPACKED_BYTES, read_csv)?;
    Ok(Table {
        fingerprint: spec.fingerprint(file),
        blackbox,
        space,
        tasks,
    })
}
