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
mod tests {
    use super::*;

    fn spec(objective: &str, categorical: Categorical) -> TableSpec {
        TableSpec {
            objective: objective.into(),
            categorical,
            ..TableSpec::default()
        }
    }

    #[test]
    fn the_fingerprint_covers_bytes_objective_and_column_types() {
        let none = Categorical::Columns(BTreeSet::new());
        let base = spec("metric_error", none.clone()).fingerprint(b"table");
        assert_ne!(
            base,
            spec("metric_error", none.clone()).fingerprint(b"tablf")
        );
        assert_ne!(base, spec("metric_time", none).fingerprint(b"table"));
        assert_ne!(
            base,
            spec("metric_error", Categorical::All).fingerprint(b"table")
        );
    }

    fn declared() -> TableSpec {
        let mut initial = InitialRows::default();
        for (task, seed, row) in [("a", 0, 7), ("a", 0, 3), ("a", 1, 7), ("b", 0, 0)] {
            initial.add(task, seed, row);
        }
        let levels = ["small", "large"].map(str::to_owned).to_vec();
        TableSpec {
            scales: BTreeMap::from([
                ("hp_flag".into(), Scale::Boolean),
                ("hp_lr".into(), Scale::Log),
                ("hp_n".into(), Scale::Ordinal),
                ("hp_size".into(), Scale::Levels(levels)),
            ]),
            direction: Direction::Maximise,
            sources: SourceTasks {
                named: BTreeSet::from(["a".into(), "b".into()]),
                most: 3,
            },
            initial,
            repeats: Repeats::Mean,
            features: Features::Columns(["dataset_a", "dataset_b"].map(str::to_owned).into()),
            source_rows: Some("thinned".into()),
            protocol: Protocol::Stream,
            further_objectives: ["metric_latency", "metric_size"].map(str::to_owned).into(),
            ..spec("metric_accuracy", Categorical::default())
        }
    }

    #[test]
    fn undeclared_tables_keep_the_fingerprint_of_the_first_release() {
        // From Python's hashlib: SHA-256 over the fields, each after its length in 8 bytes.
        let columns = Categorical::Columns(BTreeSet::from(["hp_a".into()]));
        let fingerprint = spec("metric_error", columns).fingerprint(b"table");
        assert_eq!(fingerprint.to_string(), "9e8462b4caf03198d3c2452d8dbab156");
        let fingerprint = spec("metric_error", Categorical::All).fingerprint(b"table");
        assert_eq!(fingerprint.to_string(), "9c440390be463c0cfc67a7d22cc9c645");
    }

    #[test]
    fn tables_with_one_objective_keep_the_fingerprints_of_earlier_releases() {
        // From Python's hashlib, as above.
        let mut declared = declared();
        let fingerprint = declared.fingerprint(b"table").to_string();
        assert_eq!(fingerprint, "d0ba961a4bd0508e25c7290df5b016dd");
        declared.further_objectives.clear();
        let fingerprint = declared.fingerprint(b"table").to_string();
        assert_eq!(fingerprint, "1bdbbef608e01f43eb34a17efea5445a");
    }

    #[test]
    fn every_declaration_changes_the_fingerprint_and_survives_the_store() {
        let base = declared();
        let changes: [fn(&mut TableSpec); 20] = [
            |spec| spec.further_objectives.clear(),
            |spec| spec.further_objectives.reverse(),
            |spec| drop(spec.further_objectives.pop()),
            |spec| spec.features = Features::All,
            |spec| spec.features = Features::default(),
            |spec| spec.features = Features::Columns(["dataset_a".to_owned()].into()),
            |spec| spec.source_rows = None,
            |spec| spec.source_rows = Some("other".into()),
            |spec| spec.protocol = Protocol::LeaveOneOut,
            |spec| spec.initial = InitialRows::default(),
            |spec| assert!(spec.initial.add("a", 1, 8)),
            |spec| spec.repeats = Repeats::Refused,
            |spec| spec.repeats = Repeats::Draw,
            |spec| spec.direction = Direction::Minimise,
            |spec| spec.sources.most = 0,
            |spec| spec.sources.named.clear(),
            |spec| drop(spec.scales.remove("hp_flag")),
            |spec| drop(spec.scales.insert("hp_lr".into(), Scale::Ordinal)),
            |spec| {
                let turned = ["large", "small"].map(str::to_owned).to_vec();
                spec.scales.insert("hp_size".into(), Scale::Levels(turned));
            },
            |spec| spec.scales.clear(),
        ];
        for change in changes {
            let mut changed = base.clone();
            change(&mut changed);
            let fingerprint = changed.fingerprint(b"table");
            assert_ne!(fingerprint, base.fingerprint(b"table"), "{changed:?}");
            let bytes = changed.encode_with(b"table");
            assert_eq!(TableSpec::decode(&bytes, fingerprint).unwrap().0, changed);
        }
    }

    #[test]
    fn a_release_that_does_not_know_a_declaration_refuses_the_table() {
        // What it sees: the declarations that it knows, under the name that covers all of them.
        let base = declared();
        let known = TableSpec {
            objective: base.objective.clone(),
            ..TableSpec::default()
        };
        let bytes = known.encode_with(b"table");
        let error = TableSpec::decode(&bytes, base.fingerprint(b"table")).unwrap_err();
        assert!(error.to_string().contains("update this one"), "{error}");
    }

    #[test]
    fn a_scale_of_a_later_release_is_refused_by_its_name() {
        let mut stored = declared().to_wire();
        stored.scales[0].scale = "logit".into();
        let problem = TableSpec::of_wire(stored).unwrap_err().to_string();
        assert!(problem.contains("scale `logit`"), "{problem}");
    }

    #[test]
    fn a_changed_blob_is_noticed() {
        let declared = spec(
            "metric_error",
            Categorical::Columns(BTreeSet::from(["hp_a".to_string()])),
        );
        let fingerprint = declared.fingerprint(b"table");
        let mut bytes = declared.encode_with(b"table");
        let (decoded, file) = TableSpec::decode(&bytes, fingerprint).unwrap();
        assert_eq!((decoded, file.as_slice()), (declared, b"table".as_slice()));
        *bytes.last_mut().unwrap() ^= 1;
        assert!(TableSpec::decode(&bytes, fingerprint).is_err());
    }

    #[test]
    fn declarations_beyond_the_limits_are_refused() {
        let long = spec(&"x".repeat(MAX_NAME_BYTES + 1), Categorical::All);
        let columns = (0..=MAX_COLUMNS).map(|column| format!("hp_{column}"));
        let many = spec("metric_error", Categorical::Columns(columns.collect()));
        let objectives = |names: Vec<String>| TableSpec {
            further_objectives: names,
            ..spec("metric_error", Categorical::All)
        };
        let long_objective = objectives(vec!["x".repeat(MAX_NAME_BYTES + 1)]);
        let many_objectives = objectives(vec!["metric_error".into(); MAX_OBJECTIVES]);
        for (declared, expected) in [
            (long, "201 bytes"),
            (many, "1001 categorical columns"),
            (long_objective, "201 bytes"),
            (many_objectives, "11 objectives"),
        ] {
            let bytes = declared.encode_with(b"table");
            let error = TableSpec::decode(&bytes, declared.fingerprint(b"table")).unwrap_err();
            assert!(error.to_string().contains(expected), "{error}");
        }
        let huge = vec![0; MAX_BLOB_BYTES + 1];
        let error = TableSpec::decode(&huge, Fingerprint([0; 16])).unwrap_err();
        assert!(error.to_string().contains("70254593 bytes"), "{error}");
    }
}
