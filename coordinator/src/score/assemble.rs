//! Checked lines become results, arranged as the sweep file plans them.

use std::collections::BTreeMap;
use std::sync::Arc;

use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

use super::error::TracesProblem;
use super::evaluation::{Evaluation, TraceKey};
use super::foreign::{ForeignValues, OnForeign, table_value};
use super::foreign_report::ForeignReport;
use super::recording::Recording;
use super::targets::Targets;

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
    let mut foreign = ForeignReport::default();
    let mut traces: BTreeMap<TraceKey, SeedTrace> = BTreeMap::new();
    for (key, evaluations) in &recording.traces {
        let blackbox = &targets.blackboxes[key.blackbox];
        let objective = &blackbox.tasks[key.task].objective;
        let rule = foreign_values.rule(&blackbox.name);
        let (values, foreign_here) = look_up(evaluations, objective, rule);
        if values.first().is_some_and(|value| value.is_infinite()) {
            return Err(TracesProblem::ForeignFirstValue {
                line: evaluations[0].line,
                trace: targets.describe(key, &recording.optimizers[key.optimizer]),
                value: evaluations[0].value,
                blackbox: blackbox.name.clone(),
            });
        }
        foreign.add(*key, evaluations.len(), foreign_here);
        traces.insert(
            *key,
            SeedTrace {
                rows: Vec::new(),
                values,
                seconds: Vec::new(),
            },
        );
    }
    foreign.check(targets, &recording.optimizers, foreign_values)?;
    Ok(ScoredTraces {
        notes: foreign.notes(targets, foreign_values),
        results: arrange(name, &recording.optimizers, targets, traces),
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

/// The results: black boxes that have a trace, each with the optimizers that ran on it.
fn arrange(
    name: &str,
    optimizers: &[String],
    targets: &Targets,
    mut traces: BTreeMap<TraceKey, SeedTrace>,
) -> SweepResults {
    let mut blackboxes = Vec::new();
    for (position, blackbox) in targets.blackboxes.iter().enumerate() {
        let ran = |optimizer: &usize| {
            let is_here = |key: &TraceKey| key.blackbox == position && key.optimizer == *optimizer;
            traces.keys().any(is_here)
        };
        let methods: Vec<usize> = (0..optimizers.len()).filter(ran).collect();
        if methods.is_empty() {
            continue;
        }
        let mut tasks: Vec<TaskResults> = blackbox
            .tasks
            .iter()
            .map(|task| TaskResults {
                name: task.name.clone(),
                objective: Arc::clone(&task.objective),
                traces: vec![BTreeMap::new(); methods.len()],
            })
            .collect();
        let later = traces.split_off(&first_key(position + 1));
        for (key, trace) in std::mem::replace(&mut traces, later) {
            if let Some(method) = methods.iter().position(|method| *method == key.optimizer) {
                tasks[key.task].traces[method].insert(key.seed, trace);
            }
        }
        blackboxes.push(BlackboxResults {
            name: blackbox.name.clone(),
            iterations: blackbox.iterations,
            methods: methods
                .iter()
                .map(|&method| optimizers[method].clone())
                .collect(),
            tasks,
        });
    }
    SweepResults {
        name: name.to_owned(),
        seeds: targets.seeds,
        blackboxes,
    }
}

/// The least key of a black box.
fn first_key(blackbox: usize) -> TraceKey {
    TraceKey {
        blackbox,
        task: 0,
        optimizer: 0,
        seed: 0,
    }
}
