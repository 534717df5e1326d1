//! Lookup tables: every configuration of a black box, evaluated on several tasks.
//!
//! [`container`] unpacks the file, [`csv_reader`] reads and checks it, and
//! [`encoding`] turns hyperparameters into points of the unit cube.

mod container;
mod csv_reader;
pub mod encoding;

use loto_proto::identity::Fingerprint;
use loto_proto::table_spec::TableSpec;

use crate::WorkerError;
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
    /// [`WorkerError::InvalidTable`], naming `name`, the line and the column: an
    /// archive that cannot be unpacked, a column that is missing, a number that is
    /// none or not finite, a configuration listed twice on a task, a limit exceeded.
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, WorkerError> {
        let invalid = |problem| WorkerError::InvalidTable {
            table: name.to_owned(),
            problem,
        };
        let csv = container::open(file).map_err(invalid)?;
        let mut table = csv_reader::read(csv, spec).map_err(invalid)?;
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

#[cfg(test)]
mod tests;
