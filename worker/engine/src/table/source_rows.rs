//! Which rows of a task methods learn from where the task is a source.

use loto_proto::excerpt::excerpt;

use super::encoding::Column;
use super::error::{FieldError, TableProblem};
use super::fields::boolean;
use super::lookup_table::Task;

/// Least number of them: of fewer no spread can be told.
const LEAST: usize = 2;

/// What the rows of a task say so far, row by row; nothing if no column is declared.
#[derive(Default)]
pub(super) struct SourceRows(Vec<bool>);

impl SourceRows {
    /// Reads the field of a row, which repeated measurements have to agree on.
    pub(super) fn read(&mut self, row: usize, field: &[u8]) -> Result<(), FieldError> {
        let is_source = boolean(field)? == 1.0;
        match self.0.get(row) {
            None => self.0.push(is_source),
            Some(known) if *known == is_source => {}
            Some(_) => return Err(FieldError::ChangedSourceRow),
        }
        Ok(())
    }

    /// The task with these rows alone. Its columns have to be scaled already.
    pub(super) fn thin(&self, task: &Task) -> Result<Task, TableProblem> {
        let rows = || self.0.iter().enumerate().filter(|(_, kept)| **kept);
        let rows = || rows().map(|(row, _)| row);
        let count = rows().count();
        if count < LEAST {
            let task = excerpt(&task.name);
            return Err(TableProblem::FewSourceRows { task, count });
        }
        let columns = task.columns.iter().map(|column| match column {
            Column::Numeric(values) => Column::Numeric(rows().map(|row| values[row]).collect()),
            Column::Categorical(levels) => {
                Column::Categorical(rows().map(|row| levels[row]).collect())
            }
        });
        let kept = |column: &Vec<f64>| rows().map(|row| column[row]).collect();
        Ok(Task {
            name: task.name.clone(),
            first_line: task.first_line,
            objective: kept(&task.objective),
            further_objectives: task.further_objectives.iter().map(kept).collect(),
            measurements: None,
            columns: columns.collect(),
            features: task.features.clone(),
        })
    }
}
