//! A lookup table in memory.

use std::iter;

use loto_proto::identity::Fingerprint;
use loto_proto::initial_rows::InitialRows;
use loto_proto::protocol::Protocol;
use loto_proto::table_spec::{Direction, SourceTasks};
use loto_proto::untrusted_text::check_name;

use super::encoding::{Column, Space};
use super::error::{FieldError, TableError};
use super::measurements::Measurements;

/// A lookup table, read and checked.
#[derive(Debug)]
pub struct Table {
    /// Hash of the file and its declarations.
    pub fingerprint: Fingerprint,
    /// The value of the `blackbox` column, if there is one.
    pub blackbox: Option<String>,
    /// The hyperparameters, in the order of their columns.
    pub space: Space,
    /// The columns of the objectives, in the order of their declaration; one at least.
    pub objectives: Vec<String>,
    /// The tasks, in the order of their first row.
    pub tasks: Vec<Task>,
    /// The tasks as sources, with the rows that methods learn from; empty if those are all rows.
    pub thinned: Vec<Task>,
    /// Which tasks methods learn from.
    pub sources: SourceTasks,
    /// Whether the objective is turned to be minimised.
    pub direction: Direction,
    /// The rows that are evaluated first.
    pub initial: InitialRows,
    /// Whether a job tunes one of the tasks or all of them, one after the other.
    pub protocol: Protocol,
}

/// One task of a table.
#[derive(Debug, Clone)]
pub struct Task {
    /// Name from the table's `task` column.
    pub name: String,
    /// The line of the file with its first row.
    pub first_line: u64,
    /// Objective value of each row, in the order of the file. Finite, and the smaller the better:
    /// the negative of what the file says if the objective is maximised. The mean where measurements are repeated.
    /// With several objectives, the values of the first one.
    pub objective: Vec<f64>,
    /// Values of the other objectives, a column each in the order of their declaration.
    pub further_objectives: Vec<Vec<f64>>,
    /// The repeated measurements of each row, of which a method is shown one; `None` if it is shown the objective.
    pub measurements: Option<Measurements>,
    /// The rows' hyperparameters, one column each, in the order of the space.
    pub columns: Vec<Column>,
    /// Numbers that describe the task, each scaled to [0, 1] over all tasks; empty if none are declared.
    pub features: Vec<f64>,
}

impl Table {
    /// The table without its tasks.
    pub(crate) fn without_tasks(&self) -> Self {
        Self {
            fingerprint: self.fingerprint,
            blackbox: self.blackbox.clone(),
            space: self.space.clone(),
            objectives: self.objectives.clone(),
            tasks: Vec::new(),
            // What a stream knows of earlier tasks is what was evaluated of them.
            thinned: Vec::new(),
            sources: self.sources.clone(),
            direction: self.direction,
            initial: self.initial.clone(),
            protocol: self.protocol,
        }
    }

    /// Finds the task of that name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }

    /// Where the first task is that has the configurations of the task at a position, row by row: in many tables all tasks
    /// do. It is the position itself, if none before it has.
    pub(crate) fn first_of_same_configurations(&self, position: usize) -> usize {
        let columns = &self.tasks[position].columns;
        let before = &self.tasks[..position];
        let first = before.iter().position(|task| task.columns == *columns);
        first.unwrap_or(position)
    }

    /// As [`Self::first_of_same_configurations`], but always the position itself if tasks have other rows as sources.
    pub fn first_alike(&self, position: usize) -> usize {
        match self.thinned.is_empty() {
            true => self.first_of_same_configurations(position),
            false => position,
        }
    }

    /// Whether the tasks are described by features.
    pub fn has_features(&self) -> bool {
        self.tasks.iter().all(|task| !task.features.is_empty())
    }

    /// The task at a position as a source: with the rows that methods learn from.
    pub fn source(&self, position: usize) -> &Task {
        self.thinned.get(position).unwrap_or(&self.tasks[position])
    }

    /// Checks the names in a table that is new. One that a store has already is read whatever they are.
    ///
    /// # Errors
    /// [`TableError`], which calls the table `name` and has the line and the character.
    pub fn check_names(&self, name: &str) -> Result<(), TableError> {
        let check = |column: &str, text: &str, line: u64| {
            check_name(text).map_err(|hazard| TableError {
                table: name.to_owned(),
                problem: Box::new(FieldError::Hazard(hazard).at(line, column)),
            })
        };
        for task in &self.tasks {
            check("task", &task.name, task.first_line)?;
        }
        match (&self.blackbox, self.tasks.first()) {
            (Some(blackbox), Some(first)) => check("blackbox", blackbox, first.first_line),
            _ => Ok(()),
        }
    }
}

impl Task {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.objective.len()
    }

    /// The values of each objective by row, in the order of their declaration.
    pub fn objectives(&self) -> Vec<&[f64]> {
        let further = self.further_objectives.iter().map(Vec::as_slice);
        iter::once(self.objective.as_slice())
            .chain(further)
            .collect()
    }

    /// What is known of the task after the evaluation of some of its rows: these, in their order, with the values of each
    /// objective that were observed.
    pub(crate) fn evaluated(
        &self,
        rows: &[u32],
        values: Vec<f64>,
        further_objectives: Vec<Vec<f64>>,
    ) -> Self {
        Self {
            name: self.name.clone(),
            first_line: self.first_line,
            objective: values,
            further_objectives,
            measurements: None,
            columns: self
                .columns
                .iter()
                .map(|column| column.of_rows(rows))
                .collect(),
            features: self.features.clone(),
        }
    }
}
