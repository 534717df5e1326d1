//! The lines of a file of traces, read and sorted into traces.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use csv::StringRecord;
use loto_engine::table::bounded_lines::BoundedLines;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{
    MAX_ITERATIONS, MAX_MAGNITUDE, MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES,
};

use super::assemble::Targets;

const COLUMNS: [&str; 6] = [
    "blackbox",
    "task",
    "optimizer",
    "seed",
    "iteration",
    "value",
];

/// One line of the file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluation {
    /// Counted as in the file, from 0 or 1.
    pub(super) iteration: u32,
    /// The value as it is written in the file.
    pub(super) value: f64,
    /// The line in the file, counted from 1.
    pub(super) line: u64,
}

/// Which trace an evaluation belongs to. Ordered as results are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TraceKey {
    /// Position of the black box in the sweep.
    pub(super) blackbox: usize,
    /// Position of the task among the black box's targets.
    pub(super) task: usize,
    /// Position of the optimizer in the order of first lines.
    pub(super) optimizer: usize,
    pub(super) seed: u32,
}

/// All lines of a file.
#[derive(Debug)]
pub(super) struct Recording {
    /// Names of the optimizers, in the order of their first lines.
    pub(super) optimizers: Vec<String>,
    /// The traces, each with its evaluations in the order of the iterations, without gaps.
    pub(super) traces: BTreeMap<TraceKey, Vec<Evaluation>>,
}

impl Recording {
    /// Reads the lines and checks that every trace is whole.
    ///
    /// # Errors
    /// A text that names the line and what is wrong with it.
    pub(super) fn read(reader: &mut dyn Read, targets: &Targets) -> Result<Self, String> {
        let mut lines = csv::Reader::from_reader(BoundedLines::new(reader));
        let columns = columns(lines.headers().map_err(|error| unreadable_line(&error))?)?;
        let mut optimizers = Optimizers::default();
        let mut traces: BTreeMap<TraceKey, Vec<Evaluation>> = BTreeMap::new();
        let mut record = StringRecord::new();
        let mut evaluations = 0;
        while lines
            .read_record(&mut record)
            .map_err(|error| unreadable_line(&error))?
        {
            lines.get_mut().end_record();
            let line = record.position().map_or(0, csv::Position::line);
            evaluations += 1;
            if evaluations > MAX_RECORDED_LINES {
                return Err(format!(
                    "line {line}: it has more than {MAX_RECORDED_LINES} lines, which is the most allowed"
                ));
            }
            let (key, evaluation) = parse(&record, line, &columns, targets, &mut optimizers)
                .map_err(|problem| format!("line {line}: {problem}"))?;
            traces.entry(key).or_default().push(evaluation);
        }
        let mut recording = Self {
            optimizers: optimizers.names,
            traces,
        };
        recording.check_whole(targets)?;
        Ok(recording)
    }

    /// Sorts each trace and checks that it has every iteration once.
    fn check_whole(&mut self, targets: &Targets) -> Result<(), String> {
        let iterations = self
            .traces
            .values()
            .flatten()
            .map(|evaluation| evaluation.iteration);
        let first = iterations.min().ok_or("it has no lines below its header")?;
        if first > 1 {
            return Err(format!(
                "its least iteration is {first}: iterations must count from 0 or from 1"
            ));
        }
        for (key, trace) in &mut self.traces {
            trace.sort_by_key(|evaluation| (evaluation.iteration, evaluation.line));
            let planned = targets.blackboxes[key.blackbox].iterations;
            check_trace(trace, first, planned).map_err(|problem| {
                let optimizer = &self.optimizers[key.optimizer];
                format!("{}: {problem}", targets.describe(key, optimizer))
            })?;
        }
        Ok(())
    }
}

/// Checks that the iterations are `first`, `first + 1`, ... and `planned` in number.
fn check_trace(trace: &[Evaluation], first: u32, planned: usize) -> Result<(), String> {
    for (evaluation, expected) in trace.iter().zip(first..) {
        let Evaluation {
            iteration, line, ..
        } = evaluation;
        if *iteration < expected {
            return Err(format!("line {line}: iteration {iteration} is there twice"));
        }
        if *iteration > expected {
            return Err(format!(
                "iteration {expected} is missing before line {line}"
            ));
        }
    }
    if trace.len() != planned {
        let last = trace.last().map_or(0, |evaluation| evaluation.line);
        return Err(format!(
            "it has {} iterations and ends at line {last}, but the sweep file plans {planned}: \
             complete the trace or set iterations of the black box",
            trace.len()
        ));
    }
    Ok(())
}

/// The optimizers seen so far.
#[derive(Debug, Default)]
struct Optimizers {
    names: Vec<String>,
    positions: HashMap<String, usize>,
}

impl Optimizers {
    fn position(&mut self, name: &str) -> Result<usize, String> {
        if let Some(&position) = self.positions.get(name) {
            return Ok(position);
        }
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return Err(format!(
                "the optimizer's name has {} bytes, allowed are 1 to {MAX_NAME_BYTES}",
                name.len()
            ));
        }
        if self.names.len() == MAX_OPTIMIZERS {
            return Err(format!(
                "`{}` is one optimizer too many, allowed are {MAX_OPTIMIZERS}",
                excerpt(name)
            ));
        }
        self.positions.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }
}

/// The positions of the columns.
fn columns(header: &StringRecord) -> Result<[usize; 6], String> {
    let mut positions = [0; 6];
    for (position, name) in positions.iter_mut().zip(COLUMNS) {
        let mut found = header
            .iter()
            .enumerate()
            .filter(|(_, column)| *column == name);
        *position = match (found.next(), found.next()) {
            (Some((position, _)), None) => position,
            (None, _) => {
                return Err(format!(
                    "column {name} is missing: needed are {}",
                    COLUMNS.join(", ")
                ));
            }
            (Some(_), Some(_)) => return Err(format!("column {name} is there twice")),
        };
    }
    Ok(positions)
}

fn parse(
    record: &StringRecord,
    line: u64,
    columns: &[usize; 6],
    targets: &Targets,
    optimizers: &mut Optimizers,
) -> Result<(TraceKey, Evaluation), String> {
    let [blackbox, task, optimizer, seed, iteration, value] =
        columns.map(|column| record.get(column).unwrap_or_default());
    let (blackbox, task) = targets.find(blackbox, task)?;
    let whole = |name: &str, text: &str, end: u32| {
        let number = text.parse::<u32>().ok().filter(|number| *number < end);
        number.ok_or_else(|| {
            format!(
                "{name} is `{}`, expected a whole number from 0 to {}",
                excerpt(text),
                end - 1
            )
        })
    };
    let key = TraceKey {
        blackbox,
        task,
        optimizer: optimizers.position(optimizer)?,
        seed: whole("seed", seed, targets.seeds)?,
    };
    let number = value
        .parse::<f64>()
        .ok()
        .filter(|number| number.abs() <= MAX_MAGNITUDE);
    let evaluation = Evaluation {
        iteration: whole("iteration", iteration, MAX_ITERATIONS + 1)?,
        value: number.ok_or_else(|| {
            format!(
                "value is `{}`, expected a number of a magnitude up to {MAX_MAGNITUDE:e}",
                excerpt(value)
            )
        })?,
        line,
    };
    Ok((key, evaluation))
}

fn unreadable_line(error: &csv::Error) -> String {
    match error.position() {
        Some(position) => format!("line {}: {error}", position.line()),
        None => error.to_string(),
    }
}
