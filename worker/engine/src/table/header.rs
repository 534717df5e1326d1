//! Finds the columns of a table that are used.

use std::collections::BTreeSet;

use csv::ByteRecord;
use loto_proto::excerpt::{excerpt, list};
use loto_proto::limits::{MAX_COLUMNS, MAX_NAME_BYTES};
use loto_proto::scale::Scale;
use loto_proto::suggestion::suggest;
use loto_proto::table_spec::{Categorical, TableSpec};

use super::error::{FieldError, TableProblem};
use super::features::{self, FeatureColumn};
use super::fields::{Levels, OrderedLevels, level};

/// Where the columns are.
pub(super) struct Header {
    pub(super) hyperparameters: Vec<HyperparameterColumn>,
    /// The columns of the objectives, in the order of their declaration, with their names.
    pub(super) objectives: Vec<(usize, String)>,
    pub(super) task: usize,
    pub(super) blackbox: Option<usize>,
    pub(super) seed: Option<usize>,
    pub(super) features: Vec<FeatureColumn>,
    /// The column that says which rows a source has, with its name.
    pub(super) source_rows: Option<(usize, String)>,
}

/// A column with a hyperparameter's values.
pub(super) struct HyperparameterColumn {
    pub(super) position: usize,
    pub(super) name: String,
    pub(super) scale: Scale,
    /// The levels in the rows read so far; none if it is not categorical.
    pub(super) levels: Levels,
    /// The text of the level of the row read last, and its number if there is one.
    latest_level: (Vec<u8>, Option<u16>),
    /// The levels that are declared; none if it has another scale.
    pub(super) ordered: OrderedLevels,
}

impl Header {
    pub(super) fn read(record: &ByteRecord, spec: &TableSpec) -> Result<Self, TableProblem> {
        let names = column_names(record)?;
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        let starting_with = |prefix: &str| {
            let matching = names.iter().filter(|name| name.starts_with(prefix));
            matching.map(String::as_str).collect::<Vec<_>>()
        };
        let task = position_of_tasks(&names)?;
        let unknown_objective = |objective: &str| TableProblem::UnknownObjective {
            objective: objective.to_owned(),
            suggestion: match starting_with("metric_").as_slice() {
                [] => "the table has no metric_* column".to_owned(),
                metrics => suggest(objective, metrics),
            },
        };
        let objectives = spec.objectives().map(|wanted| {
            let found = position(wanted).map(|position| (position, wanted.to_owned()));
            found.ok_or_else(|| unknown_objective(wanted))
        });
        let objectives = objectives.collect::<Result<_, _>>()?;
        let columns = names.iter().enumerate();
        let hyperparameters: Vec<_> = columns
            .filter(|(_, name)| name.starts_with("hp_"))
            .map(|(position, name)| HyperparameterColumn {
                position,
                name: name.clone(),
                ordered: OrderedLevels::new(spec.scale(name).levels()),
                scale: spec.scale(name),
                levels: Levels::new(),
                latest_level: (Vec::new(), None),
            })
            .collect();
        if hyperparameters.is_empty() {
            return Err(TableProblem::NoHyperparameter);
        }
        let is_known =
            |wanted: &&String| hyperparameters.iter().any(|column| column.name == **wanted);
        if let Categorical::Columns(columns) = &spec.categorical
            && let Some(unknown) = columns.iter().find(|wanted| !is_known(wanted))
        {
            return Err(TableProblem::UnknownCategorical {
                column: unknown.clone(),
                suggestion: suggest(unknown, &starting_with("hp_")),
            });
        }
        if let Some(unknown) = spec.scales.keys().find(|wanted| !is_known(wanted)) {
            return Err(TableProblem::UnknownScaled {
                column: excerpt(unknown),
                suggestion: suggest(unknown, &starting_with("hp_")),
            });
        }
        let source_rows = spec.source_rows.as_ref().map(|wanted| {
            let found = position(wanted).map(|position| (position, wanted.clone()));
            found.ok_or_else(|| TableProblem::UnknownSourceRows {
                column: excerpt(wanted),
                suggestion: suggest(wanted, &starting_with("")),
            })
        });
        Ok(Self {
            features: features::find(&names, &spec.features)?,
            source_rows: source_rows.transpose()?,
            hyperparameters,
            objectives,
            task,
            blackbox: position("blackbox"),
            seed: position("seed"),
        })
    }
}

impl HyperparameterColumn {
    /// Returns the number of a level, a new one if its text is new.
    pub(super) fn level(&mut self, field: &[u8]) -> Result<u16, FieldError> {
        let (text, latest) = &mut self.latest_level;
        // On a grid most levels are those of the row before.
        if let Some(number) = *latest
            && text == field
        {
            return Ok(number);
        }
        let number = level(field, &mut self.levels)?;
        text.clear();
        text.extend(field);
        *latest = Some(number);
        Ok(number)
    }
}

/// Where the names of the tasks are.
pub(super) fn position_of_tasks(names: &[String]) -> Result<usize, TableProblem> {
    let position = names.iter().position(|name| name == "task");
    position.ok_or_else(|| TableProblem::NoTaskColumn {
        columns: list(names.iter().map(String::as_str)),
    })
}

/// The names of the columns, each once and none too long.
pub(super) fn column_names(record: &ByteRecord) -> Result<Vec<String>, TableProblem> {
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
    Ok(names)
}
