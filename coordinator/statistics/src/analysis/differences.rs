//! Paired differences of all methods to one, from traces of the same task and seed: methods that begin with random rows
//! begin with the same ones, and those that use a fitted prior share it, so that part of what the seeds do cancels out.

use super::options::AnalysisOptions;
use super::output::{MethodAverages, PairedDifference};
use super::task::TaskGaps;
use super::task_output::{TaskAnalysis, TaskDifference};
use crate::bootstrap::random_stream;
use crate::improvement::POSSIBLE_IMPROVEMENTS;
use crate::means::mean_of;
use crate::results::{BlackboxCurves, find_method};
use crate::robust_means::median;
use crate::score_bootstrap::{ResampledScore, ScoreIntervals};

/// Fills in the differences on all tasks and their averages over the `averaged` ones. Returns the
/// method that the others are paired with, if it has averages.
pub(crate) fn fill_differences(
    blackbox: &BlackboxCurves,
    curves: &[TaskGaps<'_>],
    averaged: &[usize],
    options: &AnalysisOptions,
    tasks: &mut [TaskAnalysis],
    averages: &mut [Option<MethodAverages>],
    rest: &mut dyn FnMut(),
) -> Option<usize> {
    let against = match &options.against {
        Some(wanted) => find_method(&blackbox.methods, wanted)?,
        None => best_ranked(averages)?,
    };
    averages[against].as_ref()?;
    for method in 0..blackbox.methods.len() {
        if method == against {
            continue;
        }
        let name = blackbox.reported_name(method);
        let possible = possible_differences(curves, method, against);
        let mut intervals = ScoreIntervals::new(options.confidence, possible);
        let mut means = Vec::with_capacity(averaged.len());
        let mut resampled = Vec::with_capacity(averaged.len());
        let mut pairs = 0;
        for (task, curves) in curves.iter().enumerate() {
            let differences = seed_differences(blackbox, curves, task, method, against);
            if differences.is_empty() {
                continue;
            }
            let mut difference = TaskDifference {
                mean: differences.iter().sum::<f64>() / differences.len() as f64,
                interval: None,
                pairs: differences.len() as u32,
            };
            let sample = options.intervals.then(|| {
                rest();
                let task_name = &blackbox.tasks[task].name;
                let mut random = random_stream(options.seed, &blackbox.name, task_name, &name);
                ResampledScore::new(&differences, options.bootstrap_resamples, &mut random)
            });
            let sample = sample.flatten();
            let interval_of = |sample| intervals.of(std::slice::from_ref(sample), mean_of);
            difference.interval = sample.as_ref().map(interval_of);
            if averaged.contains(&task) {
                means.push(difference.mean);
                resampled.extend(sample);
                pairs += u64::from(difference.pairs);
            }
            tasks[task].methods[method].difference = Some(difference);
        }
        let Some(averages) = &mut averages[method] else {
            continue;
        };
        if means.len() < averaged.len() {
            continue;
        }
        let complete = resampled.len() == averaged.len();
        let mut interval = |statistic| complete.then(|| intervals.of(&resampled, statistic));
        averages.difference = Some(PairedDifference {
            mean: mean_of(&mut means),
            mean_interval: interval(mean_of),
            median: median(&mut means),
            median_interval: interval(median),
            pairs,
        });
    }
    Some(against)
}

/// The method with the best average rank, the first of several.
fn best_ranked(averages: &[Option<MethodAverages>]) -> Option<usize> {
    let ranked = averages.iter().enumerate();
    let ranked = ranked.filter_map(|(method, own)| Some((method, own.as_ref()?.average_rank)));
    let best = ranked.min_by(|(_, one), (_, other)| one.total_cmp(other));
    best.map(|(method, _)| method)
}

/// The least and the greatest difference of one method to another. An improvement has no least value, so that a difference has
/// neither, unless one of the two is at the optimum throughout, as the best of a table is: nothing is ahead of that.
fn possible_differences(curves: &[TaskGaps<'_>], method: usize, against: usize) -> (f64, f64) {
    let is_optimal = |method: usize| {
        let of_tasks = curves.iter().filter(|curves| !curves.is_constant());
        let mut scores = of_tasks.filter_map(|curves| curves.seed_improvements[method].as_ref());
        scores.all(|scores| scores.iter().all(|&score| score == POSSIBLE_IMPROVEMENTS.1))
    };
    let bound = |is_optimal: bool, without: f64| if is_optimal { 0.0 } else { without };
    (
        bound(is_optimal(method), f64::NEG_INFINITY),
        bound(is_optimal(against), f64::INFINITY),
    )
}

/// The improvement of one method minus that of another, for each seed that both have finished.
fn seed_differences(
    blackbox: &BlackboxCurves,
    curves: &TaskGaps<'_>,
    task: usize,
    method: usize,
    against: usize,
) -> Vec<f64> {
    let of = |method: usize| {
        let seeds = blackbox.tasks[task].traces[method].seeds();
        let scores = curves.seed_improvements[method].as_deref();
        (seeds, scores.filter(|_| !curves.is_constant()))
    };
    let ((own_seeds, own), (other_seeds, other)) = (of(method), of(against));
    let (Some(own), Some(other)) = (own, other) else {
        return Vec::new();
    };
    let paired = own_seeds.iter().zip(own).filter_map(|(seed, own)| {
        let position = other_seeds.binary_search(seed).ok()?;
        Some(own - other[position])
    });
    paired.collect()
}
