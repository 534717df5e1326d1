//! What a sweep file declares about a table, and the fingerprint that follows.

use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use prost::Message;
use serde::{Deserialize, Serialize};

use crate::excerpt::excerpt;
use crate::identity::{ContentHasher, Fingerprint};
use crate::initial_rows::InitialRows;
use crate::limits::{
    MAX_BLOB_BYTES, MAX_COLUMNS, MAX_LEVEL_BYTES, MAX_LEVELS, MAX_NAME_BYTES, MAX_OBJECTIVES,
    MAX_TASKS,
};
use crate::message_error::{MessageError, MessageKind, MessageProblem, check_count};
use crate::protocol::Protocol;
use crate::scale::Scale;
use crate::wire;

/// Which hyperparameter columns are categorical (one-hot encoded); the rest is numeric.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Categorical {
    /// Every `hp_` column.
    All,
    /// These columns, by their full names.
    Columns(BTreeSet<String>),
}

impl Default for Categorical {
    fn default() -> Self {
        Self::Columns(BTreeSet::new())
    }
}

/// Which values of an objective are good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    /// Small ones, of an error for example.
    #[default]
    #[serde(alias = "minimize")]
    Minimise,
    /// Large ones, of an accuracy for example. What is minimised are their negatives.
    #[serde(alias = "maximize")]
    Maximise,
}

impl Direction {
    /// A value as it is minimised, from a value in the user's units; and back again.
    pub fn turn(self, value: f64) -> f64 {
        match self {
            Self::Minimise => value,
            // Unlike a minus sign, this gives no negative zero.
            Self::Maximise => 0.0 - value,
        }
    }
}

/// The declarations without which a table's bytes do not define a black box.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableSpec {
    /// Column with the objective, for example `metric_error`; with the first one, if there are several.
    pub objective: String,
    /// Columns with the other objectives, in the order of their declaration; none if there is one objective. With
    /// several objectives all are minimised.
    pub further_objectives: Vec<String>,
    /// The categorical hyperparameters.
    pub categorical: Categorical,
    /// The scales of the hyperparameters that are neither categorical nor linear, by column.
    pub scales: BTreeMap<String, Scale>,
    /// Whether the objective is minimised or maximised.
    pub direction: Direction,
    /// The tasks that methods learn from.
    pub sources: SourceTasks,
    /// The rows that are evaluated first.
    pub initial: InitialRows,
    /// What rows with the same configuration mean.
    pub repeats: Repeats,
    /// The columns that describe tasks.
    pub features: Features,
    /// The column that says which rows of a task methods learn from where the task is a source; all rows if there is
    /// none. A target has all of its rows.
    pub source_rows: Option<String>,
    /// Whether the tasks are tuned each by itself or one after the other.
    pub protocol: Protocol,
}

/// Which columns are features of tasks: numbers that describe a task, the same in all of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Features {
    /// Every `dataset_` column.
    All,
    /// These columns, by their full names; no task is described if there are none.
    Columns(BTreeSet<String>),
}

impl Default for Features {
    fn default() -> Self {
        Self::Columns(BTreeSet::new())
    }
}

/// What several rows of a task with the same configuration mean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Repeats {
    /// A mistake: each configuration is there once.
    #[default]
    #[serde(skip)]
    Refused,
    /// Repeated measurements, told apart by the column `seed`: their mean counts.
    Mean,
    /// Repeated measurements, too, of which a method is shown one on its target: which one of each configuration is
    /// drawn by task and seed, the same for every method. Traces keep the mean, and sources have it.
    Draw,
}

/// Which tasks of a table are the sources of a target, which is none itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SourceTasks {
    /// The tasks that may be sources; every task if empty.
    pub named: BTreeSet<String>,
    /// At most so many of them, drawn for each target and seed; all if 0.
    pub most: u32,
}

impl SourceTasks {
    /// Whether a task of the table may be a source.
    pub fn admits(&self, task: &str) -> bool {
        self.named.is_empty() || self.named.contains(task)
    }
}

impl TableSpec {
    /// The columns of the objectives, in the order of their declaration.
    pub fn objectives(&self) -> impl Iterator<Item = &str> {
        let further = self.further_objectives.iter();
        iter::once(&self.objective)
            .chain(further)
            .map(String::as_str)
    }

    /// The scale of a hyperparameter column.
    pub fn scale(&self, column: &str) -> Scale {
        let is_categorical = match &self.categorical {
            Categorical::All => true,
            Categorical::Columns(columns) => columns.contains(column),
        };
        match self.scales.get(column) {
            _ if is_categorical => Scale::Categorical,
            Some(scale) => scale.clone(),
            None => Scale::Linear,
        }
    }

    /// The fingerprint of a table file read with these declarations.
    ///
    /// A declaration that is left out adds nothing to it: the fingerprints of tables are those of
    /// releases that did not know it yet. One that is there changes the fingerprint, so that
    /// such a release finds another hash than the table's name and refuses it.
    pub fn fingerprint(&self, file: &[u8]) -> Fingerprint {
        let mut hasher = ContentHasher::new("loto table 1");
        hasher.field(file).field(self.objective.as_bytes());
        match &self.categorical {
            Categorical::All => {
                hasher.field(b"all categorical");
            }
            Categorical::Columns(columns) => {
                hasher.field(b"categorical").number(columns.len() as u64);
                for column in columns {
                    hasher.field(column.as_bytes());
                }
            }
        }
        if !self.scales.is_empty() {
            hasher.field(b"scales").number(self.scales.len() as u64);
        }
        for (column, scale) in &self.scales {
            let levels = scale.levels();
            hasher
                .field(column.as_bytes())
                .field(scale.word().as_bytes())
                .number(levels.len() as u64);
            for level in levels {
                hasher.field(level.as_bytes());
            }
        }
        if self.direction == Direction::Maximise {
            hasher.field(b"maximise");
        }
        let SourceTasks { named, most } = &self.sources;
        if !named.is_empty() {
            hasher.field(b"sources").number(named.len() as u64);
        }
        for task in named {
            hasher.field(task.as_bytes());
        }
        if *most > 0 {
            hasher.field(b"source tasks").number((*most).into());
        }
        self.initial.hash(&mut hasher);
        let repeats: Option<&[u8]> = match self.repeats {
            Repeats::Refused => None,
            Repeats::Mean => Some(b"mean of repeats"),
            Repeats::Draw => Some(b"draw of repeats"),
        };
        if let Some(repeats) = repeats {
            hasher.field(repeats);
        }
        match &self.features {
            Features::All => {
                hasher.field(b"all features");
            }
            Features::Columns(columns) if columns.is_empty() => {}
            Features::Columns(columns) => {
                hasher.field(b"features").number(columns.len() as u64);
                for column in columns {
                    hasher.field(column.as_bytes());
                }
            }
        }
        if let Some(column) = &self.source_rows {
            hasher.field(b"source rows").field(column.as_bytes());
        }
        if self.protocol == Protocol::Stream {
            hasher.field(b"stream");
        }
        if !self.further_objectives.is_empty() {
            let count = self.further_objectives.len() as u64;
            hasher.field(b"further objectives").number(count);
        }
        for column in &self.further_objectives {
            hasher.field(column.as_bytes());
        }
        Fingerprint(hasher.finish_identifier())
    }

    /// Packs these declarations with the table's file for the store.
    pub fn encode_with(&self, file: &[u8]) -> Vec<u8> {
        wire::TableBlob {
            spec: Some(self.to_wire()),
            file: file.to_vec(),
        }
        .encode_to_vec()
    }

    fn to_wire(&self) -> wire::TableSpec {
        let scales = self.scales.iter().map(|(column, scale)| wire::ColumnScale {
            column: column.clone(),
            scale: scale.word().to_owned(),
            levels: scale.levels().to_vec(),
        });
        wire::TableSpec {
            objective: self.objective.clone(),
            all_categorical: self.categorical == Categorical::All,
            categorical: match &self.categorical {
                Categorical::All => Vec::new(),
                Categorical::Columns(columns) => columns.iter().cloned().collect(),
            },
            scales: scales.collect(),
            maximise: self.direction == Direction::Maximise,
            sources: self.sources.named.iter().cloned().collect(),
            most_sources: self.sources.most,
            initial: self.initial.to_wire(),
            mean_of_repeats: self.repeats == Repeats::Mean,
            draw_of_repeats: self.repeats == Repeats::Draw,
            all_features: self.features == Features::All,
            features: match &self.features {
                Features::All => Vec::new(),
                Features::Columns(columns) => columns.iter().cloned().collect(),
            },
            source_rows: self.source_rows.clone().unwrap_or_default(),
            stream: self.protocol == Protocol::Stream,
            further_objectives: self.further_objectives.clone(),
        }
    }

    /// Unpacks what [`Self::encode_with`] packed and checks it against the fingerprint.
    ///
    /// # Errors
    /// [`MessageError`] if the bytes are not a table, or not the one that is named.
    pub fn decode(bytes: &[u8], expected: Fingerprint) -> Result<(Self, Vec<u8>), MessageError> {
        Self::read(bytes, expected).map_err(|problem| MessageKind::Table(expected).refuses(problem))
    }

    fn read(bytes: &[u8], expected: Fingerprint) -> Result<(Self, Vec<u8>), MessageProblem> {
        check_count("bytes", bytes.len() as u64, MAX_BLOB_BYTES as u64)?;
        let blob = wire::TableBlob::decode(bytes)?;
        let stored = blob.spec.ok_or(MessageProblem::Missing("declarations"))?;
        let spec = Self::of_wire(stored)?;
        let found = spec.fingerprint(&blob.file);
        if found != expected {
            let found = found.to_string();
            return Err(MessageProblem::OtherHash {
                what: "bytes",
                found,
            });
        }
        Ok((spec, blob.file))
    }

    fn of_wire(stored: wire::TableSpec) -> Result<Self, MessageProblem> {
        let columns = stored.categorical.len() as u64;
        check_count("categorical columns", columns, MAX_COLUMNS as u64)?;
        let columns = stored.features.len() as u64;
        check_count("features", columns, MAX_COLUMNS as u64)?;
        let objectives = 1 + stored.further_objectives.len() as u64;
        check_count("objectives", objectives, MAX_OBJECTIVES as u64)?;
        let columns = stored.scales.len() as u64;
        check_count("scales of columns", columns, MAX_COLUMNS as u64)?;
        let scaled = stored.scales.iter().map(|scale| &scale.column);
        let names = std::iter::once(&stored.objective).chain(&stored.categorical);
        let names = names.chain(&stored.features).chain([&stored.source_rows]);
        let names = names.chain(&stored.further_objectives);
        for name in names.chain(scaled) {
            let what = "bytes in the name of a column";
            check_count(what, name.len() as u64, MAX_NAME_BYTES as u64)?;
        }
        let sources = stored.sources.len() as u64;
        check_count("source tasks", sources, MAX_TASKS as u64)?;
        for task in &stored.sources {
            let what = "bytes in the name of a source task";
            check_count(what, task.len() as u64, MAX_NAME_BYTES as u64)?;
        }
        let scales = stored.scales.into_iter().map(scale_of_wire);
        Ok(Self {
            objective: stored.objective,
            further_objectives: stored.further_objectives,
            categorical: match stored.all_categorical {
                true => Categorical::All,
                false => Categorical::Columns(stored.categorical.into_iter().collect()),
            },
            scales: scales.collect::<Result<_, _>>()?,
            direction: match stored.maximise {
                true => Direction::Maximise,
                false => Direction::Minimise,
            },
            sources: SourceTasks {
                named: stored.sources.into_iter().collect(),
                most: stored.most_sources,
            },
            initial: InitialRows::of_wire(stored.initial)?,
            repeats: match (stored.mean_of_repeats, stored.draw_of_repeats) {
                (false, false) => Repeats::Refused,
                (true, false) => Repeats::Mean,
                (_, true) => Repeats::Draw,
            },
            features: match stored.all_features {
                true => Features::All,
                false => Features::Columns(stored.features.into_iter().collect()),
            },
            source_rows: Some(stored.source_rows).filter(|column| !column.is_empty()),
            protocol: Protocol::of_wire(stored.stream),
        })
    }
}

fn scale_of_wire(stored: wire::ColumnScale) -> Result<(String, Scale), MessageProblem> {
    let levels = stored.levels.len() as u64;
    check_count("levels of a column", levels, MAX_LEVELS as u64)?;
    for level in &stored.levels {
        check_count(
            "bytes in a level",
            level.len() as u64,
            MAX_LEVEL_BYTES as u64,
        )?;
    }
    let scale = match Scale::of_word(&stored.scale) {
        Some(Scale::Ordinal) if levels > 0 => Scale::Levels(stored.levels),
        Some(scale) if levels == 0 => scale,
        _ => return Err(MessageProblem::UnknownScale(excerpt(&stored.scale))),
    };
    Ok((stored.column, scale))
}

#[cfg(test)]
mod tests;
