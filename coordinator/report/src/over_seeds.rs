//! Whether there are intervals over the seeds, and what is said where there are none.

use loto_statistics::analysis::SweepAnalysis;

/// What is said in place of intervals over the seeds.
pub(crate) const NO_INTERVALS: &str = "one seed: no intervals";

/// Whether figures may have intervals over the seeds: not with one planned seed, which says nothing of chance.
pub(crate) fn has_intervals(analysis: &SweepAnalysis) -> bool {
    analysis.planned_seeds > 1
}

/// What is said of figures that are means over the seeds: nothing with one seed.
pub(crate) fn mean(analysis: &SweepAnalysis) -> &'static str {
    match has_intervals(analysis) {
        true => ", the mean over the seeds",
        false => "",
    }
}
