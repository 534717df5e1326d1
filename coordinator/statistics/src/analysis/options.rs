//! What an analysis may be asked for.

use super::rope::{Rope, RopeUnit};
use crate::practical_differences::DEFAULT_ROPE;
use crate::random_search::Baseline;

/// What an analysis may be asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisOptions {
    /// The random search to score against.
    pub baseline: Baseline,
    /// Method that all others are paired with, as [`find_method`](crate::results::find_method) finds it; without
    /// one, on each black box the one with the best average rank.
    pub against: Option<String>,
    /// Which curves get a band: they are most of the work.
    pub bands: Bands,
    /// Whether scores and differences get intervals: with many seeds they take as long as bands.
    pub intervals: bool,
    /// Number of bootstrap resamples behind every band and interval, 1 to 100000.
    pub bootstrap_resamples: usize,
    /// Probability covered by the bands and intervals, between 0 and 1.
    pub confidence: f64,
    /// Significance level of Nemenyi's critical difference, between 0 and 1.
    pub significance: f64,
    /// Up to where differences are too small to matter; none if it is not asked which ones matter.
    pub rope: Option<Rope>,
    /// Whether all methods are compared with `against` by the hierarchical test, which needs a rope and takes some
    /// seconds.
    pub hierarchical: bool,
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
    /// The exact baseline, pairs with the best method, all bands and intervals, 1000 resamples, bands of 95 %, significance at 5 %,
    /// a rope of 0.01 of the distance to the minimum, no hierarchical test.
    fn default() -> Self {
        Self {
            baseline: Baseline::Exact,
            against: None,
            bands: Bands::All,
            intervals: true,
            bootstrap_resamples: 1000,
            confidence: 0.95,
            significance: 0.05,
            rope: Some(Rope {
                width: DEFAULT_ROPE,
                unit: RopeUnit::Distance,
            }),
            hierarchical: false,
            seed: 0,
        }
    }
}
