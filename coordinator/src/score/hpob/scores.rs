//! Compares methods by their recorded results, as the paper of HPO-B does.
//!
//! The regret is 1 minus the normalised value. Ranks are taken of regrets that are rounded to eight digits, ties sharing
//! their mean rank: within each trace, and for the test of Friedman within each task, of the means over its seeds.

use loto_statistics::friedman::{Friedman, friedman};
use loto_statistics::nemenyi::{Nemenyi, nemenyi};
use loto_statistics::practical_differences::{
    DEFAULT_ROPE, PracticalDifferences, practical_differences,
};
use loto_statistics::ranks::{RankedMethods, rank};
use loto_statistics::robust_means::interquartile_mean;
use serde::Serialize;

use super::recordings::HpobRecordings;

/// Significance level of Nemenyi's critical difference.
const SIGNIFICANCE: f64 = 0.05;

/// Factor by which regrets are rounded before they are ranked.
const DIGITS: f64 = 1e8;

/// How methods compare.
#[derive(Debug, Serialize)]
pub struct HpobScores {
    /// Number of trials after which the methods are compared.
    pub trials: usize,
    /// Number of search spaces.
    pub search_spaces: usize,
    /// Number of tasks: pairs of a search space and a data set.
    pub tasks: usize,
    /// Number of traces of each method: tasks times seeds.
    pub traces: usize,
    /// The methods, in the order of their files.
    pub methods: Vec<HpobMethod>,
    /// The test that all methods are equal, over the tasks; absent with fewer than two methods or tasks.
    pub friedman: Option<Friedman>,
    /// The test of all pairs that follows it.
    pub nemenyi: Option<Nemenyi>,
    /// How probable it is for every pair that the regrets over the tasks differ by more than the rope; absent with fewer than
    /// two methods or tasks.
    pub practical_differences: Option<PracticalDifferences>,
    /// What readers of the scores must know, one sentence each.
    pub notes: Vec<String>,
}

/// How one method compares with the others.
#[derive(Debug, Serialize)]
pub struct HpobMethod {
    /// The name of its file.
    pub method: String,
    /// Mean over the traces of its rank after all trials.
    pub mean_rank: f64,
    /// Mean over the tasks of its rank, by the mean over the seeds, after all trials.
    pub mean_task_rank: f64,
    /// Mean regret after all trials.
    pub mean_regret: f64,
    /// Interquartile mean of the regret after all trials, over the traces.
    pub interquartile_mean_regret: f64,
    /// Mean over trials 1 to the last of the mean regret; absent without any trial.
    pub area_under_curve: Option<f64>,
    /// Mean regret before the first trial, and after each.
    pub mean_regret_by_trial: Vec<f64>,
    /// Mean rank before the first trial, and after each.
    pub mean_rank_by_trial: Vec<f64>,
}

/// Scores the methods.
pub fn score(recordings: &HpobRecordings) -> HpobScores {
    let tasks = tasks(recordings);
    let ranks = ranks_by_trial(recordings);
    let by_task = task_means(recordings, &tasks);
    let ranked = RankedMethods::by_highest_score(&by_task);
    let is_comparable = recordings.methods.len() > 1 && tasks.len() > 1;
    let spaces = tasks.chunk_by(|&(one, _), &(other, _)| {
        recordings.traces[one].search_space == recordings.traces[other].search_space
    });
    let methods = recordings.methods.iter().zip(&recordings.values);
    let methods = methods
        .zip(ranks)
        .zip(&ranked.average_ranks)
        .map(|(((name, values), ranks), &task_rank)| of_method(name, values, ranks, task_rank));
    HpobScores {
        trials: recordings.trials,
        search_spaces: spaces.count(),
        tasks: tasks.len(),
        traces: recordings.traces.len(),
        methods: methods.collect(),
        friedman: is_comparable.then(|| friedman(&ranked)),
        nemenyi: is_comparable.then(|| nemenyi(&ranked, SIGNIFICANCE)),
        practical_differences: is_comparable.then(|| {
            let regrets = by_task.iter().map(|task| task.iter().map(|score| -score));
            let regrets: Vec<Vec<f64>> = regrets.map(Iterator::collect).collect();
            practical_differences(&regrets, DEFAULT_ROPE, 0, "HPO-B")
        }),
        notes: recordings.notes.clone(),
    }
}

fn of_method(name: &str, values: &[Vec<f64>], ranks: Vec<f64>, task_rank: f64) -> HpobMethod {
    let mut last: Vec<f64> = values.iter().map(|trace| regret(trace)).collect();
    let trials = ranks.len();
    let at = |trial: usize| values.iter().map(|trace| 1.0 - trace[trial]).sum::<f64>();
    let curve: Vec<f64> = (0..trials)
        .map(|trial| at(trial) / values.len() as f64)
        .collect();
    let after_first = &curve[1..];
    let area = after_first.iter().sum::<f64>() / after_first.len() as f64;
    HpobMethod {
        method: name.to_owned(),
        mean_rank: ranks[trials - 1],
        mean_task_rank: task_rank,
        mean_regret: curve[trials - 1],
        interquartile_mean_regret: interquartile_mean(&mut last),
        area_under_curve: (!after_first.is_empty()).then_some(area),
        mean_regret_by_trial: curve,
        mean_rank_by_trial: ranks,
    }
}

/// The regret after all trials. A trace has at least the value before the first.
fn regret(trace: &[f64]) -> f64 {
    1.0 - trace[trace.len() - 1]
}

/// The first trace of each task and the one after its last: traces are ordered.
fn tasks(recordings: &HpobRecordings) -> Vec<(usize, usize)> {
    let mut begin = 0;
    let of_task = recordings.traces.chunk_by(|one, other| {
        (&one.search_space, &one.data_set) == (&other.search_space, &other.data_set)
    });
    let ranges = of_task.map(|traces| {
        let range = (begin, begin + traces.len());
        begin = range.1;
        range
    });
    ranges.collect()
}

/// Mean rank over the traces by method and trial.
fn ranks_by_trial(recordings: &HpobRecordings) -> Vec<Vec<f64>> {
    let methods = recordings.methods.len();
    let mut sums = vec![vec![0.0; recordings.trials + 1]; methods];
    let mut regrets = vec![0.0; methods];
    for trace in 0..recordings.traces.len() {
        for trial in 0..=recordings.trials {
            for (regret, values) in regrets.iter_mut().zip(&recordings.values) {
                *regret = rounded(1.0 - values[trace][trial]);
            }
            for (sum, rank) in sums.iter_mut().zip(rank(&regrets).0) {
                sum[trial] += rank;
            }
        }
    }
    for sum in sums.iter_mut().flatten() {
        *sum /= recordings.traces.len() as f64;
    }
    sums
}

/// By task and method, the mean over the seeds of the regret after all trials, negated: a high score is good.
fn task_means(recordings: &HpobRecordings, tasks: &[(usize, usize)]) -> Vec<Vec<f64>> {
    let mean = |values: &[Vec<f64>], &(begin, end): &(usize, usize)| {
        let sum: f64 = values[begin..end].iter().map(|trace| regret(trace)).sum();
        -rounded(sum / (end - begin) as f64)
    };
    let of_task = |task| {
        let methods = recordings.values.iter();
        methods.map(|values| mean(values, task)).collect()
    };
    tasks.iter().map(of_task).collect()
}

fn rounded(regret: f64) -> f64 {
    (regret * DIGITS).round_ties_even() / DIGITS
}
