//! What a statistic by iteration consists of.

use crate::dtm::GapCurves;

/// A statistic of one method on one task at every iteration.
#[derive(Debug, Clone, Copy)]
pub struct IterationStatistic {
    /// Its key in `statistics.json`.
    pub key: &'static str,
    /// Its heading in tables.
    pub heading: &'static str,
    /// Its definition, one sentence.
    pub definition: &'static str,
    /// How readers see its values.
    pub notation: Notation,
    /// Its value at each of the iterations; there is at least one seed.
    pub compute: fn(&MethodOnTask<'_>) -> Vec<f64>,
}

/// How readers see the values of a statistic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// As a share in percent.
    Percentage,
    /// As a score with two decimals.
    Score,
    /// As a quantity that spans many orders of magnitude, with two significant digits.
    Magnitude,
}

/// What is finished of one method on one task, for a statistic to look at.
#[derive(Debug, Clone, Copy)]
pub struct MethodOnTask<'a> {
    /// How far the best value of each seed is above the least value of the table.
    pub curves: GapCurves<'a>,
    /// The same for random search, on average, if there is a baseline.
    pub baseline_gaps: Option<&'a [f64]>,
    /// The greatest objective value of the table minus the least.
    pub range: f64,
}
