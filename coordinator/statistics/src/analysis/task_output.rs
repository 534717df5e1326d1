//! What an analysis tells of one target task: a part of `statistics.json`.

use std::collections::BTreeMap;

use loto_proto::table_spec::Direction;
use serde::Serialize;

use super::band::Band;
use super::over_cost_output::TaskOverCost;
use crate::interval::Interval;
use crate::relative_improvement::RelativeImprovement;

/// All statistics of one target task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskAnalysis {
    /// Name of the task.
    pub name: String,
    /// Number of rows of the task's table.
    pub rows: usize,
    /// Least objective value of the table.
    pub minimum: f64,
    /// Greatest objective value of the table.
    pub maximum: f64,
    /// The front of the table if there are two objectives: `minimum` and `maximum` are those of the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub front: Option<TableFront>,
    /// Root mean square error of the copula prior on this task: how hard it is to transfer to.
    /// It does not depend on the traces; whoever knows the fitted priors fills it in.
    pub prior_rmse: Option<f64>,
    /// The same of a linear model in place of the prior's network, known where `prior_rmse` is.
    pub linear_prior_rmse: Option<f64>,
    /// The same of the mean of the five nearest source rows; absent on tables with more than 50,000 source rows.
    pub nearest_neighbours_prior_rmse: Option<f64>,
    /// The baseline on this task; absent if it is sampled and `rs` has no finished trace here.
    pub baseline: Option<BaselineCurve>,
    /// One entry per planned method, in order.
    pub methods: Vec<TaskMethodAnalysis>,
    /// Whether two methods with finished traces have different sets of seeds.
    pub unbalanced: bool,
    /// Curves over what the evaluations cost; absent without costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_cost: Option<TaskOverCost>,
}

/// What a table with two objectives offers at best on a task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableFront {
    /// Values of both objectives of the rows that no other row dominates, ascending by the first.
    pub points: Vec<[f64; 2]>,
    /// Greatest value of each objective on the task: the reference point.
    pub reference: [f64; 2],
    /// Hypervolume of these points, with both objectives scaled to [0, 1]: the hypervolume error without any evaluation. Absent
    /// if an objective is constant.
    pub hypervolume: Option<f64>,
}

impl TaskAnalysis {
    /// The best objective value of the table.
    pub fn best(&self, direction: Direction) -> f64 {
        match direction {
            Direction::Minimise => self.minimum,
            Direction::Maximise => self.maximum,
        }
    }
}

/// Random search on one task, at every iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineCurve {
    /// DTM; absent if the objective is constant.
    pub dtm: Option<Vec<f64>>,
    /// Mean of the best objective value so far; empty with several objectives.
    pub best: Vec<f64>,
}

/// One method on one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskMethodAnalysis {
    /// Name of the method.
    pub method: String,
    /// Number of finished seeds.
    pub seeds: u32,
    /// DTM at every iteration; absent without a finished trace or if the objective is constant.
    pub dtm: Option<Band>,
    /// Mean over the seeds of the best objective value at the last iteration, in the units of the table; absent
    /// with several objectives.
    pub final_best: Option<f64>,
    /// DTM at the last iteration.
    pub final_dtm: Option<f64>,
    /// Standard error of `final_dtm`; absent with fewer than two seeds.
    pub final_dtm_standard_error: Option<f64>,
    /// Area under DTM over the iterations, divided by their number: its mean.
    pub area_under_dtm: Option<f64>,
    /// Mean over t of (DTM_RS(t) - DTM(t)) / DTM_RS(t) (ICML).
    pub improvement: Option<f64>,
    /// Standard error of `improvement` that comes from the seeds, the baseline being taken as given;
    /// absent with fewer than two seeds.
    pub improvement_standard_error: Option<f64>,
    /// Interval of `improvement`, by resampling the seeds; absent with fewer than two, or if intervals
    /// were not asked for.
    pub improvement_interval: Option<Interval>,
    /// The improvement minus that of [`against`](super::BlackboxAnalysis::against); absent for that method itself.
    pub difference: Option<TaskDifference>,
    /// Number of iterations left out of `improvement` because the baseline's DTM is 0 there.
    pub improvement_terms_left_out: usize,
    /// Rank of `improvement` among the methods, 1 is best, ties share their mean rank; absent on
    /// an excluded task and for an absent method.
    pub rank: Option<f64>,
    /// ICLR relative improvement; absent with several objectives.
    pub relative_improvement: Option<RelativeImprovement>,
    /// The [statistics by iteration](crate::by_iteration), each under its key; absent without a
    /// finished trace.
    #[serde(flatten)]
    pub by_iteration: BTreeMap<&'static str, Option<Vec<f64>>>,
}

/// The improvement of a method minus that of another on one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskDifference {
    /// Mean over the seeds that both have finished.
    pub mean: f64,
    /// Its interval; absent with fewer than two seeds.
    pub interval: Option<Interval>,
    /// Number of these seeds.
    pub pairs: u32,
}
