//! What an analysis tells: the structure of `statistics.json`.
//!
//! DTM is the normalised distance to the task's minimum (ICML section 5), a
//! number without unit: 0 at the optimum of the table, 1 at its worst row.
//! Objective values are in the table's own unit. An absent value (`null` in
//! JSON) means that there is nothing to compute it from; it never stands for 0.

use std::collections::BTreeMap;

use serde::Serialize;

use super::comparison::ComparisonOutcome;
use crate::random_search::Baseline;
use crate::relative_improvement::RelativeImprovement;

/// All statistics of what is finished of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepAnalysis {
    /// Name of the sweep.
    pub name: String,
    /// The random search that `improvement` and `relative_improvement` compare with.
    pub baseline: Baseline,
    /// Probability covered by the bands, for example 0.95.
    pub confidence: f64,
    /// Number of bootstrap resamples behind every band.
    pub bootstrap_resamples: usize,
    /// Seed of the bootstrap's random streams.
    pub bootstrap_seed: u64,
    /// Number of planned seeds per method and task.
    pub planned_seeds: u32,
    /// Number of planned traces.
    pub planned_traces: u64,
    /// Number of finished traces.
    pub finished_traces: u64,
    /// One entry per black box, in the order of the sweep.
    pub blackboxes: Vec<BlackboxAnalysis>,
    /// The methods compared over the tasks of all black boxes together.
    /// Methods that are not planned on every black box are left out and listed.
    pub comparison: ComparisonOutcome,
    /// Every method and task with fewer finished seeds than planned.
    pub missing: Vec<MissingSeeds>,
    /// Whether on some task two methods with finished traces have different
    /// sets of seeds: what they share by their seeds no longer cancels out.
    pub unbalanced: bool,
}

/// A method and task with fewer finished seeds than planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSeeds {
    /// Name of the black box.
    pub blackbox: String,
    /// Name of the task.
    pub task: String,
    /// Id of the method.
    pub method: String,
    /// Number of finished seeds.
    pub finished: u32,
    /// Number of planned seeds.
    pub planned: u32,
}

/// All statistics of one black box.
///
/// Whatever averages over tasks averages over the same tasks for every method:
/// those of the black box without [`Self::excluded_tasks`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BlackboxAnalysis {
    /// Name of the black box.
    pub name: String,
    /// Number of evaluations in a trace: the length of every curve.
    pub iterations: usize,
    /// One entry per planned method, in order: its averages over the tasks.
    pub methods: Vec<MethodAnalysis>,
    /// One entry per planned target task, in order.
    pub tasks: Vec<TaskAnalysis>,
    /// Number of tasks behind the averages: all without the excluded ones.
    pub averaged_tasks: usize,
    /// Tasks left out of all averages and comparisons, each with the reason.
    pub excluded_tasks: Vec<ExcludedTask>,
    /// Planned methods without a single finished trace on this black box. They have no averages, and do
    /// not exclude any task.
    pub absent_methods: Vec<String>,
    /// The methods compared over the tasks of this black box, by ICML improvement.
    pub comparison: ComparisonOutcome,
    /// Whether on some task two methods with finished traces have different sets of seeds.
    pub unbalanced: bool,
}

impl BlackboxAnalysis {
    /// The tasks by ascending RMSE of their prior (ICML figure 4); those without one
    /// come last, in the order of the table.
    pub fn tasks_by_prior_rmse(&self) -> Vec<&TaskAnalysis> {
        let mut tasks: Vec<&TaskAnalysis> = self.tasks.iter().collect();
        let error = |task: &TaskAnalysis| task.prior_rmse.unwrap_or(f64::INFINITY);
        tasks.sort_by(|one, other| error(one).total_cmp(&error(other)));
        tasks
    }

    /// Whether the RMSE of any task's prior is known.
    pub fn has_prior_rmse(&self) -> bool {
        self.tasks.iter().any(|task| task.prior_rmse.is_some())
    }
}

/// A task that is left out of averages and comparisons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExcludedTask {
    /// Name of the task.
    pub task: String,
    /// Why it is left out.
    pub reason: ExclusionReason,
}

/// Why a task is left out of averages and comparisons.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ExclusionReason {
    /// Methods that have finished traces elsewhere on the black box have none on this task.
    NoTrace {
        /// Their ids.
        methods: Vec<String>,
    },
    /// All rows of the task have the same objective value, so DTM is undefined.
    ConstantObjective,
    /// The sampled baseline has no finished trace on this task.
    NoBaseline,
    /// The baseline's DTM is 0 at every iteration, so the improvement is undefined.
    BaselineAlwaysOptimal,
}

/// One method's averages over the tasks of a black box (a row of ICML Table 2).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodAnalysis {
    /// Id of the method.
    pub method: String,
    /// Number of finished traces on this black box.
    pub finished_traces: u64,
    /// The averages; absent if the method has no finished trace on the black box or no task is left.
    pub averages: Option<MethodAverages>,
}

/// Averages of one method over the tasks of a black box.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MethodAverages {
    /// ADTM at every iteration (ICML section 5, SGPT equation 48): the mean of DTM over the tasks.
    pub adtm: Band,
    /// ADTM at the last iteration.
    pub final_adtm: f64,
    /// ICML improvement (Table 2): the mean over tasks of the mean over t of
    /// (DTM_RS(t) - DTM(t)) / DTM_RS(t); at most 1, higher is better, 0 equals random search.
    pub improvement: f64,
    /// Standard error of `improvement` that comes from the seeds, the tasks and the baseline being
    /// taken as given; absent if a task has fewer than two seeds.
    pub improvement_standard_error: Option<f64>,
    /// Number of terms (task, t) left out of `improvement` because the baseline's DTM is 0 there.
    pub improvement_terms_left_out: usize,
    /// Mean over tasks of the rank of the task's improvement (ICML Table 2, in
    /// parentheses): 1 is best, ties share their mean rank.
    pub average_rank: f64,
    /// ICLR relative improvement, the mean over tasks.
    pub relative_improvement: RelativeImprovement,
    /// SGPT's average rank at every iteration: the mean over tasks of the rank of DTM(t), 1 is best,
    /// ties share their mean rank.
    pub average_rank_at: Vec<f64>,
    /// The [statistics by iteration](crate::by_iteration), each under its key: the mean over the tasks
    /// at every iteration.
    #[serde(flatten)]
    pub by_iteration: BTreeMap<&'static str, Vec<f64>>,
}

/// A curve over the iterations with its bootstrap band.
///
/// The band is pointwise: seeds are resampled with replacement for each method and
/// task, and the limits are percentiles (linear between order statistics) of the resampled means.
/// With one seed it has no width.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    /// Mean over the finished seeds.
    pub mean: Vec<f64>,
    /// Lower limit of the band; empty if the band was not asked for.
    pub lower: Vec<f64>,
    /// Upper limit of the band; empty if the band was not asked for.
    pub upper: Vec<f64>,
}

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
    /// Root mean square error of the copula prior on this task: how hard it is to transfer to.
    /// It does not depend on the traces; whoever knows the fitted priors fills it in.
    pub prior_rmse: Option<f64>,
    /// The baseline on this task; absent if it is sampled and `rs` has no finished trace here.
    pub baseline: Option<BaselineCurve>,
    /// One entry per planned method, in order.
    pub methods: Vec<TaskMethodAnalysis>,
    /// Whether two methods with finished traces have different sets of seeds.
    pub unbalanced: bool,
}

/// Random search on one task, at every iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BaselineCurve {
    /// DTM; absent if the objective is constant.
    pub dtm: Option<Vec<f64>>,
    /// Mean of the best objective value so far.
    pub best: Vec<f64>,
}

/// One method on one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TaskMethodAnalysis {
    /// Id of the method.
    pub method: String,
    /// Number of finished seeds.
    pub seeds: u32,
    /// DTM at every iteration; absent without a finished trace or if the objective is constant.
    pub dtm: Option<Band>,
    /// DTM at the last iteration.
    pub final_dtm: Option<f64>,
    /// Mean over t of (DTM_RS(t) - DTM(t)) / DTM_RS(t) (ICML).
    pub improvement: Option<f64>,
    /// Standard error of `improvement` that comes from the seeds, the baseline being taken as given;
    /// absent with fewer than two seeds.
    pub improvement_standard_error: Option<f64>,
    /// Number of iterations left out of `improvement` because the baseline's DTM is 0 there.
    pub improvement_terms_left_out: usize,
    /// Rank of `improvement` among the methods, 1 is best, ties share their mean rank; absent on
    /// an excluded task and for an absent method.
    pub rank: Option<f64>,
    /// ICLR relative improvement.
    pub relative_improvement: Option<RelativeImprovement>,
    /// The [statistics by iteration](crate::by_iteration), each under its key; absent without a
    /// finished trace.
    #[serde(flatten)]
    pub by_iteration: BTreeMap<&'static str, Option<Vec<f64>>>,
}
