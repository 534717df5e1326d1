//! Checked lines become results, arranged as the sweep file plans them.

use loto_statistics::error::{Contradiction, StatisticsError};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use loto_proto::excerpt::{excerpt, list};

use super::foreign::{ForeignValues, OnForeign, table_value};
use super::foreign_report::ForeignReport;
use super::recording::{Evaluation, Recording, TraceKey};
use super::{CoordinatorError, Plan, ScoredTraces};
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// What the traces may be about.
#[derive(Debug)]
pub(super) struct Targets {
    pub(super) blackboxes: Vec<TargetBlackbox>,
    /// Seeds 0 to `seeds - 1` are planned.
    pub(super) seeds: u32,
    positions: HashMap<String, usize>,
}

/// A black box of the sweep file with its targets.
#[derive(Debug)]
pub(super) struct TargetBlackbox {
    pub(super) name: String,
    pub(super) iterations: usize,
    pub(super) tasks: Vec<TargetTask>,
    positions: HashMap<String, usize>,
}

/// A target task with what a trace on it can find.
#[derive(Debug)]
pub(super) struct TargetTask {
    pub(super) name: String,
    /// Objective values of all rows, ascending.
    pub(super) objective: Arc<[f64]>,
}

impl Targets {
    /// The targets of a plan.
    ///
    /// # Errors
    /// [`StatisticsError::InvalidResults`] if the plan lacks a table, which no plan of a sweep file does.
    pub(super) fn new(plan: &Plan) -> Result<Self, CoordinatorError> {
        let missing = |place: &str| StatisticsError::InvalidResults {
            place: place.to_owned(),
            source: Contradiction::NoTable,
        };
        let mut blackboxes = Vec::with_capacity(plan.sweep.blackboxes.len());
        for blackbox in &plan.sweep.blackboxes {
            let table = plan
                .tables
                .iter()
                .find(|table| table.fingerprint() == blackbox.table);
            let table = table.ok_or_else(|| missing(&blackbox.name))?;
            let mut tasks = Vec::with_capacity(blackbox.targets.len());
            for target in &blackbox.targets {
                let task = table.table.task(target).ok_or_else(|| missing(target))?;
                let mut objective = task.objective.clone();
                objective.sort_by(f64::total_cmp);
                tasks.push(TargetTask {
                    name: target.clone(),
                    objective: objective.into(),
                });
            }
            let names = tasks.iter().map(|task| task.name.clone());
            blackboxes.push(TargetBlackbox {
                name: blackbox.name.clone(),
                iterations: blackbox.iterations as usize,
                positions: names.zip(0..).collect(),
                tasks,
            });
        }
        let names = blackboxes.iter().map(|blackbox| blackbox.name.clone());
        Ok(Self {
            positions: names.zip(0..).collect(),
            seeds: plan.sweep.seeds,
            blackboxes,
        })
    }

    /// The positions of a black box and of its task.
    ///
    /// # Errors
    /// A text that names what is unknown and what is known.
    pub(super) fn find(&self, blackbox: &str, task: &str) -> Result<(usize, usize), String> {
        let Some(&position) = self.positions.get(blackbox) else {
            let known = self.blackboxes.iter().map(|known| known.name.as_str());
            return Err(format!(
                "black box `{}` is not in the sweep file, which has {}",
                excerpt(blackbox),
                list(known)
            ));
        };
        let known = &self.blackboxes[position];
        match known.positions.get(task) {
            Some(&task) => Ok((position, task)),
            None => {
                let names = known.tasks.iter().map(|task| task.name.as_str());
                Err(format!(
                    "task `{}` is not a target of black box `{blackbox}`, whose targets are {}",
                    excerpt(task),
                    list(names)
                ))
            }
        }
    }

    /// A trace in words.
    pub(super) fn describe(&self, key: &TraceKey, optimizer: &str) -> String {
        let blackbox = &self.blackboxes[key.blackbox];
        let task = &blackbox.tasks[key.task].name;
        format!(
            "{}, {task}, {}, seed {}",
            blackbox.name,
            excerpt(optimizer),
            key.seed
        )
    }
}

/// Looks every value up in its table and arranges the traces.
///
/// # Errors
/// A text that names every value that is refused.
pub(super) fn assemble(
    name: &str,
    recording: Recording,
    targets: &Targets,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, String> {
    let mut foreign = ForeignReport::default();
    let mut traces: BTreeMap<TraceKey, SeedTrace> = BTreeMap::new();
    for (key, evaluations) in &recording.traces {
        let blackbox = &targets.blackboxes[key.blackbox];
        let objective = &blackbox.tasks[key.task].objective;
        let rule = foreign_values.rule(&blackbox.name);
        let (values, foreign_here) = look_up(evaluations, objective, rule);
        if values.first().is_some_and(|value| value.is_infinite()) {
            let trace = targets.describe(key, &recording.optimizers[key.optimizer]);
            return Err(nothing_to_go_on_from(
                &trace,
                &evaluations[0],
                &blackbox.name,
            ));
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

/// A trace is to go on from its best value so far when there is none.
fn nothing_to_go_on_from(trace: &str, first: &Evaluation, blackbox: &str) -> String {
    format!(
        "line {}: the first value of {trace} is {}, which is in no table, so it cannot be dropped: \
         there is no best value yet to go on from; if the traces were recorded on another table, \
         --allow-foreign-values={blackbox} scores them as recorded",
        first.line, first.value,
    )
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
