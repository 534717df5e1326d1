//! Lookup tables: every configuration of a black box, evaluated on several tasks.
//!
//! [`container`] unpacks the file, [`bounded_lines`] keeps its lines short, `csv_reader`
//! reads and checks it, and [`encoding`] turns hyperparameters into points of the unit cube.

pub mod bounded_lines;
pub mod container;
mod csv_reader;
pub mod encoding;
mod fields;

use std::io::{Cursor, Read};

use loto_proto::identity::Fingerprint;
use loto_proto::limits::{MAX_ARCHIVE_MEMBERS, MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};
use loto_proto::table_spec::TableSpec;

use crate::EngineError;
use encoding::{Column, Space};

/// A lookup table, read and checked.
#[derive(Debug)]
pub struct Table {
    /// Hash of the file and its declarations.
    pub fingerprint: Fingerprint,
    /// The value of the `blackbox` column, if there is one.
    pub blackbox: Option<String>,
    /// The hyperparameters, in the order of their columns.
    pub space: Space,
    /// The tasks, in the order of their first row.
    pub tasks: Vec<Task>,
}

/// One task of a table.
#[derive(Debug)]
pub struct Task {
    /// Name from the table's `task` column.
    pub name: String,
    /// Objective value of each row, in the order of the file. Finite.
    pub objective: Vec<f64>,
    /// The rows' hyperparameters, one column each, in the order of the space.
    pub columns: Vec<Column>,
}

impl Table {
    /// Reads a table file: CSV, either plain, gzipped, or the first member of a zip.
    ///
    /// Used are the `hp_*` columns, the objective, `task` and, if there, `blackbox`.
    ///
    /// # Errors
    /// [`EngineError::InvalidTable`], naming `name`, the line and the column: an
    /// archive that cannot be unpacked, a column that is missing, a number that is
    /// none or not finite, a configuration listed twice on a task, a limit exceeded.
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, EngineError> {
        let invalid = |problem| EngineError::InvalidTable {
            table: name.to_owned(),
            problem,
        };
        check_size(file).map_err(invalid)?;
        let read = |csv: &mut dyn Read| csv_reader::read(csv, spec);
        let table = container::with_csv(Cursor::new(file), MAX_UNPACKED_BYTES, read);
        let mut table = table.map_err(invalid)?;
        table.fingerprint = spec.fingerprint(file);
        Ok(table)
    }

    /// The task of that name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }

    /// Every task but the one of that name: the sources when it is the target.
    pub fn sources<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a Task> {
        self.tasks.iter().filter(move |task| task.name != target)
    }
}

impl Task {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.objective.len()
    }
}

/// Refuses a file that is costly before anything is unpacked.
fn check_size(file: &[u8]) -> Result<(), String> {
    if file.len() > MAX_TABLE_FILE_BYTES {
        return Err(format!(
            "the file has more than {MAX_TABLE_FILE_BYTES} bytes, which is the most allowed; \
             zip or gzip it"
        ));
    }
    // Whatever counts an archive claims, each member has one of these in its directory.
    let entries = file.windows(4).filter(|bytes| bytes == b"PK\x01\x02");
    if file.starts_with(b"PK") && entries.count() > MAX_ARCHIVE_MEMBERS {
        return Err(format!(
            "the zip archive has more than {MAX_ARCHIVE_MEMBERS} members, which is the most allowed"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod limit_tests;
#[cfg(test)]
mod tests;
