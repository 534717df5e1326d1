//! Checked lines become results, arranged as the sweep file plans them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

use super::error::TracesProblem;
use super::evaluation::{Evaluation, TraceKey};
use super::foreign::{ForeignValues, OnForeign, table_value};
use super::foreign_report::ForeignReport;
use super::recording::Recording;
use super::targets::{TargetBlackbox, Targets};

/// Recorded traces, checked and arranged like a sweep's own results.
#[derive(Debug)]
pub struct ScoredTraces {
    /// The traces; the methods are the optimizers, in the order of their first line.
    pub results: SweepResults,
    /// What readers of the scores must know about values that are in no table, one sentence each.
    pub notes: Vec<String>,
}

/// Looks every value up in its table and arranges the traces.
///
/// # Errors
/// [`TracesProblem::ForeignValues`], [`TracesProblem::ForeignFirstValue`].
pub(super) fn assemble(
    name: &str,
    recording: Recording,
    targets: &Targets,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, TracesProblem> {
    let optimizers = &recording.optimizers;
    let mut foreign = ForeignReport::default();
    let mut traces: BTreeMap<usize, Vec<(TraceKey, SeedTrace)>> = BTreeMap::new();
    for (key, evaluations) in &recording.traces {
        let blackbox = &targets.blackboxes[key.blackbox];
        let objective = &blackbox.tasks[key.task].objective;
        let rule = foreign_values.rule(&blackbox.name);
        let (values, foreign_here) = look_up(evaluations, objective, rule);
        if values.first().is_some_and(|value| value.is_infinite()) {
            return Err(TracesProblem::ForeignFirstValue {
                line: evaluations[0].line,
                trace: targets.describe(key, &optimizers[key.optimizer]),
                value: evaluations[0].value,
                blackbox: blackbox.name.clone(),
            });
        }
        foreign.add(*key, evaluations.len(), foreign_here);
        let trace = SeedTrace {
            rows: Vec::new(),
            values,
            seconds: Vec::new(),
        };
        traces.entry(key.blackbox).or_default().push((*key, trace));
    }
    foreign.check(targets, optimizers, foreign_values)?;
    let arranged = traces
        .into_iter()
        .map(|(blackbox, here)| arrange(&targets.blackboxes[blackbox], optimizers, here));
    Ok(ScoredTraces {
        notes: foreign.notes(targets, foreign_values),
        results: SweepResults {
            name: name.to_owned(),
            seeds: targets.seeds,
            blackboxes: arranged.collect(),
        },
    })
}

/// The values to score, and the evaluations whose values are not in the table.
fn look_up(
    evaluations: &[Evaluation],
    objective: &[f64],
    rule: OnForeign,
) -> (Vec<f64>, Vec<Evaluation>) {
    let mut foreign = Vec::new();
    let mut best = f64::INFINITY;
    let mut values = Vec::with_capacity(evaluations.len());
    for evaluation in evaluations {
        let value = match (table_value(objective, evaluation.value), rule) {
            (Some(value), _) => value,
            (None, OnForeign::Drop) => {
                foreign.push(*evaluation);
                best
            }
            (None, OnForeign::Keep | OnForeign::Refuse) => {
                foreign.push(*evaluation);
                evaluation.value
            }
        };
        best = best.min(value);
        values.push(value);
    }
    (values, foreign)
}

/// The results on one black box, with the optimizers that ran on it.
fn arrange(
    blackbox: &TargetBlackbox,
    optimizers: &[String],
    traces: Vec<(TraceKey, SeedTrace)>,
) -> BlackboxResults {
    let ran: BTreeSet<usize> = traces.iter().map(|(key, _)| key.optimizer).collect();
    let tasks = blackbox.tasks.iter().map(|task| TaskResults {
        name: task.name.clone(),
        objective: Arc::clone(&task.objective),
        traces: vec![BTreeMap::new(); ran.len()],
    });
    let mut tasks: Vec<TaskResults> = tasks.collect();
    for (key, trace) in traces {
        let method = ran.range(..key.optimizer).count();
        tasks[key.task].traces[method].insert(key.seed, trace);
    }
    BlackboxResults {
        name: blackbox.name.clone(),
        iterations: blackbox.iterations,
        methods: ran
            .iter()
            .map(|&method| optimizers[method].clone())
            .collect(),
        tasks,
    }
}
