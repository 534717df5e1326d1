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

use crate::StatisticsError;
use crate::random_search::Baseline;
use crate::results::{BlackboxCurves, SweepCurves, SweepResults};

/// Id of the method whose traces are the sampled baseline.
pub const RANDOM_SEARCH_METHOD: &str = "rs";

/// What an analysis may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisOptions {
    /// The random search to score against.
    pub baseline: Baseline,
    /// Which curves get a band: they are most of the work.
    pub bands: Bands,
    /// Number of bootstrap resamples behind every band, 1 to 100000.
    pub bootstrap_resamples: usize,
    /// Probability covered by the bands, between 0 and 1.
    pub confidence: f64,
    /// Significance level of Nemenyi's critical difference, between 0 and 1.
    pub significance: f64,
    /// Seed of the bootstrap's random streams.
    pub seed: u64,
}

/// Which curves get a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bands {
    /// Those of the tasks and the averages over them.
    All,
    /// Only the averages over the tasks.
    Averages,
    /// None.
    None,
}

impl Default for AnalysisOptions {
    /// The exact baseline, all bands, 1000 resamples, bands of 95 %, significance at 5 %.
    fn default() -> Self {
        Self {
            baseline: Baseline::Exact,
            bands: Bands::All,
            bootstrap_resamples: 1000,
            confidence: 0.95,
            significance: 0.05,
            seed: 0,
        }
    }
}

/// Computes all statistics of what is finished of a sweep.
///
/// As [`analyse_curves`], which this hands over to.
///
/// # Errors
/// Those of [`analyse_curves`], and [`StatisticsError::InvalidResults`] for a trace that
/// contradicts the plan: of the wrong length, or of a seed that was not planned.
pub fn analyse(
    results: &SweepResults,
    options: &AnalysisOptions,
) -> Result<SweepAnalysis, StatisticsError> {
    validation::check_options(options)?;
    validation::check_plan(results, options.baseline)?;
    validation::check_traces(results)?;
    Ok(compute(&results.curves(), options))
}

/// Computes all statistics of traces that were checked and reduced to their least values.
///
/// The same traces and options give the same analysis, bit for bit. This is
/// processor work (for 16 methods, 26 tasks and 100 iterations, a fraction of a second with 30
/// seeds, some seconds with 2400): keep it off an async executor's threads.
///
/// # Errors
/// [`StatisticsError::InvalidAnalysisOption`] for an option out of its range,
/// [`StatisticsError::InvalidResults`] for an impossible plan (an empty or unsorted table,
/// a name that is listed twice),
/// [`StatisticsError::NoSampledBaseline`] if the baseline is to be sampled and the
/// method `rs` is not planned on a black box.
pub fn analyse_curves(
    curves: &SweepCurves,
    options: &AnalysisOptions,
) -> Result<SweepAnalysis, StatisticsError> {
    validation::check_options(options)?;
    validation::check_plan(curves, options.baseline)?;
    Ok(compute(curves, options))
}

fn compute(curves: &SweepCurves, options: &AnalysisOptions) -> SweepAnalysis {
    let blackboxes: Vec<BlackboxAnalysis> = curves
        .blackboxes
        .iter()
        .map(|blackbox| blackbox::analyse(blackbox, options))
        .collect();
    let traces_per_seed =
        |blackbox: &BlackboxCurves| blackbox.methods.len() as u64 * blackbox.tasks.len() as u64;
    let planned_series: u64 = curves.blackboxes.iter().map(traces_per_seed).sum();
    SweepAnalysis {
        name: curves.name.clone(),
        baseline: options.baseline,
        confidence: options.confidence,
        bootstrap_resamples: options.bootstrap_resamples,
        bootstrap_seed: options.seed,
        planned_seeds: curves.seeds,
        planned_traces: planned_series * u64::from(curves.seeds),
        finished_traces: blackboxes
            .iter()
            .flat_map(|blackbox| &blackbox.methods)
            .map(|method| method.finished_traces)
            .sum(),
        comparison: compare::over_all_blackboxes(&blackboxes, options.significance),
        missing: missing(&blackboxes, curves.seeds),
        unbalanced: blackboxes.iter().any(|blackbox| blackbox.unbalanced),
        blackboxes,
    }
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
