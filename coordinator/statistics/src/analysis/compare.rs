//! Compares methods over data sets: Friedman, Nemenyi, Wilcoxon with Holm.

use super::comparison::{Comparison, ComparisonOutcome, DataSet, WilcoxonPair};
use super::output::{BlackboxAnalysis, TaskAnalysis};
use crate::friedman::friedman;
use crate::holm::holm;
use crate::nemenyi::nemenyi;
use crate::ranks::RankedBlocks;
use crate::wilcoxon::wilcoxon;

/// Fewest methods, and fewest data sets, that can be compared.
const FEWEST: usize = 2;

/// Compares the methods that are planned on every black box over the data sets of all of them.
pub(super) fn over_all_blackboxes(
    blackboxes: &[BlackboxAnalysis],
    significance: f64,
) -> ComparisonOutcome {
    let mut methods: Vec<String> = Vec::new();
    let mut excluded = Vec::new();
    for entry in blackboxes.iter().flat_map(|blackbox| &blackbox.methods) {
        let name = &entry.method;
        if methods.contains(name) || excluded.contains(name) {
            continue;
        }
        let planned_everywhere = blackboxes.iter().all(|blackbox| {
            let mut planned = blackbox.methods.iter();
            planned.any(|method| method.method == *name)
        });
        let all = blackboxes.iter().flat_map(|blackbox| &blackbox.methods);
        let finished = all.filter(|method| method.method == *name);
        if planned_everywhere && finished.map(|method| method.finished_traces).sum::<u64>() > 0 {
            methods.push(name.clone());
        } else {
            excluded.push(name.clone());
        }
    }
    let tasks = blackboxes.iter().flat_map(|blackbox| {
        let tasks = blackbox.tasks.iter();
        tasks.map(|task| (blackbox.name.as_str(), task))
    });
    compare(methods, excluded, tasks, significance)
}

/// Compares methods by their improvement on every task on which all of them have one.
pub(super) fn compare<'task>(
    methods: Vec<String>,
    excluded_methods: Vec<String>,
    tasks: impl Iterator<Item = (&'task str, &'task TaskAnalysis)>,
    significance: f64,
) -> ComparisonOutcome {
    let mut data_sets = Vec::new();
    let mut excluded_data_sets = Vec::new();
    let mut scores: Vec<Vec<f64>> = Vec::new();
    let mut unbalanced = false;
    for (blackbox, task) in tasks {
        let data_set = DataSet {
            blackbox: blackbox.to_owned(),
            task: task.name.clone(),
        };
        match scores_on(task, &methods) {
            Some(block) => {
                scores.push(block);
                data_sets.push(data_set);
                unbalanced |= task.unbalanced;
            }
            None => excluded_data_sets.push(data_set),
        }
    }
    if methods.len() < FEWEST {
        return ComparisonOutcome::Impossible {
            reason: format!(
                "at least {FEWEST} methods with finished traces are needed, there are {}",
                methods.len()
            ),
        };
    }
    if scores.len() < FEWEST {
        return ComparisonOutcome::Impossible {
            reason: format!(
                "at least {FEWEST} data sets are needed on which all {} methods have a score, \
                 there are {} of {}",
                methods.len(),
                scores.len(),
                scores.len() + excluded_data_sets.len()
            ),
        };
    }
    let ranked = RankedBlocks::by_highest_score(&scores);
    ComparisonOutcome::Computed(Box::new(Comparison {
        friedman: friedman(&ranked),
        nemenyi: nemenyi(&ranked, significance),
        wilcoxon: wilcoxon_pairs(&scores, methods.len()),
        average_ranks: ranked.average_ranks,
        methods,
        data_sets,
        excluded_data_sets,
        excluded_methods,
        unbalanced,
    }))
}

/// The improvement of each method on the task, if all of them have one.
fn scores_on(task: &TaskAnalysis, methods: &[String]) -> Option<Vec<f64>> {
    let score = |name: &String| {
        let own = task.methods.iter().find(|method| method.method == *name);
        own.and_then(|own| own.improvement)
    };
    methods.iter().map(score).collect()
}

fn wilcoxon_pairs(scores: &[Vec<f64>], methods: usize) -> Vec<WilcoxonPair> {
    let mut pairs = Vec::with_capacity(methods * (methods - 1) / 2);
    for first in 0..methods {
        for second in first + 1..methods {
            let values = || scores.iter().map(|block| (block[first], block[second]));
            let count =
                |wanted: fn((f64, f64)) -> bool| values().filter(|&pair| wanted(pair)).count();
            let test = wilcoxon(values());
            pairs.push(WilcoxonPair {
                first,
                second,
                wins: count(|(first, second)| first > second),
                ties: count(|(first, second)| first == second),
                losses: count(|(first, second)| first < second),
                statistic: test.statistic,
                p_value: test.p_value,
                holm_p_value: test.p_value,
                exact: test.exact,
            });
        }
    }
    let p_values: Vec<f64> = pairs.iter().map(|pair| pair.p_value).collect();
    for (pair, adjusted) in pairs.iter_mut().zip(holm(&p_values)) {
        pair.holm_p_value = adjusted;
    }
    pairs
}
