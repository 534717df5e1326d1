//! The analysis of a sweep: composes the statistics over all that is finished.

pub mod comparison;
pub mod output;

pub use comparison::{
    Comparison, ComparisonOutcome, DataSet, Friedman, FriedmanStatistics, Nemenyi, WilcoxonPair,
};
pub use output::{
    Band, BaselineCurve, BlackboxAnalysis, ExcludedTask, ExclusionReason, MethodAnalysis,
    MethodAverages, MissingSeeds, RelativeImprovement, RelativeImprovementAt, SweepAnalysis,
    TaskAnalysis, TaskMethodAnalysis,
};

use crate::CoordinatorError;
use crate::results::SweepResults;
use crate::statistics::random_search::Baseline;

/// What an analysis may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisOptions {
    /// The random search to score against.
    pub baseline: Baseline,
    /// Number of bootstrap resamples behind every band, at least 1.
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
    let _ = (results, options);
    unreachable!()
}
