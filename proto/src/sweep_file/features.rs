//! The columns of a table that a sweep file declares beside hyperparameters and objective: features of tasks, and the rows
//! that sources have.

use serde::Deserialize;

use super::checks::{check_distinct, check_name};
use super::error::SweepFileProblem;
use crate::excerpt::excerpt;
use crate::limits::MAX_COLUMNS;
use crate::table_spec::Features;

/// `features = "all"` or a list of columns.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, expecting = "expected \"all\" or a list of columns")]
pub enum FeaturesEntry {
    /// The word `all`: every `dataset_` column.
    Word(String),
    /// Columns by their full names.
    Columns(Vec<String>),
}

impl Default for FeaturesEntry {
    fn default() -> Self {
        Self::Columns(Vec::new())
    }
}

impl FeaturesEntry {
    /// The features as a table is read with them.
    pub(super) fn resolve(&self) -> Features {
        match self {
            Self::Word(_) => Features::All,
            Self::Columns(columns) => Features::Columns(columns.iter().cloned().collect()),
        }
    }

    /// The columns that are listed by their names.
    pub(super) fn columns(&self) -> &[String] {
        match self {
            Self::Word(_) => &[],
            Self::Columns(columns) => columns,
        }
    }
}

/// Checks what can be checked without the table, given the columns of the objectives.
pub(super) fn check(
    features: &FeaturesEntry,
    source_rows: Option<&String>,
    objectives: &[String],
) -> Result<(), SweepFileProblem> {
    match features {
        FeaturesEntry::Word(word) if word != "all" => {
            return Err(SweepFileProblem::UnknownFeatures(excerpt(word)));
        }
        _ => {}
    }
    let listed = check_distinct("features", features.columns(), MAX_COLUMNS)?;
    if let Some(column) = source_rows {
        check_name("source_rows", column)?;
    }
    let listed = listed.into_iter().map(|column| ("features", column));
    let of_rows = source_rows.iter().map(|column| ("source_rows", *column));
    for (key, column) in listed.chain(of_rows) {
        let holds = match column {
            column if column.starts_with("hp_") => "a hyperparameter",
            column if objectives.contains(column) => match objectives {
                [_] => "the objective",
                _ => "an objective",
            },
            column if key == "features" && source_rows == Some(column) => "source_rows",
            _ => continue,
        };
        let column = excerpt(column);
        return Err(SweepFileProblem::TakenColumn { key, column, holds });
    }
    Ok(())
}
