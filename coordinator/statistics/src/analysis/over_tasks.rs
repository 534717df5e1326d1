//! Intervals of a method's averages over the tasks: what another choice of tasks might have given.

use super::options::{AnalysisOptions, Bands};
use super::output::{Limits, MethodAverages, OverTasks};
use super::task_output::{TaskAnalysis, TaskMethodAnalysis};
use crate::bootstrap::random_stream;
use crate::dtm::POSSIBLE_DISTANCES;
use crate::improvement::POSSIBLE_IMPROVEMENTS;
use crate::means::mean_of;
use crate::robust_means::{interquartile_mean, median};
use crate::task_bootstrap::TaskResamples;

/// Fills in the intervals over the `averaged` tasks; none if they were not asked for, or with fewer
/// than two tasks. All methods see the same draws of tasks.
pub(crate) fn fill_over_tasks(
    blackbox: &str,
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &[TaskAnalysis],
    averages: &mut [Option<MethodAverages>],
) {
    if !options.intervals {
        return;
    }
    let mut random = random_stream(options.seed, blackbox, "", "");
    let (resamples, confidence) = (options.bootstrap_resamples, options.confidence);
    let drawn = TaskResamples::new(averaged.len(), resamples, confidence, &mut random);
    let Some(mut drawn) = drawn else { return };
    let present = averages.iter().flatten().count() as f64;
    for (method, averages) in averages.iter_mut().enumerate() {
        let Some(averages) = averages else { continue };
        let own = averaged.iter().map(|&task| &tasks[task].methods[method]);
        let own: Vec<&TaskMethodAnalysis> = own.collect();
        let values = |of: fn(&TaskMethodAnalysis) -> Option<f64>| -> Option<Vec<f64>> {
            own.iter().map(|task| of(task)).collect()
        };
        let improvements = values(|task| task.improvement);
        let ranks = values(|task| task.rank);
        let final_dtm = values(|task| task.final_dtm);
        // An averaged task has all of them.
        if let (Some(scores), Some(ranks), Some(final_dtm)) = (improvements, ranks, final_dtm) {
            let mut of_scores =
                |statistic| drawn.interval(&scores, statistic, POSSIBLE_IMPROVEMENTS);
            averages.over_tasks = Some(OverTasks {
                improvement: of_scores(mean_of),
                median_improvement: of_scores(median),
                interquartile_mean_improvement: of_scores(interquartile_mean),
                average_rank: drawn.interval(&ranks, mean_of, (1.0, present)),
                final_adtm: drawn.interval(&final_dtm, mean_of, POSSIBLE_DISTANCES),
            });
        }
        let curves = own
            .iter()
            .map(|task| Some(task.dtm.as_ref()?.mean.as_slice()));
        let curves: Option<Vec<&[f64]>> = curves.collect();
        if let Some(curves) = curves.filter(|_| options.bands == Bands::All) {
            let limits = drawn.mean_limits(&curves, POSSIBLE_DISTANCES);
            averages.adtm_over_tasks = Some(Limits {
                lower: limits.iter().map(|limits| limits.lower).collect(),
                upper: limits.iter().map(|limits| limits.upper).collect(),
            });
        }
    }
}
