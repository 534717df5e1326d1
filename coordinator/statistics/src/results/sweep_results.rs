//! What is finished of a sweep: black boxes, tasks and methods, with whole traces or with curves.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use loto_proto::table_spec::Direction;

use super::best_curves::BestCurves;
use super::measure::Measure;
use super::method_name::OF_AVERAGES;
use super::traces::{SeedTrace, SeedTraces};
use crate::hypervolume::TaskHypervolume;

/// What is finished of a sweep, reduced to what statistics look at; its parts are
/// shared, so that it costs little beside what it was collected into.
pub type SweepCurves = SweepResults<Arc<BestCurves>>;

/// One black box of [`SweepCurves`].
pub type BlackboxCurves = BlackboxResults<Arc<BestCurves>>;

/// One task of [`SweepCurves`].
pub type TaskCurves = TaskResults<Arc<BestCurves>>;

/// What is finished of a sweep; `Traces` are those of one method on one task.
#[derive(Debug, Clone)]
pub struct SweepResults<Traces = SeedTraces> {
    /// Name of the sweep.
    pub name: String,
    /// Seeds 0 to `seeds - 1` were planned.
    pub seeds: u32,
    /// One entry per black box, in the order of the sweep file.
    pub blackboxes: Vec<BlackboxResults<Traces>>,
}

/// What is finished on one black box.
#[derive(Debug, Clone)]
pub struct BlackboxResults<Traces = SeedTraces> {
    /// Name of the black box.
    pub name: String,
    /// Whether the objective is minimised; if not, all its values here are negatives.
    pub direction: Direction,
    /// Number of evaluations in a planned trace.
    pub iterations: usize,
    /// Ids of the planned methods, in order.
    pub methods: Vec<String>,
    /// One entry per planned target task, in order.
    pub tasks: Vec<TaskResults<Traces>>,
    /// If the tasks are a stream, the order in which they arrive with each planned seed: their positions in `tasks`.
    pub arrivals: Option<Arc<[Vec<usize>]>>,
    /// Methods that are named without [`OF_AVERAGES`] here, although reports put it behind their names.
    pub unmarked: BTreeSet<String>,
}

/// What is finished on one target task.
#[derive(Debug, Clone)]
pub struct TaskResults<Traces = SeedTraces> {
    /// Name of the task.
    pub name: String,
    /// Objective values of all the task's rows, ascending: the first is the best.
    pub objective: Arc<[f64]>,
    /// The values of both objectives if there are two; [`Self::objective`] are those of the first.
    pub hypervolume: Option<Arc<TaskHypervolume>>,
    /// Mean over the rows of what an evaluation costs, if that is known.
    pub mean_cost: Option<f64>,
    /// Finished traces by seed, one entry per method of the black box, in its order.
    pub traces: Vec<Traces>,
}

impl<Traces> BlackboxResults<Traces> {
    /// What tells how far traces are from the best that the table has.
    pub fn measure(&self) -> Measure {
        match self.tasks.iter().any(|task| task.hypervolume.is_some()) {
            false => Measure::DistanceToMinimum,
            true => Measure::HypervolumeError,
        }
    }

    /// The name of a method in reports. Random streams go by it, so that the same traces have the same limits whatever the
    /// method is called here.
    pub(crate) fn reported_name(&self, method: usize) -> Cow<'_, str> {
        let name = &self.methods[method];
        match self.unmarked.contains(name) {
            false => name.into(),
            true => format!("{name}{OF_AVERAGES}").into(),
        }
    }
}

/// The name of the method that finds the best of a table at once.
pub const BEST: &str = "best";

impl SweepResults {
    /// Puts beside the methods of each black box one that begins with the best row of every task, with each planned seed: the
    /// least distance that any method can have (Wistuba, Schilling and Schmidt-Thieme 2018, section 8.5.5). It reads what no
    /// method may read, so that nothing can compute it but this. With several objectives no row is the best, and the
    /// black box is left as it is. False if a method has its name, and nothing is added.
    pub fn add_best(&mut self) -> bool {
        let mut names = self
            .blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods);
        if names.any(|name| name == BEST) {
            return false;
        }
        for blackbox in &mut self.blackboxes {
            if blackbox.measure() == Measure::HypervolumeError {
                continue;
            }
            blackbox.methods.push(BEST.to_owned());
            for task in &mut blackbox.tasks {
                // As long as the traces of the methods.
                let count = blackbox.iterations.min(task.objective.len());
                let trace = SeedTrace {
                    values: vec![task.objective[0]; count],
                    ..SeedTrace::default()
                };
                let seeds = 0..self.seeds;
                task.traces
                    .push(seeds.map(|seed| (seed, trace.clone())).collect());
            }
        }
        true
    }

    /// Reduces the traces to what statistics look at.
    pub fn curves(&self) -> SweepCurves {
        let task = |task: &TaskResults| {
            let hypervolume = task.hypervolume.as_deref();
            let reduced = |traces: &SeedTraces| Arc::new(BestCurves::of(traces, hypervolume));
            TaskResults {
                name: task.name.clone(),
                objective: Arc::clone(&task.objective),
                hypervolume: task.hypervolume.clone(),
                mean_cost: task.mean_cost,
                traces: task.traces.iter().map(reduced).collect(),
            }
        };
        let blackbox = |blackbox: &BlackboxResults| BlackboxResults {
            name: blackbox.name.clone(),
            direction: blackbox.direction,
            iterations: blackbox.iterations,
            methods: blackbox.methods.clone(),
            tasks: blackbox.tasks.iter().map(task).collect(),
            arrivals: blackbox.arrivals.clone(),
            unmarked: blackbox.unmarked.clone(),
        };
        SweepResults {
            name: self.name.clone(),
            seeds: self.seeds,
            blackboxes: self.blackboxes.iter().map(blackbox).collect(),
        }
    }
}
