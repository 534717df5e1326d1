//! A lookup table in memory.

use loto_proto::identity::Fingerprint;

use super::encoding::{Column, Space};

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
    /// Finds the task of that name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }

    /// Returns every task but the one of that name: the sources when it is the target.
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
