//! Bootstrap intervals of the improvement: per task, and of its averages over tasks.

use super::options::AnalysisOptions;
use super::output::MethodAverages;
use super::task::TaskGaps;
use super::task_output::TaskAnalysis;
use crate::bootstrap::random_stream;
use crate::improvement::POSSIBLE_IMPROVEMENTS;
use crate::means::mean_of;
use crate::results::BlackboxCurves;
use crate::robust_means::{interquartile_mean, median};
use crate::score_bootstrap::{ResampledScore, ScoreIntervals};

/// Fills in the intervals of the improvements on all tasks, and of the averages over the
/// `averaged` ones; none if they were not asked for.
pub(crate) fn fill_intervals(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &mut [TaskAnalysis],
    averages: &mut [Option<MethodAverages>],
    rest: &mut dyn FnMut(),
) {
    if !options.intervals {
        return;
    }
    let mut intervals = ScoreIntervals::new(options.confidence, POSSIBLE_IMPROVEMENTS);
    for method in 0..blackbox.methods.len() {
        let name = blackbox.reported_name(method);
        let mut of_averaged = Vec::with_capacity(averaged.len());
        for (task, curves) in curves.iter().enumerate() {
            let own = &mut tasks[task].methods[method];
            let scores = curves.seed_improvements[method].as_ref();
            let Some(scores) = scores.filter(|_| own.improvement.is_some()) else {
                continue;
            };
            rest();
            let task_name = &blackbox.tasks[task].name;
            let mut random = random_stream(options.seed, &blackbox.name, task_name, &name);
            let resampled = ResampledScore::new(scores, options.bootstrap_resamples, &mut random);
            let Some(resampled) = resampled else {
                continue;
            };
            own.improvement_interval =
                Some(intervals.of(std::slice::from_ref(&resampled), mean_of));
            if averaged.contains(&task) {
                of_averaged.push(resampled);
            }
        }
        let Some(averages) = &mut averages[method] else {
            continue;
        };
        if of_averaged.len() == averaged.len() {
            let mut of = |statistic| Some(intervals.of(&of_averaged, statistic));
            averages.improvement_interval = of(mean_of);
            averages.median_improvement_interval = of(median);
            averages.interquartile_mean_improvement_interval = of(interquartile_mean);
        }
    }
}
