//! The columns of the CSV files, each with its meaning.

use loto_statistics::by_iteration::STATISTICS;

/// The file of a report that holds every evaluation.
pub const TRACES_FILE: &str = "traces.csv.gz";

/// Columns in their order, each with its meaning.
pub(crate) type Columns = &'static [(&'static str, &'static str)];

/// A CSV file of a report.
pub(crate) struct CsvFile {
    pub(crate) name: &'static str,
    /// What a row of it is.
    pub(crate) row: &'static str,
    columns: Columns,
    /// Whether the statistics by iteration follow these columns.
    has_statistics: bool,
}

impl CsvFile {
    pub(crate) const fn new(name: &'static str, row: &'static str, columns: Columns) -> Self {
        Self {
            name,
            row,
            columns,
            has_statistics: false,
        }
    }

    const fn with_statistics(self) -> Self {
        Self {
            has_statistics: true,
            ..self
        }
    }

    /// All columns, each with its meaning.
    pub(crate) fn columns(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let statistics = STATISTICS.iter().filter(|_| self.has_statistics);
        let statistics = statistics.map(|statistic| (statistic.key, statistic.definition));
        self.columns.iter().copied().chain(statistics)
    }

    /// The names of all columns, for the first line of the file.
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.columns().map(|(name, _)| name)
    }
}

/// Every CSV file that a report of any sweep has.
pub(crate) const FILES: [CsvFile; 5] = [TRACES, SCORES, SCORES_BY_TASK, CURVES, CURVES_BY_TASK];

pub(crate) const TRACES: CsvFile = CsvFile::new(TRACES_FILE, "an evaluation", TRACE_COLUMNS);

pub(crate) const SCORES: CsvFile =
    CsvFile::new("scores.csv", "a black box and method", SCORE_COLUMNS);

pub(crate) const SCORES_BY_TASK: CsvFile = CsvFile::new(
    "scores_by_task.csv",
    "a black box, task and method",
    TASK_SCORE_COLUMNS,
);

pub(crate) const CURVES: CsvFile = CsvFile::new(
    "curves.csv",
    "a black box, method and number of evaluations",
    CURVE_COLUMNS,
)
.with_statistics();

pub(crate) const CURVES_BY_TASK: CsvFile = CsvFile::new(
    "curves_by_task.csv",
    "a black box, task, method and number of evaluations",
    TASK_CURVE_COLUMNS,
)
.with_statistics();

const TRACE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("task", "name of the target task"),
    ("method", "name of the method"),
    ("seed", "number of the repetition, from 0"),
    ("iteration", "number of the evaluation, from 1"),
    (
        "row",
        "row of the table within the task, from 0; empty if it was not recorded",
    ),
    ("value", "objective value, in the units of the table"),
    (
        "best",
        "best value so far: the least, or the greatest if the objective is maximised",
    ),
    (
        "seconds",
        "processor seconds spent on choosing the row, of an external method the seconds that passed; empty if they were not recorded",
    ),
];

const SCORE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("method", "name of the method"),
    (
        "improvement",
        "mean over the tasks of the improvement over random search; 1 is best, 0 equals random search",
    ),
    (
        "average_rank",
        "mean over the tasks of the rank of the improvement; 1 is best",
    ),
    (
        "final_adtm",
        "average distance to the minimum after the last evaluation, or average hypervolume error with two objectives; 0 is best",
    ),
    ("tasks", "number of tasks behind the averages"),
    ("traces", "number of finished traces"),
    (
        "improvement_standard_error",
        "standard error of improvement that comes from the seeds",
    ),
    (
        "improvement_lower",
        "lower limit of improvement over the seeds",
    ),
    (
        "improvement_upper",
        "upper limit of improvement over the seeds",
    ),
    (
        "median_improvement",
        "median over the tasks of the improvement",
    ),
    (
        "median_improvement_lower",
        "lower limit of median_improvement over the seeds",
    ),
    (
        "median_improvement_upper",
        "upper limit of median_improvement over the seeds",
    ),
    (
        "interquartile_mean_improvement",
        "interquartile mean over the tasks of the improvement",
    ),
    (
        "interquartile_mean_improvement_lower",
        "lower limit of interquartile_mean_improvement over the seeds",
    ),
    (
        "interquartile_mean_improvement_upper",
        "upper limit of interquartile_mean_improvement over the seeds",
    ),
    (
        "final_adtm_lower",
        "lower limit of final_adtm over the seeds",
    ),
    (
        "final_adtm_upper",
        "upper limit of final_adtm over the seeds",
    ),
    (
        "dominant_task",
        "task that makes more than a quarter of the sum of the sizes of the improvements, and more than twice an equal share, if one does",
    ),
    ("dominant_task_improvement", "improvement on dominant_task"),
    (
        "dominant_task_share",
        "share of dominant_task in the sum of the sizes of the improvements",
    ),
    ("against", "method that is subtracted in difference"),
    ("pairs", "number of pairs of traces behind difference"),
    (
        "difference",
        "mean over the tasks of improvement minus that of against, trace by trace",
    ),
    (
        "difference_lower",
        "lower limit of difference over the seeds",
    ),
    (
        "difference_upper",
        "upper limit of difference over the seeds",
    ),
    (
        "median_difference",
        "median over the tasks of the difference",
    ),
    (
        "median_difference_lower",
        "lower limit of median_difference over the seeds",
    ),
    (
        "median_difference_upper",
        "upper limit of median_difference over the seeds",
    ),
    (
        "average_rank_standard_error",
        "standard error of average_rank that comes from the tasks",
    ),
    (
        "final_adtm_standard_error",
        "standard error of final_adtm that comes from the seeds",
    ),
    (
        "area_under_adtm",
        "mean of ADTM over the evaluations; 0 is best",
    ),
    (
        "improvement_lower_over_tasks",
        "lower limit of improvement over the tasks",
    ),
    (
        "improvement_upper_over_tasks",
        "upper limit of improvement over the tasks",
    ),
    (
        "median_improvement_lower_over_tasks",
        "lower limit of median_improvement over the tasks",
    ),
    (
        "median_improvement_upper_over_tasks",
        "upper limit of median_improvement over the tasks",
    ),
    (
        "interquartile_mean_improvement_lower_over_tasks",
        "lower limit of interquartile_mean_improvement over the tasks",
    ),
    (
        "interquartile_mean_improvement_upper_over_tasks",
        "upper limit of interquartile_mean_improvement over the tasks",
    ),
    (
        "average_rank_lower_over_tasks",
        "lower limit of average_rank over the tasks",
    ),
    (
        "average_rank_upper_over_tasks",
        "upper limit of average_rank over the tasks",
    ),
    (
        "final_adtm_lower_over_tasks",
        "lower limit of final_adtm over the tasks",
    ),
    (
        "final_adtm_upper_over_tasks",
        "upper limit of final_adtm over the tasks",
    ),
];

const TASK_SCORE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("task", "name of the task"),
    ("method", "name of the method"),
    (
        "improvement",
        "improvement over random search; 1 is best, 0 equals random search",
    ),
    (
        "rank",
        "rank of the improvement among the methods; 1 is best",
    ),
    (
        "final_dtm",
        "distance to the minimum after the last evaluation, or hypervolume error with two objectives; 0 is best",
    ),
    ("seeds", "number of finished seeds"),
    (
        "improvement_standard_error",
        "standard error of improvement that comes from the seeds",
    ),
    (
        "improvement_lower",
        "lower limit of improvement over the seeds",
    ),
    (
        "improvement_upper",
        "upper limit of improvement over the seeds",
    ),
    ("against", "method that is subtracted in difference"),
    ("pairs", "number of pairs of traces behind difference"),
    (
        "difference",
        "improvement minus that of against, trace by trace",
    ),
    (
        "difference_lower",
        "lower limit of difference over the seeds",
    ),
    (
        "difference_upper",
        "upper limit of difference over the seeds",
    ),
    (
        "final_dtm_standard_error",
        "standard error of final_dtm that comes from the seeds",
    ),
    (
        "area_under_dtm",
        "mean of DTM over the evaluations; 0 is best",
    ),
    (
        "final_best",
        "mean over the seeds of the best objective value, in the units of the table",
    ),
    (
        "best_in_table",
        "best objective value of the task, in the units of the table",
    ),
    PRIOR_RMSE,
];

/// The last column of the scores by task, which is there if it is known of any task.
pub(crate) const PRIOR_RMSE: (&str, &str) = (
    "prior_rmse",
    "error of the copula prior; the column is there if any task has one",
);

const CURVE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("method", "name of the method"),
    ("evaluations", "number of evaluations so far"),
    (
        "adtm",
        "average distance to the minimum, or average hypervolume error with two objectives; 0 is best",
    ),
    ("adtm_lower", "lower limit of adtm over the seeds"),
    ("adtm_upper", "upper limit of adtm over the seeds"),
    (
        "adtm_lower_over_tasks",
        "lower limit of adtm over the tasks",
    ),
    (
        "adtm_upper_over_tasks",
        "upper limit of adtm over the tasks",
    ),
    (
        "average_rank",
        "mean over the tasks of the rank of DTM; 1 is best",
    ),
];

const TASK_CURVE_COLUMNS: Columns = &[
    ("blackbox", "name of the black box"),
    ("task", "name of the task"),
    (
        "method",
        "name of the method; empty for the exact expectation of random search",
    ),
    ("evaluations", "number of evaluations so far"),
    (
        "dtm",
        "distance to the minimum, or hypervolume error with two objectives, the mean over the seeds; 0 is best",
    ),
    ("dtm_lower", "lower limit of dtm over the seeds"),
    ("dtm_upper", "upper limit of dtm over the seeds"),
    (
        "best",
        "mean over the seeds of the best objective value so far, in the units of the table",
    ),
];
