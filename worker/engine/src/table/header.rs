//! Finds the columns of a table that are used.

use std::collections::BTreeSet;

use csv::ByteRecord;
use loto_proto::excerpt::{excerpt, list};
use loto_proto::limits::{MAX_COLUMNS, MAX_NAME_BYTES};
use loto_proto::table_spec::{Categorical, TableSpec};

use super::error::TableProblem;
use super::fields::Levels;

/// Where the columns are.
pub(super) struct Header {
    pub(super) hyperparameters: Vec<HyperparameterColumn>,
    pub(super) objective: usize,
    pub(super) task: usize,
    pub(super) blackbox: Option<usize>,
}

/// A column with a hyperparameter's values.
pub(super) struct HyperparameterColumn {
    pub(super) position: usize,
    pub(super) name: String,
    pub(super) categorical: bool,
    /// The levels in the rows read so far; none if it is numeric.
    pub(super) levels: Levels,
}

impl Header {
    pub(super) fn read(record: &ByteRecord, spec: &TableSpec) -> Result<Self, TableProblem> {
        if record.len() > MAX_COLUMNS {
            return Err(TableProblem::TooManyColumns(record.len()));
        }
        let texts = record.iter().map(String::from_utf8_lossy);
        let names: Vec<String> = texts.map(|name| name.trim().to_owned()).collect();
        if let Some(long) = names.iter().find(|name| name.len() > MAX_NAME_BYTES) {
            return Err(TableProblem::LongColumnName {
                column: excerpt(long),
                bytes: long.len(),
            });
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(TableProblem::DuplicateColumn(excerpt(twice)));
        }
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        let starting_with = |prefix: &str| {
            let matching = names.iter().filter(|name| name.starts_with(prefix));
            match list(matching.map(String::as_str)) {
                none if none.is_empty() => format!("no {prefix}* column"),
                matching => matching,
            }
        };
        let task = position("task").ok_or(TableProblem::NoTaskColumn)?;
        let unknown_objective = || TableProblem::UnknownObjective {
            objective: spec.objective.clone(),
            metrics: starting_with("metric_"),
        };
        let objective = position(&spec.objective).ok_or_else(unknown_objective)?;
        let columns = names.iter().enumerate();
        let hyperparameters: Vec<_> = columns
            .filter(|(_, name)| name.starts_with("hp_"))
            .map(|(position, name)| HyperparameterColumn {
                position,
                name: name.clone(),
                categorical: match &spec.categorical {
                    Categorical::All => true,
                    Categorical::Columns(columns) => columns.contains(name),
                },
                levels: Levels::new(),
            })
            .collect();
        if hyperparameters.is_empty() {
            return Err(TableProblem::NoHyperparameter);
        }
        if let Categorical::Columns(columns) = &spec.categorical {
            let known =
                |wanted: &&String| hyperparameters.iter().any(|column| column.name == **wanted);
            if let Some(unknown) = columns.iter().find(|wanted| !known(wanted)) {
                return Err(TableProblem::UnknownCategorical {
                    column: unknown.clone(),
                    hyperparameters: starting_with("hp_"),
                });
            }
        }
        Ok(Self {
            hyperparameters,
            objective,
            task,
            blackbox: position("blackbox"),
        })
    }
}
