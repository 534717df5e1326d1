//! The lines of a file of traces, read and sorted into traces.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;

use csv::StringRecord;
use loto_engine::table::records::Records;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES, MAX_SEEDS};
use loto_proto::untrusted_text::check_name;

use super::columns::Columns;
use super::error::{LineProblem, TraceProblem, TracesProblem};
use super::evaluation::{Evaluation, TraceKey};
use super::foreign::ForeignValues;
use super::line::Line;
use super::targets::Targets;

/// All lines of a file.
#[derive(Debug)]
pub(super) struct Recording {
    /// Names of the optimizers, in the order of their first lines.
    pub(super) optimizers: Vec<String>,
    /// The traces, each with its evaluations in the order of the iterations, without gaps.
    pub(super) traces: BTreeMap<TraceKey, Vec<Evaluation>>,
    /// Number of traces that were cut to the planned length, by black box and optimizer.
    pub(super) cut: BTreeMap<(usize, usize), usize>,
}

impl Recording {
    /// Reads the lines and checks that every trace is whole. Longer traces than planned are cut.
    ///
    /// # Errors
    /// [`TracesProblem`], which names the line and what is wrong with it.
    pub(super) fn read(
        reader: &mut dyn Read,
        targets: &mut Targets<'_>,
        foreign_values: &ForeignValues,
    ) -> Result<Self, TracesProblem> {
        let mut records = Records::new(reader);
        let columns = Columns::find(&records.header()?, &targets.columns())?;
        targets.read_configurations(&columns)?;
        let mut optimizers = Optimizers::default();
        let mut traces: BTreeMap<TraceKey, Vec<Evaluation>> = BTreeMap::new();
        let mut record = StringRecord::new();
        let mut evaluations = 0;
        while let Some(number) = records.next_text(&mut record)? {
            evaluations += 1;
            if evaluations > MAX_RECORDED_LINES {
                return Err(TracesProblem::TooManyLines(number));
            }
            let line = Line {
                record: &record,
                number,
                columns: &columns,
            };
            let (key, evaluation) = parse(&line, targets, &mut optimizers, foreign_values)
                .map_err(|problem| TracesProblem::Line {
                    line: number,
                    problem,
                })?;
            traces.entry(key).or_default().push(evaluation);
        }
        let mut recording = Self {
            optimizers: optimizers.names,
            traces,
            cut: BTreeMap::new(),
        };
        recording.check_whole(targets)?;
        recording.check_seeds()?;
        Ok(recording)
    }

    /// Sorts each trace, checks that it has every iteration once, and cuts it to the planned length.
    fn check_whole(&mut self, targets: &Targets<'_>) -> Result<(), TracesProblem> {
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
            if trace.len() > planned {
                trace.truncate(planned);
                *self.cut.entry((key.blackbox, key.optimizer)).or_default() += 1;
            }
        }
        Ok(())
    }

    fn check_seeds(&self) -> Result<(), TracesProblem> {
        let mut seeds: Vec<u32> = self.traces.keys().map(|key| key.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        match seeds.len() > MAX_SEEDS as usize {
            true => Err(TracesProblem::TooManySeeds(seeds.len())),
            false => Ok(()),
        }
    }
}

/// Checks that the iterations are `first`, `first + 1`, ... and at least `planned` in number, and that all of
/// them or none have a row and seconds.
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
    if trace.len() < planned {
        return Err(TraceProblem::TooShort {
            found: trace.len(),
            line: trace.last().map_or(0, |evaluation| evaluation.line),
            planned,
        });
    }
    check_all_or_none(trace, "row", |evaluation| evaluation.row.is_some())?;
    check_all_or_none(trace, "seconds", |evaluation| evaluation.seconds.is_some())
}

fn check_all_or_none(
    trace: &[Evaluation],
    column: &'static str,
    has: impl Fn(&Evaluation) -> bool,
) -> Result<(), TraceProblem> {
    let lacking = trace.iter().find(|evaluation| !has(evaluation));
    match lacking {
        Some(evaluation) if trace.iter().any(has) => Err(TraceProblem::EmptyField {
            column,
            line: evaluation.line,
        }),
        _ => Ok(()),
    }
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
        check_name(name)?;
        if self.names.len() == MAX_OPTIMIZERS {
            return Err(LineProblem::TooManyOptimizers(excerpt(name)));
        }
        self.positions.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        Ok(self.names.len() - 1)
    }
}

fn parse(
    line: &Line<'_>,
    targets: &Targets<'_>,
    optimizers: &mut Optimizers,
    foreign_values: &ForeignValues,
) -> Result<(TraceKey, Evaluation), LineProblem> {
    let (position, task) = line.target(targets)?;
    let blackbox = &targets.blackboxes[position];
    let key = TraceKey {
        blackbox: position,
        task,
        optimizer: optimizers.position(line.optimizer())?,
        seed: line.seed()?,
    };
    let on_foreign = foreign_values.rule(&blackbox.name);
    let columns = &line.columns.hyperparameters[position];
    let evaluation = line.evaluation(blackbox, task, on_foreign, columns)?;
    Ok((key, evaluation))
}
