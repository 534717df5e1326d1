//! Reads and checks a table's CSV text.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::Read;

use csv::ByteRecord;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_COORDINATES, MAX_HYPERPARAMETER_VALUES, MAX_ROWS, MAX_TASKS};
use loto_proto::table_spec::TableSpec;

use super::bounded_lines::BoundedLines;
use super::encoding::{Column, Space};
use super::error::TableProblem;
use super::fields::{check_blackbox, level, number, task_name};
use super::header::Header;
use super::lookup_table::Task;
use super::scaling::scale;

/// What the CSV text says: the hyperparameters, the tasks and the black box.
pub(super) type Contents = (Space, Vec<Task>, Option<String>);

pub(super) fn read(csv: impl Read, spec: &TableSpec) -> Result<Contents, TableProblem> {
    let mut reader = csv::Reader::from_reader(BoundedLines::new(csv));
    let mut header = Header::read(reader.byte_headers()?, spec)?;
    let mut readers: Vec<TaskReader> = Vec::new();
    let mut task_indices: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut blackbox: Option<String> = None;
    let mut record = ByteRecord::new();
    let hashing = ConfigurationHashing::default();
    let mut rows = 0;
    while reader.read_byte_record(&mut record)? {
        reader.get_mut().end_record();
        let line = record.position().map_or(0, csv::Position::line);
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
        let name = &record[header.task];
        let index = match task_indices.get(name) {
            Some(&index) => index,
            None => {
                let text = task_name(name).map_err(|error| error.at(line, "task"))?;
                let index = readers.len();
                check_limit(index + 1, MAX_TASKS, "tasks")?;
                readers.push(TaskReader::new(text, &header));
                task_indices.insert(name.to_vec(), index);
                index
            }
        };
        if let Some(column) = header.blackbox {
            check_blackbox(&record[column], &mut blackbox)
                .map_err(|error| error.at(line, "blackbox"))?;
        }
        readers[index].push(&record, &mut header, &spec.objective, &hashing, line)?;
    }
    if readers.is_empty() {
        return Err(TableProblem::NoRows);
    }
    let mut tasks: Vec<Task> = readers.into_iter().map(|reader| reader.task).collect();
    let space = scale(header.hyperparameters, &mut tasks);
    match space.width() {
        coordinates if coordinates > MAX_COORDINATES => {
            Err(TableProblem::TooManyCoordinates(coordinates))
        }
        _ => Ok((space, tasks, blackbox)),
    }
}

/// A configuration's hash: 128 bits, so that chance makes no two alike.
type ConfigurationHash = [u64; 2];

/// Hashes with two random keys, so that nobody can write a table whose configurations collide.
/// The hashes take far less memory than the configurations.
#[derive(Default)]
struct ConfigurationHashing([RandomState; 2]);

impl ConfigurationHashing {
    fn hash(&self, configuration: &[u64]) -> ConfigurationHash {
        self.0.each_ref().map(|key| key.hash_one(configuration))
    }
}

/// A task with the rows read so far: numbers as they are written, levels in the order of reading.
struct TaskReader {
    task: Task,
    seen: HashSet<ConfigurationHash>,
}

impl TaskReader {
    fn new(name: String, header: &Header) -> Self {
        let columns = header.hyperparameters.iter();
        let columns = columns.map(|column| match column.categorical {
            true => Column::Categorical(Vec::new()),
            false => Column::Numeric(Vec::new()),
        });
        Self {
            task: Task {
                name,
                objective: Vec::new(),
                columns: columns.collect(),
            },
            seen: HashSet::new(),
        }
    }

    fn push(
        &mut self,
        record: &ByteRecord,
        header: &mut Header,
        objective: &str,
        hashing: &ConfigurationHashing,
        line: u64,
    ) -> Result<(), TableProblem> {
        let mut configuration = Vec::with_capacity(self.task.columns.len());
        let columns = self.task.columns.iter_mut();
        for (column, read) in columns.zip(&mut header.hyperparameters) {
            let field = &record[read.position];
            match column {
                Column::Numeric(values) => {
                    let value = number(field).map_err(|error| error.at(line, &read.name))?;
                    configuration.push(value.to_bits());
                    values.push(value);
                }
                Column::Categorical(levels) => {
                    let level_number = level(field, &mut read.levels)
                        .map_err(|error| error.at(line, &read.name))?;
                    configuration.push(level_number.into());
                    levels.push(level_number);
                }
            }
        }
        let value = number(&record[header.objective]).map_err(|error| error.at(line, objective))?;
        self.task.objective.push(value);
        if !self.seen.insert(hashing.hash(&configuration)) {
            return Err(TableProblem::DuplicateConfiguration {
                line,
                task: excerpt(&self.task.name),
            });
        }
        Ok(())
    }
}
