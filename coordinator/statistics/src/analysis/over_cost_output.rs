//! What an analysis tells over what the evaluations cost: a part of `statistics.json`.

use serde::Serialize;

/// Averages of a black box over cost.
///
/// The cost of an evaluation is divided by the mean cost over all rows of the task's table, so that tasks can be averaged.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OverCost {
    /// The costs at which the curves are given: 100 equidistant ones, from the least at which a method has an average to the least
    /// mean cost of a method's trace. Empty if there is nothing between the two.
    pub costs: Vec<f64>,
    /// One entry per planned method, in order.
    pub methods: Vec<MethodOverCost>,
    /// Number of tasks behind the scores: those on which every method has a value before the fastest method ends.
    pub scored_tasks: usize,
}

impl OverCost {
    /// Whether anything is known of any method: what evaluations cost is not, of traces that were recorded without rows.
    pub fn is_known(&self) -> bool {
        let has_value = |method: &MethodOverCost| {
            method.improvement.is_some() || method.adtm.iter().any(Option::is_some)
        };
        self.methods.iter().any(has_value)
    }
}

/// The averages of one method over the tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodOverCost {
    /// Name of the method.
    pub method: String,
    /// Mean over the tasks of DTM at each of the costs; absent before every seed has a value on every task.
    pub adtm: Vec<Option<f64>>,
    /// Mean over the tasks of the rank of DTM at each of the costs; absent before every method has one.
    pub average_rank_at: Vec<Option<f64>>,
    /// Mean over the tasks of [`TaskMethodOverCost::improvement`].
    pub improvement: Option<f64>,
    /// Mean over the tasks of [`TaskMethodOverCost::relative_improvement`].
    pub relative_improvement: Option<f64>,
}

/// Curves of a task over cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskOverCost {
    /// Mean cost over the rows of the table, in the unit of its column.
    pub mean_cost: f64,
    /// The costs at which methods are compared, in the unit of the table's column: 100 equidistant ones, from the one at which every
    /// seed of every method has a value to the one at which the method with the least mean cost of a trace ends. Empty if there is
    /// nothing between the two.
    pub costs: Vec<f64>,
    /// One entry per planned method, in order.
    pub methods: Vec<TaskMethodOverCost>,
}

/// One method on one task over cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskMethodOverCost {
    /// Name of the method.
    pub method: String,
    /// Mean over the seeds of the cost of a whole trace; absent without a finished trace.
    pub total_cost: Option<f64>,
    /// DTM at each of the costs; empty if there are no costs to compare at, or the objective is constant.
    pub dtm: Vec<f64>,
    /// Mean over the costs of (DTM_RS - DTM) / DTM_RS; random search is the method `rs` of the sweep, without which there is none.
    pub improvement: Option<f64>,
    /// Mean over the costs of (y_RS - y) / y_RS with the mean best value y over the seeds (ICLR Table 6); absent with several
    /// objectives and without `rs`.
    pub relative_improvement: Option<f64>,
}
