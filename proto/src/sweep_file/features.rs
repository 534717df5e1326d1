//! The columns of a table that a sweep file declares beside hyperparameters and objective: features of tasks, and the rows
//! that sources have.

use serde::Deserialize;

use super::blackbox::BlackboxEntry;
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

    fn columns(&self) -> &[String] {
        match self {
            Self::Word(_) => &[],
            Self::Columns(columns) => columns,
        }
    }
}

/// Checks what can be checked without the table.
pub(super) fn check(entry: &BlackboxEntry) -> Result<(), SweepFileProblem> {
    match &entry.features {
        FeaturesEntry::Word(word) if word != "all" => {
            return Err(SweepFileProblem::UnknownFeatures(excerpt(word)));
        }
        _ => {}
    }
    let features = check_distinct("features", entry.features.columns(), MAX_COLUMNS)?;
    if let Some(column) = &entry.source_rows {
        check_name("source_rows", column)?;
    }
    let features = features.into_iter().map(|column| ("features", column));
    let source_rows = entry.source_rows.iter();
    for (key, column) in features.chain(source_rows.map(|column| ("source_rows", column))) {
        let holds = match column {
            column if column.starts_with("hp_") => "a hyperparameter",
            column if *column == entry.objective => "the objective",
            column if key == "features" && entry.source_rows.as_ref() == Some(column) => {
                "source_rows"
            }
            _ => continue,
        };
        let column = excerpt(column);
        return Err(SweepFileProblem::TakenColumn { key, column, holds });
    }
    Ok(())
}
