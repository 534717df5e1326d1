//! The analysis of a sweep: composes the statistics over all that is finished.

mod bands;
mod blackbox;
mod compare;
pub mod comparison;
pub mod output;
mod task;
mod validation;

#[cfg(test)]
mod recorded_traces_tests;
#[cfg(test)]
mod tests;

pub use comparison::{
    Comparison, ComparisonOutcome, DataSet, Friedman, FriedmanStatistics, Nemenyi, WilcoxonPair,
};
pub use output::{
    Band, BaselineCurve, BlackboxAnalysis, ExcludedTask, ExclusionReason, MethodAnalysis,
    MethodAverages, MissingSeeds, RelativeImprovement, RelativeImprovementAt, SweepAnalysis,
    TaskAnalysis, TaskMethodAnalysis,
};

use crate::CoordinatorError;
use crate::results::{BlackboxResults, SweepResults};
use crate::statistics::random_search::Baseline;

/// Id of the method whose traces are the sampled baseline.
pub const RANDOM_SEARCH_METHOD: &str = "rs";

/// What an analysis may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisOptions {
    /// The random search to score against.
    pub baseline: Baseline,
    /// Number of bootstrap resamples behind every band, 1 to 100000.
    pub bootstrap_resamples: usize,
    /// Probability covered by the bands, between 0 and 1.
    pub confidence: f64,
    /// Significance level of Nemenyi's critical difference, between 0 and 1.
    pub significance: f64,
    /// Seed of the bootstrap's random streams.
    pub seed: u64,
}

impl Default for AnalysisOptions {
    /// The exact baseline, 1000 resamples, bands of 95 %, significance at 5 %.
    fn default() -> Self {
        Self {
            baseline: Baseline::Exact,
            bootstrap_resamples: 1000,
            confidence: 0.95,
            significance: 0.05,
            seed: 0,
        }
    }
}

/// Computes all statistics of what is finished of a sweep.
///
/// The same results and options give the same analysis, bit for bit. This is
/// processor work (a fraction of a second for 16 methods, 26 tasks, 30 seeds and 100
/// iterations): keep it off an async executor's threads.
///
/// # Errors
/// [`CoordinatorError::InvalidAnalysisOption`] for an option out of its range,
/// [`CoordinatorError::InvalidResults`] for results that contradict their plan (a trace
/// of the wrong length, a seed that was not planned, an empty or unsorted table),
/// [`CoordinatorError::NoSampledBaseline`] if the baseline is to be sampled and the
/// method `rs` is not planned on a black box.
pub fn analyse(
    results: &SweepResults,
    options: &AnalysisOptions,
) -> Result<SweepAnalysis, CoordinatorError> {
    validation::check_options(options)?;
    validation::check_results(results, options.baseline)?;
    let blackboxes: Vec<BlackboxAnalysis> = results
        .blackboxes
        .iter()
        .map(|blackbox| blackbox::analyse(blackbox, options))
        .collect();
    let traces_per_seed =
        |blackbox: &BlackboxResults| blackbox.methods.len() as u64 * blackbox.tasks.len() as u64;
    let planned_series: u64 = results.blackboxes.iter().map(traces_per_seed).sum();
    Ok(SweepAnalysis {
        name: results.name.clone(),
        baseline: options.baseline,
        confidence: options.confidence,
        bootstrap_resamples: options.bootstrap_resamples,
        bootstrap_seed: options.seed,
        planned_seeds: results.seeds,
        planned_traces: planned_series * u64::from(results.seeds),
        finished_traces: blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods)
            .map(|method| method.finished_traces)
            .sum(),
        comparison: compare::over_all_blackboxes(&blackboxes, options.significance),
        missing: missing(&blackboxes, results.seeds),
        unbalanced: blackboxes.iter().any(|blackbox| blackbox.unbalanced),
        blackboxes,
    })
}

/// Every method and task with fewer finished seeds than planned.
fn missing(blackboxes: &[BlackboxAnalysis], planned: u32) -> Vec<MissingSeeds> {
    let mut missing = Vec::new();
    for blackbox in blackboxes {
        for task in &blackbox.tasks {
            for method in task.methods.iter().filter(|method| method.seeds < planned) {
                missing.push(MissingSeeds {
                    blackbox: blackbox.name.clone(),
                    task: task.name.clone(),
                    method: method.method.clone(),
                    finished: method.seeds,
                    planned,
                });
            }
        }
    }
    missing
}
