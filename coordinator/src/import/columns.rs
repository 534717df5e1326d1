//! Imports CSV and Parquet files, and folders of them, by naming their columns.

use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::path::Path;

use csv::StringRecord;
use loto_engine::table::container;
use loto_engine::table::records::{RecordError, Records};
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};
use loto_proto::suggestion::suggest;
use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::check_name;

use super::destination::{Destination, Imported};
use super::error::{ContentProblem, ImportError};
use super::scales::{ColumnKind, ColumnKinds, prefixed};
use super::sweep_text::ImportedBlackbox;
use crate::table_files;
use crate::table_files::error::TableFileError;

/// Seeds of the sweep file to start from.
const SEEDS: u32 = 10;

/// Which columns of a file are imported.
#[derive(Debug)]
pub struct ColumnChoice {
    /// Name of the black box.
    pub name: String,
    /// The column of tasks.
    pub task: String,
    /// The columns of hyperparameters; those that begin with `hp_` if empty.
    pub hyperparameters: Vec<String>,
    /// The column of the objective.
    pub metric: String,
    /// The column that tells repeated measurements of a configuration apart; the sweep takes their mean.
    pub seed: Option<String>,
    /// Whether it is minimised; `None` if nobody said: then it is, with a warning if it looks as if large values were good.
    pub direction: Option<Direction>,
}

/// Imports a file into a new folder.
///
/// # Errors
/// [`ImportError`], which names the file, the line and the column. There is no new folder then, unless it is [`ImportError::Plan`].
pub fn import(file: &Path, choice: &ColumnChoice, target: &Path) -> Result<Imported, ImportError> {
    check_name(&choice.name)
        .map_err(|hazard| ImportError::content(file, "--name".to_owned(), hazard.into()))?;
    let bytes = table_files::read(file)?;
    if bytes.len() > MAX_TABLE_FILE_BYTES {
        return Err(ImportError::LargeFile(file.to_owned()));
    }
    let mut destination = Destination::new(target)?;
    let mut counts = ConfigurationCounts::default();
    let opened = std::io::Cursor::new(bytes);
    let (blackbox, kinds, notes) = container::with_csv(opened, MAX_UNPACKED_BYTES, |text| {
        let mut records = Records::new(text);
        let header = records.header()?;
        let columns = Columns::find(&header, choice, file)?;
        let mut table = destination.table(&choice.name, &columns.header)?;
        let mut kinds = ColumnKinds::new(columns.hyperparameters.len());
        let mut record = StringRecord::new();
        while let Some(line) = records.next_text(&mut record)? {
            let positions = columns.hyperparameters.iter();
            let others = [columns.metric, columns.task];
            let fields = positions.chain(&others).chain(&columns.seed);
            let row: Vec<String> = fields
                .map(|&position| record[position].to_owned())
                .collect();
            let refuse = |column: usize, problem| {
                let (file, line) = table_files::origin(file, line);
                let place = format!("line {line}, column `{}`", excerpt(&header[column]));
                ImportError::content(&file, place, problem)
            };
            let metric = &record[columns.metric];
            if !metric.trim().parse().is_ok_and(f64::is_finite) {
                return Err(
                    refuse(columns.metric, ContentProblem::NoNumber(excerpt(metric))).into(),
                );
            }
            let mut needed = columns.hyperparameters.iter().chain(&columns.seed);
            let missing = needed.find(|&&position| is_missing(&record[position]));
            // A task may be called NA.
            let no_task = record[columns.task].trim().is_empty();
            if let Some(&empty) = missing.or(no_task.then_some(&columns.task)) {
                return Err(refuse(empty, ContentProblem::Empty).into());
            }
            let configuration = || {
                let positions = columns.hyperparameters.iter();
                positions.map(|&position| &record[position])
            };
            kinds.add(configuration());
            let is_new = counts.add(&record[columns.task], configuration());
            if !is_new && columns.seed.is_none() {
                return Err(refuse(columns.task, ContentProblem::Repeated).into());
            }
            table.push(&row)?;
        }
        let blackbox = ImportedBlackbox {
            name: choice.name.clone(),
            table: table.finish()?,
            objective: columns.header[columns.hyperparameters.len()].clone(),
            direction: choice.direction,
            is_repeated: choice.seed.is_some(),
            ..ImportedBlackbox::default()
        };
        let notes = kinds.notes(&columns.header);
        let named = columns.header.into_iter().zip(kinds.kinds());
        Ok((blackbox, named.collect::<Vec<_>>(), notes))
    })
    .map_err(|error: ReadError| error.of(file))?;
    let with_kind = |kind: ColumnKind| {
        let matching = kinds.iter().filter(move |(_, known)| *known == kind);
        matching.map(|(name, _)| name.clone())
    };
    let booleans = with_kind(ColumnKind::Boolean).map(|name| (name, "boolean"));
    let blackbox = ImportedBlackbox {
        categorical: with_kind(ColumnKind::Categorical).collect(),
        scales: booleans.collect(),
        fewest_rows: counts.fewest(),
        ..blackbox
    };
    destination.finish(&choice.name, SEEDS, &[blackbox], notes)
}

/// Whether a field says that there is no value, as programs for statistics write it.
fn is_missing(field: &str) -> bool {
    let field = field.trim();
    field.is_empty()
        || ["nan", "na", "null"]
            .iter()
            .any(|missing| field.eq_ignore_ascii_case(missing))
}

/// The configurations of each task, by hashes: of two with the same hash one may be missing.
#[derive(Default)]
struct ConfigurationCounts {
    hashing: RandomState,
    configurations: BTreeMap<String, HashSet<u64>>,
}

impl ConfigurationCounts {
    /// Whether the configuration is new on its task.
    fn add<'a>(&mut self, task: &str, configuration: impl Iterator<Item = &'a str>) -> bool {
        let mut hasher = self.hashing.build_hasher();
        for field in configuration {
            // 0.1 and 1e-1 are the same number, and so are -0 and 0 once zero is added.
            match field.trim().parse::<f64>() {
                Ok(number) => (number + 0.0).to_bits().hash(&mut hasher),
                Err(_) => field.trim().hash(&mut hasher),
            }
        }
        let of_task = self.configurations.entry(task.to_owned()).or_default();
        of_task.insert(hasher.finish())
    }

    /// The number of configurations of the task with the fewest.
    fn fewest(&self) -> usize {
        let of_tasks = self.configurations.values().map(HashSet::len);
        of_tasks.min().unwrap_or(0)
    }
}

/// Where the columns are, and what they are called in the table.
struct Columns {
    hyperparameters: Vec<usize>,
    metric: usize,
    task: usize,
    seed: Option<usize>,
    header: Vec<String>,
}

impl Columns {
    fn find(
        header: &StringRecord,
        choice: &ColumnChoice,
        file: &Path,
    ) -> Result<Self, ImportError> {
        let names: Vec<&str> = header.iter().map(str::trim).collect();
        let refuse = |column: &str, problem| {
            let place = format!("line 1, column `{}`", excerpt(column));
            ImportError::content(file, place, problem)
        };
        let position = |wanted: &str| {
            let mut found = (0..names.len()).filter(|&column| names[column] == wanted);
            match (found.next(), found.next()) {
                (Some(only), None) => Ok(only),
                (Some(_), Some(_)) => Err(refuse(wanted, ContentProblem::ColumnTwice)),
                (None, _) => {
                    let problem = ContentProblem::UnknownColumn(suggest(wanted, &names));
                    Err(refuse(wanted, problem))
                }
            }
        };
        let hyperparameters: Vec<usize> = match choice.hyperparameters.as_slice() {
            [] => (0..names.len())
                .filter(|&column| names[column].starts_with("hp_"))
                .collect(),
            named => named
                .iter()
                .map(|name| position(name))
                .collect::<Result<_, _>>()?,
        };
        let (metric, task) = (position(&choice.metric)?, position(&choice.task)?);
        let seed = choice.seed.as_deref().map(position).transpose()?;
        let roles = [metric, task].into_iter().chain(seed);
        let roles: Vec<usize> = roles.chain(hyperparameters.iter().copied()).collect();
        let shared = (1..roles.len()).find(|&place| roles[..place].contains(&roles[place]));
        if let Some(place) = shared {
            return Err(refuse(names[roles[place]], ContentProblem::TwoRoles));
        }
        let called = hyperparameters
            .iter()
            .map(|&column| prefixed("hp_", names[column]));
        let metric_name = prefixed("metric_", names[metric]);
        let others = [metric_name, "task".to_owned()];
        let header = called.chain(others).chain(seed.map(|_| "seed".to_owned()));
        let header: Vec<String> = header.collect();
        let twice = (1..header.len()).find(|&column| header[..column].contains(&header[column]));
        if let Some(twice) = twice {
            let problem = ContentProblem::SameColumn(excerpt(&header[twice]));
            return Err(ImportError::content(file, "line 1".to_owned(), problem));
        }
        Ok(Self {
            hyperparameters,
            metric,
            task,
            seed,
            header,
        })
    }
}

/// What is wrong with the file, or with what is written.
enum ReadError {
    Container(container::ContainerError),
    Record(RecordError),
    Import(ImportError),
}

impl From<container::ContainerError> for ReadError {
    fn from(error: container::ContainerError) -> Self {
        Self::Container(error)
    }
}

impl From<RecordError> for ReadError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<ImportError> for ReadError {
    fn from(error: ImportError) -> Self {
        Self::Import(error)
    }
}

impl ReadError {
    fn of(self, file: &Path) -> ImportError {
        let path = file.to_owned();
        match self {
            Self::Container(source) => TableFileError::Container { path, source }.into(),
            Self::Record(source) => ImportError::Record { path, source },
            Self::Import(error) => error,
        }
    }
}
