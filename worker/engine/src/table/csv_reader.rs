//! Reads and checks a table's CSV text.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::io::Read;
use std::iter;

use csv::ByteRecord;
use foldhash::{fast, quality};
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_HYPERPARAMETER_VALUES, MAX_ROWS, MAX_TASKS};
use loto_proto::scale::Scale;
use loto_proto::table_spec::{Repeats, TableSpec};

use super::encoding::Column;
use super::error::{FieldError, LEAST_RANGE, TableProblem};
use super::features;
use super::fields::{boolean, check_blackbox, linear_number, positive_number, task_name};
use super::header::{Header, HyperparameterColumn, column_names, position_of_tasks};
use super::lookup_table::Task;
use super::measurements::Measurements;
use super::records::Records;
use super::source_rows::SourceRows;

/// What the CSV text says.
pub(super) struct Contents {
    /// The columns of hyperparameters.
    pub(super) hyperparameters: Vec<HyperparameterColumn>,
    /// The tasks, whose columns hold numbers as they are written.
    pub(super) tasks: Vec<Task>,
    /// Of each task, if a column says so.
    pub(super) source_rows: Option<Vec<SourceRows>>,
    pub(super) blackbox: Option<String>,
}

/// The names of the columns of hyperparameters.
pub(super) fn hyperparameter_names(csv: impl Read) -> Result<Vec<String>, TableProblem> {
    let mut names = column_names(&Records::new(csv).byte_header()?)?;
    position_of_tasks(&names)?;
    names.retain(|name| name.starts_with("hp_"));
    match names.as_slice() {
        [] => Err(TableProblem::NoHyperparameter),
        _ => Ok(names),
    }
}

/// Reads the text as it is declared, the columns of the objectives by `measured`.
pub(super) fn read(
    csv: impl Read,
    spec: &TableSpec,
    measured: fn(&[u8]) -> Result<f64, FieldError>,
) -> Result<Contents, TableProblem> {
    let mut records = Records::new(csv);
    let mut header = Header::read(&records.byte_header()?, spec)?;
    let mut readers: Vec<TaskReader> = Vec::new();
    let mut task_indices: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut blackbox: Option<String> = None;
    let mut record = ByteRecord::new();
    let mut values = Vec::new();
    let mut latest = 0;
    let hashing = ConfigurationHashing::default();
    let mut rows = 0;
    while let Some(line) = records.next_bytes(&mut record)? {
        let check_limit = |count: usize, most: usize, what: &'static str| match count > most {
            true => Err(TableProblem::TooMany { line, most, what }),
            false => Ok(()),
        };
        rows += 1;
        check_limit(rows, MAX_ROWS, "rows")?;
        check_limit(
            rows * header.hyperparameters.len(),
            MAX_HYPERPARAMETER_VALUES,
            "hyperparameter values (rows times hyperparameters)",
        )?;
        // A task with a space behind its name would be another task, and so a source of itself.
        let name = record[header.task].trim_ascii();
        // Rows of a task mostly follow each other.
        let is_latest = |reader: &TaskReader| reader.task.name.as_bytes() == name;
        let known = match readers.get(latest).is_some_and(is_latest) {
            true => Some(latest),
            false => task_indices.get(name).copied(),
        };
        latest = match known {
            Some(index) => index,
            None => {
                let text = task_name(name).map_err(|error| error.at(line, "task"))?;
                let index = readers.len();
                check_limit(index + 1, MAX_TASKS, "tasks")?;
                readers.push(TaskReader::new(text, line, &header, spec.repeats));
                task_indices.insert(name.to_vec(), index);
                index
            }
        };
        if let Some(column) = header.blackbox {
            check_blackbox(record[column].trim_ascii(), &mut blackbox)
                .map_err(|error| error.at(line, "blackbox"))?;
        }
        values.clear();
        for (position, name) in &header.objectives {
            let value = measured(&record[*position]).map_err(|error| error.at(line, name))?;
            values.push(spec.direction.turn(value));
        }
        readers[latest].push(&record, &values, &mut header, spec, &hashing, line)?;
    }
    if readers.is_empty() {
        return Err(TableProblem::NoRows);
    }
    let (tasks, source_rows): (Vec<_>, _) = readers.into_iter().map(TaskReader::finish).unzip();
    for task in &tasks {
        check_ranges(task, &header.objectives)?;
    }
    Ok(Contents {
        hyperparameters: header.hyperparameters,
        tasks,
        source_rows: header.source_rows.is_some().then_some(source_rows),
        blackbox,
    })
}

/// Checks that statistics can tell the values of each objective apart.
fn check_ranges(task: &Task, columns: &[(usize, String)]) -> Result<(), TableProblem> {
    for (values, (_, column)) in task.objectives().into_iter().zip(columns) {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let greatest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let range = greatest - least;
        if range > 0.0 && range < LEAST_RANGE {
            return Err(TableProblem::SmallRange {
                task: excerpt(&task.name),
                column: column.clone(),
                range,
            });
        }
    }
    Ok(())
}

/// A configuration's hash: 128 bits, so that chance makes no two alike.
pub(super) type ConfigurationHash = [u64; 2];

/// Hashes with two keys that each process draws anew, so that no table can be prepared whose configurations collide.
/// The hashes take far less memory than the configurations.
#[derive(Default)]
pub(super) struct ConfigurationHashing([quality::RandomState; 2]);

impl ConfigurationHashing {
    pub(super) fn hash(&self, configuration: &[u64]) -> ConfigurationHash {
        self.0.each_ref().map(|key| key.hash_one(configuration))
    }

    fn hash_repeat(&self, configuration: &[u64], seed: &[u8]) -> ConfigurationHash {
        self.0
            .each_ref()
            .map(|key| key.hash_one((configuration, seed)))
    }
}

/// A task with the rows read so far: numbers as they are written, levels in the order of reading.
struct TaskReader {
    task: Task,
    seen: HashSet<ConfigurationHash, fast::RandomState>,
    /// A buffer for the configuration of a row.
    configuration: Vec<u64>,
    repeats: RepeatedRows,
    source_rows: SourceRows,
}

/// The rows whose values are means of repeated measurements.
#[derive(Default)]
struct RepeatedRows {
    rows: HashMap<ConfigurationHash, usize>,
    /// Number of measurements of each row.
    counts: Vec<u32>,
    /// Each measurement of each objective with its row, where one of them is drawn.
    measured: Option<Vec<(usize, Vec<f64>)>>,
}

impl TaskReader {
    fn new(name: String, first_line: u64, header: &Header, repeats: Repeats) -> Self {
        let columns = header.hyperparameters.iter();
        let columns = columns.map(|column| match column.scale {
            Scale::Categorical => Column::Categorical(Vec::new()),
            _ => Column::Numeric(Vec::new()),
        });
        Self {
            task: Task {
                name,
                first_line,
                objective: Vec::new(),
                further_objectives: vec![Vec::new(); header.objectives.len() - 1],
                measurements: None,
                columns: columns.collect(),
                features: Vec::new(),
            },
            source_rows: SourceRows::default(),
            seen: HashSet::default(),
            configuration: Vec::new(),
            repeats: RepeatedRows {
                measured: (repeats == Repeats::Draw).then(Vec::new),
                ..RepeatedRows::default()
            },
        }
    }

    /// The task, once all rows are read, and which of its rows a source has.
    fn finish(mut self) -> (Task, SourceRows) {
        let further = self.task.further_objectives.iter_mut();
        for column in iter::once(&mut self.task.objective).chain(further) {
            let means = column.iter_mut().zip(&self.repeats.counts);
            means.for_each(|(sum, count)| *sum /= f64::from(*count));
        }
        let measured = self.repeats.measured;
        self.task.measurements =
            measured.map(|measured| Measurements::new(self.task.rows(), measured));
        (self.task, self.source_rows)
    }

    /// Adds a measurement to the row of its configuration, which is taken away if it is not the first one; returns
    /// the row.
    fn merge_repeat(&mut self, configuration: ConfigurationHash, values: &[f64]) -> usize {
        let next = self.repeats.counts.len();
        let row = *self.repeats.rows.entry(configuration).or_insert(next);
        let is_new = row == next;
        match is_new {
            true => self.push_values(values),
            false => {
                self.task.objective[row] += values[0];
                let further = self.task.further_objectives.iter_mut().zip(&values[1..]);
                further.for_each(|(column, value)| column[row] += value);
            }
        }
        if let Some(measured) = &mut self.repeats.measured {
            measured.push((row, values.to_vec()));
        }
        if is_new {
            self.repeats.counts.push(1);
            return row;
        }
        for column in &mut self.task.columns {
            match column {
                Column::Numeric(values) => values.truncate(next),
                Column::Categorical(levels) => levels.truncate(next),
            }
        }
        self.repeats.counts[row] += 1;
        row
    }

    /// Adds a row with a value of each objective.
    fn push_values(&mut self, values: &[f64]) {
        self.task.objective.push(values[0]);
        let further = self.task.further_objectives.iter_mut().zip(&values[1..]);
        further.for_each(|(column, &value)| column.push(value));
    }

    fn push(
        &mut self,
        record: &ByteRecord,
        objectives: &[f64],
        header: &mut Header,
        spec: &TableSpec,
        hashing: &ConfigurationHashing,
        line: u64,
    ) -> Result<(), TableProblem> {
        let configuration = &mut self.configuration;
        configuration.clear();
        let columns = self.task.columns.iter_mut();
        for (column, read) in columns.zip(&mut header.hyperparameters) {
            let field = &record[read.position];
            match column {
                Column::Numeric(values) => {
                    let value =
                        read_number(field, read).map_err(|error| error.at(line, &read.name))?;
                    configuration.push(value.to_bits());
                    values.push(value);
                }
                Column::Categorical(levels) => {
                    let level_number = read
                        .level(field)
                        .map_err(|error| error.at(line, &read.name))?;
                    configuration.push(level_number.into());
                    levels.push(level_number);
                }
            }
        }
        let seed = match (spec.repeats, header.seed) {
            (Repeats::Refused, _) => None,
            (Repeats::Mean | Repeats::Draw, Some(column)) => Some(&record[column]),
            (Repeats::Mean | Repeats::Draw, None) => return Err(TableProblem::NoSeedColumn),
        };
        let hash = hashing.hash(configuration);
        let is_new = self.seen.insert(match seed {
            None => hash,
            Some(seed) => hashing.hash_repeat(configuration, seed),
        });
        if !is_new {
            return Err(TableProblem::DuplicateConfiguration {
                line,
                task: excerpt(&self.task.name),
                seed: seed.map(|seed| excerpt(&String::from_utf8_lossy(seed))),
            });
        }
        let row = match seed {
            None => {
                self.push_values(objectives);
                self.task.rows() - 1
            }
            Some(_) => self.merge_repeat(hash, objectives),
        };
        if let Some((position, name)) = &header.source_rows {
            let read = self.source_rows.read(row, &record[*position]);
            read.map_err(|error| error.at(line, name))?;
        }
        features::read(record, &header.features, &mut self.task.features, line)
    }
}

/// The configurations of a task that is not scaled yet, row by row, as numbers that are equal where the values are.
pub(super) fn configurations(task: &Task) -> impl Iterator<Item = Vec<u64>> + '_ {
    (0..task.rows()).map(move |row| {
        let value = |column: &Column| match column {
            Column::Numeric(values) => values[row].to_bits(),
            Column::Categorical(levels) => levels[row].into(),
        };
        task.columns.iter().map(value).collect()
    })
}

/// Reads a value of a column that becomes a single coordinate.
pub(super) fn read_number(field: &[u8], column: &HyperparameterColumn) -> Result<f64, FieldError> {
    match column.scale {
        Scale::Log => positive_number(field),
        Scale::Boolean => boolean(field),
        Scale::Levels(_) => column.ordered.position(field),
        Scale::Linear | Scale::Ordinal | Scale::Categorical => linear_number(field, &column.name),
    }
}
