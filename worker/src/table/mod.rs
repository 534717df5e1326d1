//! Lookup tables: every configuration of a black box, evaluated on several tasks.

use loto_proto::identity::Fingerprint;
use loto_proto::table_spec::TableSpec;

use crate::WorkerError;

/// A lookup table, read and checked.
#[derive(Debug)]
pub struct Table {
    /// Hash of the file and its declarations.
    pub fingerprint: Fingerprint,
    /// The tasks, in the order of their first row.
    pub tasks: Vec<Task>,
}

/// One task of a table.
#[derive(Debug)]
pub struct Task {
    /// Name from the table's `task` column.
    pub name: String,
    /// Objective value of each row, in the order of the file.
    pub objective: Vec<f64>,
}

impl Table {
    /// Reads a table file (a CSV, plain, gzipped or the first member of a zip).
    ///
    /// # Errors
    /// [`WorkerError::InvalidTable`], naming `name`, the line and the column.
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, WorkerError> {
        let _ = (file, spec, name);
        unimplemented!()
    }

    /// The task of that name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }
}
