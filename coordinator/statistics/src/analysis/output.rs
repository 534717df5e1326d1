//! What an analysis tells: the structure of `statistics.json`.
//!
//! DTM is the normalised distance to the task's minimum (ICML section 5), a
//! number without unit: 0 at the optimum of the table, 1 at its worst row.
//! Objective values are in the table's own unit. An absent value (`null` in
//! JSON) means that there is nothing to compute it from; it never stands for 0.

use std::collections::BTreeMap;

use loto_proto::table_spec::Direction;
use serde::Serialize;

use super::band::Band;
use super::comparison::ComparisonOutcome;
use super::hierarchical_comparison::HierarchicalComparison;
use super::over_cost_output::OverCost;
use super::task_output::TaskAnalysis;
use crate::interval::Interval;
use crate::performance_profile::PerformanceProfile;
use crate::random_search::Baseline;
use crate::relative_improvement::RelativeImprovement;
use crate::results::Measure;
use crate::stream_ranks::StreamRanks;

/// All statistics of what is finished of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepAnalysis {
    /// Name of the sweep.
    pub name: String,
    /// The random search that `improvement` and `relative_improvement` compare with.
    pub baseline: Baseline,
    /// Probability covered by the bands and intervals, for example 0.95.
    pub confidence: f64,
    /// Number of bootstrap resamples behind every band and interval.
    pub bootstrap_resamples: usize,
    /// Seed of the bootstrap's random streams.
    pub bootstrap_seed: u64,
    /// Number of planned seeds per method and task.
    pub planned_seeds: u32,
    /// Number of planned traces.
    pub planned_traces: u64,
    /// Number of finished traces.
    pub finished_traces: u64,
    /// The linear algebra that computed the traces, with the number of traces of each; the most frequent
    /// first. If there are several, rows may differ by it. Statistics are computed without: who reads the
    /// traces fills it in.
    pub linear_algebra: Vec<LinearAlgebra>,
    /// One entry per black box, in the order of the sweep.
    pub blackboxes: Vec<BlackboxAnalysis>,
    /// The methods compared over the tasks of all black boxes together, so that a black box weighs by the
    /// number of its tasks. Tasks of one black box are sources of each other, hence not independent.
    /// Methods that are not planned on every black box are left out and listed.
    pub comparison: ComparisonOutcome,
    /// Every method and task with fewer finished seeds than planned.
    pub missing: Vec<MissingSeeds>,
    /// Whether on some task two methods with finished traces have different
    /// sets of seeds: what they share by their seeds no longer cancels out.
    pub unbalanced: bool,
}

/// A library of linear algebra with its version, kernels and threads, as traces name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinearAlgebra {
    /// Its description, for example `OpenBLAS 0.3.21, core Haswell, 1 thread`.
    pub description: String,
    /// Number of traces that it computed.
    pub traces: u64,
}

/// A method and task with fewer finished seeds than planned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MissingSeeds {
    /// Name of the black box.
    pub blackbox: String,
    /// Name of the task.
    pub task: String,
    /// Name of the method.
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
    /// Whether small or large values of the objective are good. Whichever it is, DTM is 0 at the best row.
    pub direction: Direction,
    /// What stands in all fields that are named after DTM: with two objectives it is the hypervolume error. Absent in JSON if
    /// it is DTM.
    #[serde(skip_serializing_if = "Measure::is_distance")]
    pub measure: Measure,
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
    /// The method that all others are paired with in `difference`; absent if it was named and has no
    /// finished trace here, or if there are no averages.
    pub against: Option<String>,
    /// The methods compared over the tasks of this black box, by ICML improvement.
    pub comparison: ComparisonOutcome,
    /// All other methods compared with `against` by the hierarchical test; absent if it was not asked for, or with fewer
    /// than two tasks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hierarchical: Option<HierarchicalComparison>,
    /// Whether on some task two methods with finished traces have different sets of seeds.
    pub unbalanced: bool,
    /// The ranks over the orders of a stream of tasks, in which a trace is a method's evaluations on one of the tasks;
    /// absent if the tasks are no stream, or no order is finished by all methods.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<StreamRanks>,
    /// Averages over what the evaluations cost in place of their number; absent without costs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub over_cost: Option<OverCost>,
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
    /// Name of the method.
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
    /// Limits of ADTM at every iteration over the tasks: tasks are resampled with replacement, what was found on
    /// them stays. Absent with fewer than two tasks, or if not all bands were asked for.
    pub adtm_over_tasks: Option<Limits>,
    /// ADTM at the last iteration.
    pub final_adtm: f64,
    /// Standard error of `final_adtm` that comes from the seeds; absent if a task has fewer than two.
    pub final_adtm_standard_error: Option<f64>,
    /// Area under ADTM over the iterations, divided by their number: its mean.
    pub area_under_adtm: f64,
    /// ICML improvement (Table 2): the mean over tasks of the mean over t of
    /// (DTM_RS(t) - DTM(t)) / DTM_RS(t); at most 1, higher is better, 0 equals random search.
    pub improvement: f64,
    /// Standard error of `improvement` that comes from the seeds, the tasks and the baseline being
    /// taken as given; absent if a task has fewer than two seeds.
    pub improvement_standard_error: Option<f64>,
    /// Interval of `improvement`: seeds are resampled within every task, the tasks stay. Absent if
    /// a task has fewer than two seeds, or if intervals were not asked for.
    pub improvement_interval: Option<Interval>,
    /// Median over tasks of the task's improvement.
    pub median_improvement: f64,
    /// Interval of `median_improvement`, as that of `improvement`.
    pub median_improvement_interval: Option<Interval>,
    /// Mean over tasks without a quarter of them, rounded down, at either end.
    pub interquartile_mean_improvement: f64,
    /// Interval of `interquartile_mean_improvement`, as that of `improvement`.
    pub interquartile_mean_improvement_interval: Option<Interval>,
    /// The task that makes more than a quarter of the sum of the sizes of the tasks' improvements (and
    /// more than twice an equal share), if one does: it may turn the mean.
    pub dominant_task: Option<DominantTask>,
    /// The improvement minus that of [`BlackboxAnalysis::against`]; absent for that method itself.
    pub difference: Option<PairedDifference>,
    /// Number of terms (task, t) left out of `improvement` because the baseline's DTM is 0 there.
    pub improvement_terms_left_out: usize,
    /// Mean over tasks of the rank of the task's improvement (ICML Table 2, in
    /// parentheses): 1 is best, ties share their mean rank.
    pub average_rank: f64,
    /// Standard error of `average_rank` that comes from the tasks; absent with fewer than two.
    pub average_rank_standard_error: Option<f64>,
    /// Intervals over the tasks: tasks are resampled with replacement, the scores on them stay. Absent with fewer
    /// than two tasks, or if intervals were not asked for.
    pub over_tasks: Option<OverTasks>,
    /// How many runs reach which improvement; absent without a baseline.
    pub performance_profile: Option<PerformanceProfile>,
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

/// Intervals of the averages of one method over the tasks, which are resampled with replacement.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct OverTasks {
    /// That of [`MethodAverages::improvement`].
    pub improvement: Interval,
    /// That of [`MethodAverages::median_improvement`].
    pub median_improvement: Interval,
    /// That of [`MethodAverages::interquartile_mean_improvement`].
    pub interquartile_mean_improvement: Interval,
    /// That of [`MethodAverages::average_rank`]; the ranks on the tasks stay as they are.
    pub average_rank: Interval,
    /// That of [`MethodAverages::final_adtm`].
    pub final_adtm: Interval,
}

/// The limits of an interval at every iteration.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limits {
    /// The lower ones.
    pub lower: Vec<f64>,
    /// The upper ones.
    pub upper: Vec<f64>,
}

/// A task that makes much of a method's mean over tasks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DominantTask {
    /// Name of the task.
    pub task: String,
    /// The method's improvement there.
    pub improvement: f64,
    /// Its size over the sum of the sizes of the improvements on all tasks.
    pub share: f64,
}

/// The improvement of a method minus that of another, from traces of the same tasks and seeds.
///
/// Methods that begin with random rows begin with the same ones where task and seed are the same, and those that use a fitted
/// prior share it, so that part of the chance cancels out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PairedDifference {
    /// Mean over tasks.
    pub mean: f64,
    /// Interval of `mean`: the pairs of seeds are resampled within every task.
    pub mean_interval: Option<Interval>,
    /// Median over tasks.
    pub median: f64,
    /// Interval of `median`.
    pub median_interval: Option<Interval>,
    /// Number of pairs of traces.
    pub pairs: u64,
}
