//! Finds the rows of configurations that are given as a table writes them.

use std::collections::HashMap;

use loto_proto::excerpt::excerpt;
use loto_proto::scale::Scale;
use loto_proto::suggestion::suggest;
use loto_proto::table_spec::TableSpec;

use super::csv_reader::{ConfigurationHash, ConfigurationHashing, configurations, read_number};
use super::error::{FieldError, TableError};
use super::fields::Levels;
use super::file::{of_table, read};
use super::header::HyperparameterColumn;

/// The configurations of a table, by task.
pub struct RowLookup {
    columns: Vec<HyperparameterColumn>,
    hashing: ConfigurationHashing,
    tasks: HashMap<String, HashMap<ConfigurationHash, u32>>,
}

/// Why there is no row of a configuration.
#[derive(Debug, thiserror::Error)]
pub enum RowLookupError {
    /// The table does not have the task.
    #[error("column `task`: task `{task}` is not in the table; {suggestion}")]
    UnknownTask {
        /// The task.
        task: String,
        /// What may have been meant, and which tasks there are.
        suggestion: String,
    },

    /// A value is none that the column takes.
    #[error("column `{column}`: {problem}")]
    Field {
        /// The column.
        column: String,
        /// What is wrong with the value.
        #[source]
        problem: FieldError,
    },

    /// A level does not occur in the table.
    #[error("column `{column}`: `{level}` is none of its levels in the table; {suggestion}")]
    UnknownLevel {
        /// The column.
        column: String,
        /// The level.
        level: String,
        /// What may have been meant, and which levels there are.
        suggestion: String,
    },

    /// The task has no row with this configuration.
    #[error("task `{0}` has no row with this configuration in the table")]
    NoSuchConfiguration(String),
}

impl RowLookup {
    /// Reads the configurations of a table file, which the caller calls `name`.
    ///
    /// # Errors
    /// As [`super::Table::read`].
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, TableError> {
        let contents = read(file, spec).map_err(|problem| of_table(name, problem))?;
        let hashing = ConfigurationHashing::default();
        let tasks = contents.tasks.iter().map(|task| {
            let hashes = configurations(task).map(|configuration| hashing.hash(&configuration));
            (task.name.clone(), hashes.zip(0..).collect())
        });
        Ok(Self {
            tasks: tasks.collect(),
            hashing,
            columns: contents.hyperparameters,
        })
    }

    /// The names of the columns of a configuration, in their order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The number of rows of a task.
    ///
    /// # Errors
    /// [`RowLookupError::UnknownTask`].
    pub fn count(&self, task: &str) -> Result<usize, RowLookupError> {
        Ok(self.task(task)?.len())
    }

    /// The row of a task with this configuration, given by one field for each of [`Self::columns`]. A number is the same
    /// however it is written; so is a level, unless two levels are the same number.
    ///
    /// # Errors
    /// [`RowLookupError`].
    pub fn row<'a>(
        &self,
        task: &str,
        fields: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<u32, RowLookupError> {
        let rows = self.task(task)?;
        let fields = self.columns.iter().zip(fields);
        let configuration = fields.map(|(column, field)| read_value(column, field));
        let configuration: Vec<u64> = configuration.collect::<Result<_, _>>()?;
        let row = rows.get(&self.hashing.hash(&configuration)).copied();
        row.ok_or_else(|| RowLookupError::NoSuchConfiguration(excerpt(task)))
    }

    fn task(&self, name: &str) -> Result<&HashMap<ConfigurationHash, u32>, RowLookupError> {
        self.tasks.get(name).ok_or_else(|| {
            let mut known: Vec<&str> = self.tasks.keys().map(String::as_str).collect();
            known.sort_unstable();
            RowLookupError::UnknownTask {
                task: excerpt(name),
                suggestion: suggest(name, &known),
            }
        })
    }
}

fn read_value(column: &HyperparameterColumn, field: &[u8]) -> Result<u64, RowLookupError> {
    if column.scale != Scale::Categorical {
        let number = read_number(field, column);
        return number
            .map(f64::to_bits)
            .map_err(|problem| RowLookupError::Field {
                column: column.name.clone(),
                problem,
            });
    }
    let text = String::from_utf8_lossy(field);
    let levels = &column.levels;
    let level = levels.get(text.trim()).copied();
    let level = level.or_else(|| level_of_number(levels, &text));
    level.map(u64::from).ok_or_else(|| {
        let known: Vec<&str> = column.levels.keys().map(String::as_str).collect();
        RowLookupError::UnknownLevel {
            column: column.name.clone(),
            level: excerpt(&text),
            suggestion: suggest(&text, &known),
        }
    })
}

/// The only level that is the number of a text: other programs write 8 as 8.0.
fn level_of_number(levels: &Levels, text: &str) -> Option<u16> {
    let number: f64 = text.trim().parse().ok()?;
    let is_same = |level: &str| level.parse().is_ok_and(|level: f64| level == number);
    let mut same = levels.iter().filter(|(level, _)| is_same(level));
    match (same.next(), same.next()) {
        (Some((_, &level)), None) => Some(level),
        _ => None,
    }
}
