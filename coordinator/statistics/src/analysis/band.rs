//! A curve with its limits, as `statistics.json` has it.

use serde::Serialize;

/// A curve over the iterations with its bootstrap band.
///
/// The band is pointwise: seeds are resampled with replacement for each method and
/// task, and the limits are percentiles (linear between order statistics) of the resampled means,
/// stretched about the mean to correct for the number of seeds. With one seed, or one on some of the averaged tasks, it is not known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Band {
    /// Mean over the finished seeds.
    pub mean: Vec<f64>,
    /// Lower limit of the band; empty if the band was not asked for or is not known.
    pub lower: Vec<f64>,
    /// Upper limit of the band; empty if the band was not asked for or is not known.
    pub upper: Vec<f64>,
}
