//! The lines of a file of traces, read and sorted into traces.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use csv::StringRecord;
use loto_engine::table::bounded_lines::BoundedLines;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{
    MAX_ITERATIONS, MAX_MAGNITUDE, MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES,
};

use super::error::{LineProblem, TraceProblem, TracesProblem};
use super::evaluation::{COLUMNS, Evaluation, TraceKey};
use super::targets::Targets;

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
    /// [`TracesProblem`], which names the line and what is wrong with it.
    pub(super) fn read(reader: &mut dyn Read, targets: &Targets) -> Result<Self, TracesProblem> {
        let mut lines = csv::Reader::from_reader(BoundedLines::new(reader));
        let columns = columns(lines.headers()?)?;
        let mut optimizers = Optimizers::default();
        let mut traces: BTreeMap<TraceKey, Vec<Evaluation>> = BTreeMap::new();
        let mut record = StringRecord::new();
        let mut evaluations = 0;
        while lines.read_record(&mut record)? {
            lines.get_mut().end_record();
            let line = record.position().map_or(0, csv::Position::line);
            evaluations += 1;
            if evaluations > MAX_RECORDED_LINES {
                return Err(TracesProblem::TooManyLines(line));
            }
            let (key, evaluation) = parse(&record, line, &columns, targets, &mut optimizers)
                .map_err(|problem| TracesProblem::Line { line, problem })?;
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
    fn check_whole(&mut self, targets: &Targets) -> Result<(), TracesProblem> {
        let evaluations = self.traces.values().flatten();
        let iterations = evaluations.map(|evaluation| evaluation.iteration);
        let least = iterations.min().ok_or(TracesProblem::NoLines)?;
        if least > 1 {
            return Err(TracesProblem::LateStart(least));
        }
        for (key, trace) in &mut self.traces {
            trace.sort_by_key(|evaluation| (evaluation.iteration, evaluation.line));
            let planned = targets.blackboxes[key.blackbox].iterations;
            check_trace(trace, least, planned).map_err(|problem| TracesProblem::Trace {
                trace: targets.describe(key, &self.optimizers[key.optimizer]),
                problem,
            })?;
        }
        Ok(())
    }
}

/// Checks that the iterations are `first`, `first + 1`, ... and `planned` in number.
fn check_trace(trace: &[Evaluation], first: u32, planned: usize) -> Result<(), TraceProblem> {
    for (evaluation, expected) in trace.iter().zip(first..) {
        let line = evaluation.line;
        match evaluation.iteration.cmp(&expected) {
            Ordering::Equal => {}
            Ordering::Less => {
                let iteration = evaluation.iteration;
                return Err(TraceProblem::DoubleIteration { iteration, line });
            }
            Ordering::Greater => {
                let iteration = expected;
                return Err(TraceProblem::MissingIteration { iteration, line });
            }
        }
    }
    if trace.len() != planned {
        return Err(TraceProblem::WrongLength {
            found: trace.len(),
            line: trace.last().map_or(0, |evaluation| evaluation.line),
            planned,
        });
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
    fn position(&mut self, name: &str) -> Result<usize, LineProblem> {
        if let Some(&position) = self.positions.get(name) {
            return Ok(position);
        }
        if name.is_empty() || name.len() > MAX_NAME_BYTES {
            return Err(LineProblem::OptimizerName(name.len()));
        }
        if self.names.len() == MAX_OPTIMIZERS {
            return Err(LineProblem::TooManyOptimizers(excerpt(name)));
        }
        self.positions.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }
}

/// The positions of the columns.
fn columns(header: &StringRecord) -> Result<[usize; 6], TracesProblem> {
    let mut positions = [0; 6];
    for (position, column) in positions.iter_mut().zip(COLUMNS) {
        let mut found = (0..header.len()).filter(|&index| &header[index] == column);
        *position = match (found.next(), found.next()) {
            (Some(only), None) => only,
            (None, _) => return Err(TracesProblem::MissingColumn(column)),
            (Some(_), Some(_)) => return Err(TracesProblem::DoubleColumn(column)),
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
) -> Result<(TraceKey, Evaluation), LineProblem> {
    let [blackbox_name, task_name, optimizer, seed, iteration, value] =
        columns.map(|column| record.get(column).unwrap_or_default());
    let (blackbox, task) = targets.find(blackbox_name, task_name)?;
    let whole = |column: &'static str, text: &str, most: u32| {
        let number = text.parse().ok().filter(|number| *number <= most);
        number.ok_or_else(|| LineProblem::NoWholeNumber {
            column,
            text: excerpt(text),
            most,
        })
    };
    let key = TraceKey {
        blackbox,
        task,
        optimizer: optimizers.position(optimizer)?,
        seed: whole("seed", seed, targets.seeds.saturating_sub(1))?,
    };
    let number = value.parse().ok();
    let number = number.filter(|number: &f64| number.abs() <= MAX_MAGNITUDE);
    let evaluation = Evaluation {
        iteration: whole("iteration", iteration, MAX_ITERATIONS)?,
        value: number.ok_or_else(|| LineProblem::NoValue(excerpt(value)))?,
        line,
    };
    Ok((key, evaluation))
}
