//! Reads and checks a table's CSV text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::io::Read;

use csv::ByteRecord;
use loto_proto::excerpt::{excerpt, list};
use loto_proto::identity::Fingerprint;
use loto_proto::limits::{
    MAX_COLUMNS, MAX_COORDINATES, MAX_HYPERPARAMETER_VALUES, MAX_NAME_BYTES, MAX_ROWS, MAX_TASKS,
};
use loto_proto::table_spec::{Categorical, TableSpec};

use super::bounded_lines::BoundedLines;
use super::encoding::{Column, Hyperparameter, Kind, Space};
use super::fields::{check_blackbox, level, number, task_name};
use super::{Table, Task};

/// Where the columns are.
struct Header {
    hyperparameters: Vec<(usize, String, bool)>,
    objective: (usize, String),
    task: usize,
    blackbox: Option<usize>,
}

/// A hyperparameter column as read: before it is known over how many tasks.
enum RawColumn {
    Numeric(Vec<f64>),
    Categorical(Vec<u16>),
}

struct RawTask {
    name: String,
    objective: Vec<f64>,
    columns: Vec<RawColumn>,
    seen: HashSet<ConfigurationHash>,
}

pub(super) fn read(csv: impl Read, spec: &TableSpec) -> Result<Table, String> {
    let mut reader = csv::Reader::from_reader(BoundedLines::new(csv));
    let header = Header::read(reader.byte_headers().map_err(describe)?, spec)?;
    let mut levels = vec![BTreeMap::<String, u16>::new(); header.hyperparameters.len()];
    let mut tasks: Vec<RawTask> = Vec::new();
    let mut task_numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut blackbox: Option<String> = None;
    let mut record = ByteRecord::new();
    let hashing = ConfigurationHashing::default();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).map_err(describe)? {
        reader.get_mut().end_record();
        let line = record.position().map_or(0, csv::Position::line);
        rows += 1;
        if rows > MAX_ROWS {
            return Err(format!(
                "line {line}: it has more than {MAX_ROWS} rows, which is the most allowed"
            ));
        }
        if rows * header.hyperparameters.len() > MAX_HYPERPARAMETER_VALUES {
            return Err(format!(
                "line {line}: it has more than {MAX_HYPERPARAMETER_VALUES} hyperparameter values \
                 (rows times hyperparameters), which is the most allowed"
            ));
        }
        let name = &record[header.task];
        let number = match task_numbers.get(name) {
            Some(&number) => number,
            None => {
                tasks.push(RawTask::new(task_name(name, line)?, &header));
                if tasks.len() > MAX_TASKS {
                    return Err(format!(
                        "line {line}: it has more than {MAX_TASKS} tasks, which is the most allowed"
                    ));
                }
                task_numbers.insert(name.to_vec(), tasks.len() - 1);
                tasks.len() - 1
            }
        };
        if let Some(column) = header.blackbox {
            check_blackbox(&record[column], &mut blackbox, line)?;
        }
        tasks[number].push(&record, &header, &mut levels, &hashing, line)?;
    }
    if tasks.is_empty() {
        return Err("it has no rows".into());
    }
    let table = finish(header, levels, tasks, blackbox);
    let coordinates = table.space.width();
    if coordinates > MAX_COORDINATES {
        return Err(format!(
            "its rows have {coordinates} coordinates (one per numeric hyperparameter and per level), \
             allowed are {MAX_COORDINATES}"
        ));
    }
    Ok(table)
}

impl Header {
    fn read(names: &ByteRecord, spec: &TableSpec) -> Result<Self, String> {
        if names.len() > MAX_COLUMNS {
            return Err(format!(
                "it has {} columns, allowed are {MAX_COLUMNS}",
                names.len()
            ));
        }
        let names: Vec<String> = names
            .iter()
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect();
        if let Some(long) = names.iter().find(|name| name.len() > MAX_NAME_BYTES) {
            return Err(format!(
                "line 1: the name of the column `{}` has {} bytes, allowed are {MAX_NAME_BYTES}",
                excerpt(long),
                long.len()
            ));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(format!(
                "line 1: the column `{}` is there twice",
                excerpt(twice)
            ));
        }
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        let listed = |prefix: &str| {
            let matching = names.iter().filter(|name| name.starts_with(prefix));
            match list(matching.map(String::as_str)) {
                none if none.is_empty() => format!("no {prefix}* column"),
                matching => matching,
            }
        };
        let task = position("task").ok_or("line 1: the column `task` is missing")?;
        let objective = position(&spec.objective).ok_or_else(|| {
            format!(
                "line 1: the objective `{}` is not a column; the table has {}",
                spec.objective,
                listed("metric_")
            )
        })?;
        let hyperparameters: Vec<_> = names
            .iter()
            .enumerate()
            .filter(|(_, name)| name.starts_with("hp_"))
            .map(|(column, name)| {
                let categorical = match &spec.categorical {
                    Categorical::All => true,
                    Categorical::Columns(columns) => columns.contains(name),
                };
                (column, name.clone(), categorical)
            })
            .collect();
        if hyperparameters.is_empty() {
            return Err("line 1: there is no hyperparameter column (`hp_*`)".into());
        }
        if let Categorical::Columns(columns) = &spec.categorical {
            let known =
                |wanted: &&String| hyperparameters.iter().any(|(_, name, _)| name == *wanted);
            if let Some(unknown) = columns.iter().find(|wanted| !known(wanted)) {
                return Err(format!(
                    "line 1: the categorical column `{unknown}` is not a column; the table has {}",
                    listed("hp_")
                ));
            }
        }
        Ok(Self {
            hyperparameters,
            objective: (objective, spec.objective.clone()),
            task,
            blackbox: position("blackbox"),
        })
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

impl RawTask {
    fn new(name: String, header: &Header) -> Self {
        let columns = header.hyperparameters.iter();
        Self {
            name,
            objective: Vec::new(),
            columns: columns
                .map(|&(_, _, categorical)| match categorical {
                    true => RawColumn::Categorical(Vec::new()),
                    false => RawColumn::Numeric(Vec::new()),
                })
                .collect(),
            seen: HashSet::new(),
        }
    }

    fn push(
        &mut self,
        record: &ByteRecord,
        header: &Header,
        levels: &mut [BTreeMap<String, u16>],
        hashing: &ConfigurationHashing,
        line: u64,
    ) -> Result<(), String> {
        let mut configuration = Vec::with_capacity(self.columns.len());
        let columns = self.columns.iter_mut().zip(&header.hyperparameters);
        for ((column, (position, name, _)), levels) in columns.zip(levels) {
            match column {
                RawColumn::Numeric(values) => {
                    let value = number(&record[*position], name, line)?;
                    configuration.push(value.to_bits());
                    values.push(value);
                }
                RawColumn::Categorical(values) => {
                    let level = level(&record[*position], levels, name, line)?;
                    configuration.push(level.into());
                    values.push(level);
                }
            }
        }
        let (position, name) = &header.objective;
        self.objective.push(number(&record[*position], name, line)?);
        if !self.seen.insert(hashing.hash(&configuration)) {
            return Err(format!(
                "line {line}: task `{}` has this configuration already; each may be listed once",
                excerpt(&self.name)
            ));
        }
        Ok(())
    }
}

fn describe(error: csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths {
            pos,
            expected_len,
            len,
        } => format!(
            "line {}: it has {len} fields, the header has {expected_len}",
            pos.as_ref().map_or(0, csv::Position::line)
        ),
        csv::ErrorKind::Io(error) => format!("it cannot be read: {error}"),
        _ => error.to_string(),
    }
}

/// Scales numeric columns over all tasks and renumbers levels in sorted order.
fn finish(
    header: Header,
    levels: Vec<BTreeMap<String, u16>>,
    tasks: Vec<RawTask>,
    blackbox: Option<String>,
) -> Table {
    let mut hyperparameters = Vec::new();
    let mut renumbered = Vec::new();
    for (index, (_, name, _)) in header.hyperparameters.into_iter().enumerate() {
        let mut sorted_numbers = vec![0; levels[index].len()];
        for (sorted, &read) in levels[index].values().enumerate() {
            sorted_numbers[usize::from(read)] = sorted as u16;
        }
        let kind = match bounds(&tasks, index) {
            Some((minimum, maximum)) => Kind::Numeric { minimum, maximum },
            None => Kind::Categorical {
                levels: levels[index].keys().cloned().collect(),
            },
        };
        hyperparameters.push(Hyperparameter { name, kind });
        renumbered.push(sorted_numbers);
    }
    let encode = |(index, column): (usize, RawColumn)| match (column, &hyperparameters[index].kind)
    {
        (RawColumn::Numeric(values), &Kind::Numeric { minimum, maximum }) => {
            let scale = |value: f64| match maximum > minimum {
                true => ((value - minimum) / (maximum - minimum)).clamp(0.0, 1.0),
                false => 0.0,
            };
            Column::Numeric(values.into_iter().map(scale).collect())
        }
        (RawColumn::Numeric(values), Kind::Categorical { .. }) => Column::Numeric(values),
        (RawColumn::Categorical(values), _) => {
            let renumber = |level: u16| renumbered[index][usize::from(level)];
            Column::Categorical(values.into_iter().map(renumber).collect())
        }
    };
    let tasks = tasks
        .into_iter()
        .map(|task| Task {
            name: task.name,
            objective: task.objective,
            columns: task.columns.into_iter().enumerate().map(encode).collect(),
        })
        .collect();
    Table {
        fingerprint: Fingerprint([0; 16]),
        blackbox,
        space: Space { hyperparameters },
        tasks,
    }
}

/// Least and greatest value of a numeric column over all tasks; `None` if it is categorical.
fn bounds(tasks: &[RawTask], column: usize) -> Option<(f64, f64)> {
    let mut bounds = None;
    for task in tasks {
        let RawColumn::Numeric(values) = &task.columns[column] else {
            return None;
        };
        for &value in values {
            let (minimum, maximum) = bounds.unwrap_or((value, value));
            bounds = Some((minimum.min(value), maximum.max(value)));
        }
    }
    bounds
}
