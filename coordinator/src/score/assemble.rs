//! Checked lines become results, arranged as the sweep file plans them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loto_engine::task_stream::arrivals;
use loto_proto::protocol::Protocol;
use loto_proto::table_spec::Direction;
use loto_report::numbers;
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

use super::error::TracesProblem;
use super::evaluation::{Evaluation, TraceKey};
use super::foreign::{ForeignValues, OnForeign, table_value};
use super::foreign_report::ForeignReport;
use super::recording::Recording;
use super::seeds::Seeds;
use super::targets::{TargetBlackbox, Targets};

/// Recorded traces, checked and arranged like a sweep's own results.
#[derive(Debug)]
pub struct ScoredTraces {
    /// The traces; the methods are the optimizers, in the order of their first line.
    pub results: SweepResults,
    /// What readers of the scores must know about the recording, one sentence each.
    pub notes: Vec<String>,
}

/// Looks every value up in its table and arranges the traces.
///
/// # Errors
/// [`TracesProblem::ForeignValues`], [`TracesProblem::ForeignFirstValue`], [`TracesProblem::NoRows`].
pub(super) fn assemble(
    name: &str,
    recording: Recording,
    targets: &Targets<'_>,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, TracesProblem> {
    let optimizers = &recording.optimizers;
    let seeds = Seeds::of(&recording, targets.seeds);
    let mut foreign = ForeignReport::default();
    let mut traces: BTreeMap<usize, Vec<(TraceKey, SeedTrace)>> = BTreeMap::new();
    for (key, evaluations) in &recording.traces {
        let blackbox = &targets.blackboxes[key.blackbox];
        let task = &blackbox.tasks[key.task];
        let objective = &task.objective;
        let rule = foreign_values.rule(&blackbox.name);
        let (values, foreign_here) = look_up(evaluations, objective, blackbox.direction, rule);
        if values.first().is_some_and(|value| value.is_infinite()) {
            return Err(TracesProblem::ForeignFirstValue {
                line: evaluations[0].line,
                trace: targets.describe(key, &optimizers[key.optimizer]),
                value: evaluations[0].value,
                blackbox: blackbox.name.clone(),
            });
        }
        foreign.add(*key, evaluations.len(), foreign_here);
        // Only where foreign values are refused has every row been checked against the table.
        let are_rows_checked = rule == OnForeign::Refuse && evaluations[0].row.is_some();
        if task.second_by_row.is_some() && !are_rows_checked {
            return Err(TracesProblem::NoRows {
                line: evaluations[0].line,
                blackbox: blackbox.name.clone(),
            });
        }
        let by_row = |column: &Option<Vec<f64>>| -> Vec<f64> {
            let column = column.as_ref().filter(|_| are_rows_checked);
            let rows = evaluations.iter().filter_map(|evaluation| evaluation.row);
            column.map_or_else(Vec::new, |column| {
                rows.map(|row| column[row as usize]).collect()
            })
        };
        // All evaluations of a trace have a row, or none has.
        let trace = SeedTrace {
            rows: evaluations
                .iter()
                .filter_map(|evaluation| evaluation.row)
                .collect(),
            values,
            seconds: evaluations
                .iter()
                .filter_map(|evaluation| evaluation.seconds)
                .collect(),
            further_values: by_row(&task.second_by_row),
            costs: by_row(&task.costs),
        };
        traces.entry(key.blackbox).or_default().push((*key, trace));
    }
    foreign.check(targets, optimizers, foreign_values)?;
    let arranged = traces
        .into_iter()
        .map(|(blackbox, here)| arrange(&targets.blackboxes[blackbox], optimizers, &seeds, here));
    let mut notes = foreign.notes(targets, foreign_values);
    notes.extend(notes_on_cut_traces(&recording, targets));
    notes.extend(seeds.note());
    Ok(ScoredTraces {
        notes,
        results: SweepResults {
            name: name.to_owned(),
            seeds: seeds.planned,
            blackboxes: arranged.collect(),
        },
    })
}

/// The values to score, and the evaluations whose values are not in the table.
fn look_up(
    evaluations: &[Evaluation],
    objective: &[f64],
    direction: Direction,
    rule: OnForeign,
) -> (Vec<f64>, Vec<Evaluation>) {
    let mut foreign = Vec::new();
    let mut best = f64::INFINITY;
    let mut values = Vec::with_capacity(evaluations.len());
    for evaluation in evaluations {
        let recorded = direction.turn(evaluation.value);
        let value = match (table_value(objective, recorded), rule) {
            (Some(value), _) => value,
            (None, OnForeign::Drop) => {
                foreign.push(*evaluation);
                best
            }
            (None, OnForeign::Keep | OnForeign::Refuse) => {
                foreign.push(*evaluation);
                recorded
            }
        };
        best = best.min(value);
        values.push(value);
    }
    (values, foreign)
}

/// One sentence for each black box and optimizer of which traces were cut.
fn notes_on_cut_traces(recording: &Recording, targets: &Targets<'_>) -> Vec<String> {
    let note = |(&(blackbox, optimizer), &count): (&(usize, usize), &usize)| {
        let blackbox = &targets.blackboxes[blackbox];
        format!(
            "Longer traces than planned were cut after {}: {} of {} on {}.",
            numbers::count(blackbox.iterations as u64, "iteration"),
            numbers::count(count as u64, "trace"),
            recording.optimizers[optimizer],
            blackbox.name,
        )
    };
    recording.cut.iter().map(note).collect()
}

/// The order in which the tasks of a stream arrive; not known of seeds with other numbers.
fn arrivals_of(blackbox: &TargetBlackbox, seeds: &Seeds) -> Option<Arc<[Vec<usize>]>> {
    let is_known = blackbox.protocol == Protocol::Stream && !seeds.are_renumbered();
    is_known.then(|| {
        let order = |seed| arrivals(blackbox.fingerprint, blackbox.tasks.len(), seed);
        (0..seeds.planned).map(order).collect()
    })
}

/// The results on one black box, with the optimizers that ran on it.
fn arrange(
    blackbox: &TargetBlackbox,
    optimizers: &[String],
    seeds: &Seeds,
    traces: Vec<(TraceKey, SeedTrace)>,
) -> BlackboxResults {
    let ran: BTreeSet<usize> = traces.iter().map(|(key, _)| key.optimizer).collect();
    let tasks = blackbox.tasks.iter().map(|task| TaskResults {
        name: task.name.clone(),
        objective: Arc::clone(&task.objective),
        hypervolume: task.hypervolume.clone(),
        mean_cost: task.mean_cost(),
        traces: vec![BTreeMap::new(); ran.len()],
    });
    let mut tasks: Vec<TaskResults> = tasks.collect();
    for (key, trace) in traces {
        let method = ran.range(..key.optimizer).count();
        tasks[key.task].traces[method].insert(seeds.number(key.seed), trace);
    }
    BlackboxResults {
        name: blackbox.name.clone(),
        direction: blackbox.direction,
        iterations: blackbox.iterations,
        methods: ran
            .iter()
            .map(|&method| optimizers[method].clone())
            .collect(),
        arrivals: arrivals_of(blackbox, seeds),
        unmarked: Default::default(),
        tasks,
    }
}
