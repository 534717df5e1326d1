//! Reads and checks a table's CSV text.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io::Read;

use csv::ByteRecord;
use loto_proto::identity::Fingerprint;
use loto_proto::table_spec::{Categorical, TableSpec};

use super::encoding::{Column, Hyperparameter, Kind, Space};
use super::{Table, Task};

/// Most columns of a table.
const MAX_COLUMNS: usize = 1_000;
/// Most rows of a table, over all tasks.
const MAX_ROWS: usize = 20_000_000;
/// Most tasks of a table.
const MAX_TASKS: usize = 10_000;
/// Most levels of a categorical hyperparameter.
const MAX_LEVELS: usize = 1_000;
/// Longest task name, in bytes: a job must be able to carry it.
const MAX_TASK_NAME: usize = loto_proto::job::MAX_NAME_BYTES;

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
    seen: HashSet<Vec<u64>>,
}

pub(super) fn read(csv: impl Read, spec: &TableSpec) -> Result<Table, String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(csv);
    let header = Header::read(reader.byte_headers().map_err(describe)?, spec)?;
    let mut levels = vec![BTreeMap::<String, u16>::new(); header.hyperparameters.len()];
    let mut tasks: Vec<RawTask> = Vec::new();
    let mut task_numbers: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut blackbox: Option<String> = None;
    let mut record = ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).map_err(describe)? {
        let line = record.position().map_or(0, csv::Position::line);
        rows += 1;
        if rows > MAX_ROWS {
            return Err(format!("line {line}: it has more than {MAX_ROWS} rows"));
        }
        let name = &record[header.task];
        let number = match task_numbers.get(name) {
            Some(&number) => number,
            None => {
                tasks.push(RawTask::new(task_name(name, line)?, &header));
                if tasks.len() > MAX_TASKS {
                    return Err(format!("line {line}: it has more than {MAX_TASKS} tasks"));
                }
                task_numbers.insert(name.to_vec(), tasks.len() - 1);
                tasks.len() - 1
            }
        };
        if let Some(column) = header.blackbox {
            check_blackbox(&record[column], &mut blackbox, line)?;
        }
        tasks[number].push(&record, &header, &mut levels, line)?;
    }
    if tasks.is_empty() {
        return Err("it has no rows".into());
    }
    Ok(finish(header, levels, tasks, blackbox))
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
        let mut seen = BTreeSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(format!("line 1: the column `{twice}` is there twice"));
        }
        let position = |wanted: &str| names.iter().position(|name| name == wanted);
        let listed = |prefix: &str| {
            let matching = names.iter().filter(|name| name.starts_with(prefix));
            let matching: Vec<_> = matching.map(String::as_str).collect();
            if matching.is_empty() {
                format!("no {prefix}* column")
            } else {
                matching.join(", ")
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
        if !self.seen.insert(configuration) {
            return Err(format!(
                "line {line}: task `{}` has this configuration already; each may be listed once",
                self.name
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
        csv::ErrorKind::Io(error) => format!("it cannot be unpacked: {error}"),
        _ => error.to_string(),
    }
}

fn task_name(name: &[u8], line: u64) -> Result<String, String> {
    match std::str::from_utf8(name) {
        Ok(name) if !name.is_empty() && name.len() <= MAX_TASK_NAME => Ok(name.to_owned()),
        _ => Err(format!(
            "line {line}, column `task`: a task's name must be a text of 1 to {MAX_TASK_NAME} bytes"
        )),
    }
}

fn check_blackbox(value: &[u8], known: &mut Option<String>, line: u64) -> Result<(), String> {
    match known {
        None => *known = Some(String::from_utf8_lossy(value).into_owned()),
        Some(known) if known.as_bytes() != value => {
            return Err(format!(
                "line {line}, column `blackbox`: `{}` after `{known}`; a table holds one black box",
                String::from_utf8_lossy(value)
            ));
        }
        Some(_) => {}
    }
    Ok(())
}

fn number(field: &[u8], column: &str, line: u64) -> Result<f64, String> {
    let text = std::str::from_utf8(field).map(str::trim);
    match text.map(str::parse::<f64>) {
        // Adding zero makes -0 and 0 the same configuration.
        Ok(Ok(value)) if value.is_finite() => Ok(value + 0.0),
        _ => Err(format!(
            "line {line}, column `{column}`: `{}` is not a finite number",
            String::from_utf8_lossy(&field[..field.len().min(80)])
        )),
    }
}

fn level(
    field: &[u8],
    levels: &mut BTreeMap<String, u16>,
    column: &str,
    line: u64,
) -> Result<u16, String> {
    let text = std::str::from_utf8(field)
        .map_err(|_| format!("line {line}, column `{column}`: the level is not valid UTF-8"))?;
    if let Some(&level) = levels.get(text) {
        return Ok(level);
    }
    if levels.len() >= MAX_LEVELS {
        return Err(format!(
            "line {line}, column `{column}`: more than {MAX_LEVELS} levels; is it numeric?"
        ));
    }
    let level = levels.len() as u16;
    levels.insert(text.to_owned(), level);
    Ok(level)
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
