//! Refuses options and results that no statistic could be computed from.

use std::collections::BTreeSet;

use super::options::AnalysisOptions;
use crate::error::{Contradiction, StatisticsError};
use crate::hierarchical_posterior::POSSIBLE_ROPES;
use crate::random_search::{Baseline, RANDOM_SEARCH_METHOD};
use crate::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults, find_method};

/// Most bootstrap resamples: their means are kept in memory for every task.
const MOST_RESAMPLES: usize = 100_000;

/// Checks that every option is in its range, as [`super::analyse`] does.
///
/// # Errors
/// [`StatisticsError::InvalidAnalysisOption`], which names the option.
pub fn check_options(options: &AnalysisOptions) -> Result<(), StatisticsError> {
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
    match options.rope {
        Some(rope) if !POSSIBLE_ROPES.contains(&rope.width) => {
            invalid("rope", format!("{:?}", rope.width), "1e-100 to 1e100")
        }
        None if options.hierarchical => {
            invalid("rope", "missing".into(), "given for the hierarchical test")
        }
        _ => Ok(()),
    }
}

/// Checks that the plan is possible, and that the baseline and the method to pair with are part of it.
pub(crate) fn check_plan<Traces>(
    results: &SweepResults<Traces>,
    options: &AnalysisOptions,
) -> Result<(), StatisticsError> {
    let baseline = options.baseline;
    if let Some(method) = &options.against {
        check_against(results, method)?;
    }
    let names = results.blackboxes.iter().map(|blackbox| &blackbox.name);
    check_unique("sweep", "black box", names)?;
    for blackbox in &results.blackboxes {
        let mut methods = blackbox.methods.iter();
        if baseline == Baseline::Sampled && !methods.any(|method| method == RANDOM_SEARCH_METHOD) {
            return Err(StatisticsError::NoSampledBaseline {
                blackbox: blackbox.name.clone(),
            });
        }
        check_unique(&blackbox.name, "method", blackbox.methods.iter())?;
        let tasks = blackbox.tasks.iter().map(|task| &task.name);
        check_unique(&blackbox.name, "task", tasks)?;
        if blackbox.iterations == 0 {
            return Err(invalid(blackbox.name.clone(), Contradiction::NoIteration));
        }
        for task in &blackbox.tasks {
            check_task(blackbox, task)
                .map_err(|problem| invalid(place_of(blackbox, task), problem))?;
        }
    }
    Ok(())
}

/// Checks that the method that all others are paired with runs on some black box.
fn check_against<Traces>(
    results: &SweepResults<Traces>,
    method: &str,
) -> Result<(), StatisticsError> {
    let methods = || results.blackboxes.iter().map(|blackbox| &blackbox.methods);
    if methods().any(|known| find_method(known, method).is_some()) {
        return Ok(());
    }
    let known: BTreeSet<&str> = methods().flatten().map(String::as_str).collect();
    Err(StatisticsError::NotToPairWith {
        method: method.to_owned(),
        known: known.into_iter().collect::<Vec<_>>().join(", "),
    })
}

/// Checks that every trace is as its plan says; the plan was checked before.
pub(crate) fn check_traces(results: &SweepResults) -> Result<(), StatisticsError> {
    for blackbox in &results.blackboxes {
        for task in &blackbox.tasks {
            let length = blackbox.iterations.min(task.objective.len());
            for (method, traces) in blackbox.methods.iter().zip(&task.traces) {
                for (&seed, trace) in traces {
                    check_trace(seed, trace, results.seeds, length).map_err(|problem| {
                        let place = place_of(blackbox, task);
                        invalid(format!("{place}, method {method}, seed {seed}"), problem)
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn invalid(place: String, source: Contradiction) -> StatisticsError {
    StatisticsError::InvalidResults { place, source }
}

fn place_of<Traces>(blackbox: &BlackboxResults<Traces>, task: &TaskResults<Traces>) -> String {
    format!("{}, task {}", blackbox.name, task.name)
}

fn check_unique<'name>(
    place: &str,
    kind: &'static str,
    mut names: impl Iterator<Item = &'name String>,
) -> Result<(), StatisticsError> {
    let mut seen = BTreeSet::new();
    let twice = names.find(|&name| !seen.insert(name)).cloned();
    twice.map_or(Ok(()), |name| {
        Err(invalid(
            place.into(),
            Contradiction::ListedTwice { kind, name },
        ))
    })
}

fn check_task<Traces>(
    blackbox: &BlackboxResults<Traces>,
    task: &TaskResults<Traces>,
) -> Result<(), Contradiction> {
    let objective = &task.objective;
    let (found, expected) = (task.traces.len(), blackbox.methods.len());
    if objective.is_empty() {
        Err(Contradiction::NoRow)
    } else if !objective.iter().all(|value| value.is_finite()) || !objective.is_sorted() {
        Err(Contradiction::UnsortedObjective)
    } else if found != expected {
        Err(Contradiction::WrongMethods { found, expected })
    } else {
        Ok(())
    }
}

fn check_trace(
    seed: u32,
    trace: &SeedTrace,
    planned: u32,
    expected: usize,
) -> Result<(), Contradiction> {
    let found = trace.values.len();
    if seed >= planned {
        return Err(Contradiction::UnplannedSeed { planned });
    }
    if found != expected {
        return Err(Contradiction::WrongLength { found, expected });
    }
    // Infinity marks an evaluation without a usable value; the best so far stays.
    let is_usable = |iteration: usize, value: f64| {
        value.is_finite() || (value == f64::INFINITY && iteration > 1)
    };
    for (iteration, &value) in (1..).zip(&trace.values) {
        if !is_usable(iteration, value) {
            return Err(Contradiction::UnusableValue { iteration, value });
        }
    }
    Ok(())
}
