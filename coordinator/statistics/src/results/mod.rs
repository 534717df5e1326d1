//! Finished traces of a sweep, arranged for statistics: [`SweepResults`].

mod best_curves;

pub use best_curves::{BestCurves, least_values};

use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// Number of evaluations in a planned trace.
    pub iterations: usize,
    /// Ids of the planned methods, in order.
    pub methods: Vec<String>,
    /// One entry per planned target task, in order.
    pub tasks: Vec<TaskResults<Traces>>,
}

/// What is finished on one target task.
#[derive(Debug, Clone)]
pub struct TaskResults<Traces = SeedTraces> {
    /// Name of the task.
    pub name: String,
    /// Objective values of all the task's rows, ascending.
    pub objective: Arc<[f64]>,
    /// Finished traces by seed, one entry per method of the black box, in its order.
    pub traces: Vec<Traces>,
}

/// Finished traces of one method on one task, by seed.
pub type SeedTraces = BTreeMap<u32, SeedTrace>;

/// One finished trace.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedTrace {
    /// Rows evaluated, in order; empty for traces recorded elsewhere.
    pub rows: Vec<u32>,
    /// Objective values, in order: one per planned iteration, or per row of the
    /// table if it has fewer. In traces recorded elsewhere, infinity marks an evaluation
    /// whose value is not usable: the best value so far stays.
    pub values: Vec<f64>,
    /// CPU seconds spent on choosing each row; the preparation counts to the
    /// first. Empty if they were not recorded.
    pub seconds: Vec<f64>,
}

impl SweepResults {
    /// Reduces the traces to what statistics look at.
    pub fn curves(&self) -> SweepCurves {
        let task = |task: &TaskResults| TaskResults {
            name: task.name.clone(),
            objective: Arc::clone(&task.objective),
            traces: {
                let reduced = task.traces.iter().map(BestCurves::of);
                reduced.map(Arc::new).collect()
            },
        };
        let blackbox = |blackbox: &BlackboxResults| BlackboxResults {
            name: blackbox.name.clone(),
            iterations: blackbox.iterations,
            methods: blackbox.methods.clone(),
            tasks: blackbox.tasks.iter().map(task).collect(),
        };
        SweepResults {
            name: self.name.clone(),
            seeds: self.seeds,
            blackboxes: self.blackboxes.iter().map(blackbox).collect(),
        }
    }
}
