//! Refuses options and results that no statistic could be computed from.

use std::collections::BTreeSet;

use super::{AnalysisOptions, RANDOM_SEARCH_METHOD};
use crate::StatisticsError;
use crate::random_search::Baseline;
use crate::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};

/// Most bootstrap resamples: their means are kept in memory for every task.
const MOST_RESAMPLES: usize = 100_000;

/// Checks that every option is in its range.
pub(super) fn check_options(options: &AnalysisOptions) -> Result<(), StatisticsError> {
    let invalid = |option, value: String, expected| {
        Err(StatisticsError::InvalidAnalysisOption {
            option,
            value,
            expected,
        })
    };
    let resamples = options.bootstrap_resamples;
    if resamples == 0 || resamples > MOST_RESAMPLES {
        return invalid(
            "number of bootstrap resamples",
            resamples.to_string(),
            "1 to 100000",
        );
    }
    let probabilities = [
        ("confidence", options.confidence),
        ("significance", options.significance),
    ];
    for (option, value) in probabilities {
        if !(value > 0.0 && value < 1.0) {
            return invalid(option, value.to_string(), "between 0 and 1");
        }
    }
    Ok(())
}

/// Checks that the plan is possible, and that the baseline is part of it.
pub(super) fn check_plan<Traces>(
    results: &SweepResults<Traces>,
    baseline: Baseline,
) -> Result<(), StatisticsError> {
    check_unique(
        "sweep",
        "black box",
        results.blackboxes.iter().map(|blackbox| &blackbox.name),
    )?;
    for blackbox in &results.blackboxes {
        let methods = &blackbox.methods;
        if baseline == Baseline::Sampled
            && !methods.iter().any(|method| method == RANDOM_SEARCH_METHOD)
        {
            return Err(StatisticsError::NoSampledBaseline {
                blackbox: blackbox.name.clone(),
            });
        }
        check_unique(&blackbox.name, "method", methods.iter())?;
        check_unique(
            &blackbox.name,
            "task",
            blackbox.tasks.iter().map(|task| &task.name),
        )?;
        if blackbox.iterations == 0 {
            return Err(invalid(&blackbox.name, "no iteration is planned".into()));
        }
        for task in &blackbox.tasks {
            check_task(blackbox, task)?;
        }
    }
    Ok(())
}

/// Checks that every trace is as its plan says; the plan was checked before.
pub(super) fn check_traces(results: &SweepResults) -> Result<(), StatisticsError> {
    for blackbox in &results.blackboxes {
        for task in &blackbox.tasks {
            check_traces_of_task(blackbox, task, results.seeds)?;
        }
    }
    Ok(())
}

fn invalid(place: &str, problem: String) -> StatisticsError {
    StatisticsError::InvalidResults {
        place: place.to_owned(),
        problem,
    }
}

fn check_unique<'name>(
    place: &str,
    kind: &str,
    names: impl Iterator<Item = &'name String>,
) -> Result<(), StatisticsError> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(invalid(place, format!("{kind} {name} is listed twice")));
        }
    }
    Ok(())
}

fn check_task<Traces>(
    blackbox: &BlackboxResults<Traces>,
    task: &TaskResults<Traces>,
) -> Result<(), StatisticsError> {
    let place = place_of(&blackbox.name, &task.name);
    let objective = &task.objective;
    if objective.is_empty() {
        return Err(invalid(&place, "its table has no row".into()));
    }
    if !objective.iter().all(|value| value.is_finite()) || !objective.is_sorted() {
        let problem = "its objective values must be finite and ascending";
        return Err(invalid(&place, problem.into()));
    }
    if task.traces.len() != blackbox.methods.len() {
        let (found, expected) = (task.traces.len(), blackbox.methods.len());
        let problem = format!("it has traces of {found} methods, {expected} are planned");
        return Err(invalid(&place, problem));
    }
    Ok(())
}

fn place_of(blackbox: &str, task: &str) -> String {
    format!("{blackbox}, task {task}")
}

fn check_traces_of_task(
    blackbox: &BlackboxResults,
    task: &TaskResults,
    seeds: u32,
) -> Result<(), StatisticsError> {
    let place = place_of(&blackbox.name, &task.name);
    let length = blackbox.iterations.min(task.objective.len());
    for (method, traces) in blackbox.methods.iter().zip(&task.traces) {
        for (&seed, trace) in traces {
            let problem = if seed >= seeds {
                Some(format!("seeds 0 to {} are planned", i64::from(seeds) - 1))
            } else {
                problem_of_trace(trace, length)
            };
            if let Some(problem) = problem {
                return Err(invalid(
                    &format!("{place}, method {method}, seed {seed}"),
                    problem,
                ));
            }
        }
    }
    Ok(())
}

fn problem_of_trace(trace: &SeedTrace, length: usize) -> Option<String> {
    let values = &trace.values;
    if values.len() != length {
        return Some(format!(
            "the trace has {} iterations instead of {length}",
            values.len()
        ));
    }
    // Infinity marks an evaluation without a usable value; the best so far stays.
    let unusable = |(index, value): &(usize, &f64)| {
        !(value.is_finite() || (**value == f64::INFINITY && *index > 0))
    };
    let (index, value) = values.iter().enumerate().find(unusable)?;
    Some(format!("iteration {} has the value {value}", index + 1))
}
