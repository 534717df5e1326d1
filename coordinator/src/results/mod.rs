//! Finished traces of a sweep, arranged for statistics: [`SweepResults`], and
//! [`ResultsCollector`], which collects them from a store.

mod best_so_far;
mod collector;
mod kept_trace;
mod objectives;
mod selection;
mod trace_check;

#[cfg(test)]
pub(crate) mod tests;

pub use collector::ResultsCollector;
pub use kept_trace::Keep;
pub use objectives::{ObjectiveCache, TableObjectives, TaskObjective};
pub use selection::Selection;

use std::collections::BTreeMap;
use std::sync::Arc;

/// What is finished of a sweep.
#[derive(Debug, Clone)]
pub struct SweepResults {
    /// Name of the sweep.
    pub name: String,
    /// Seeds 0 to `seeds - 1` were planned.
    pub seeds: u32,
    /// One entry per black box, in the order of the sweep file.
    pub blackboxes: Vec<BlackboxResults>,
}

/// What is finished on one black box.
#[derive(Debug, Clone)]
pub struct BlackboxResults {
    /// Name of the black box.
    pub name: String,
    /// Number of evaluations in a planned trace.
    pub iterations: usize,
    /// Ids of the planned methods, in order.
    pub methods: Vec<String>,
    /// One entry per planned target task, in order.
    pub tasks: Vec<TaskResults>,
}

/// What is finished on one target task.
#[derive(Debug, Clone)]
pub struct TaskResults {
    /// Name of the task.
    pub name: String,
    /// Objective values of all the task's rows, ascending.
    pub objective: Arc<[f64]>,
    /// Finished traces by seed, one map per method of the black box, in its order.
    pub traces: Vec<BTreeMap<u32, SeedTrace>>,
}

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
