//! What an analysis may be asked for.

use crate::random_search::Baseline;

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
