//! Random search as the baseline of the scores: its expectation on a finite table.
//!
//! The best of t draws is above y_(i), the i-th of n ascending values, when every
//! draw is one of the n - i above it. So its mean distance to the minimum is
//! sum_i P(all t draws above i) (y_(i+1) - y_(i)), which equals
//! sum_i y_(i) C(n-i, t-1) / C(n, t) - y_(1) for draws without replacement; but every
//! term is positive, nothing cancels, and the probabilities follow from i - 1 to i by one multiplication.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::error::StatisticsError;

/// Id of the method whose traces are the sampled baseline.
pub const RANDOM_SEARCH_METHOD: &str = "rs";

/// The random search that methods are scored against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Baseline {
    /// The exact expectation of uniform draws without replacement, as the method `rs` draws.
    #[default]
    Exact,
    /// The exact expectation of uniform draws with replacement.
    ExactWithReplacement,
    /// The mean of the finished traces of `rs` in the same sweep.
    Sampled,
}

impl Baseline {
    /// Every baseline, with the name that selects it.
    pub const NAMES: [(Self, &'static str); 3] = [
        (Self::Exact, "exact"),
        (Self::ExactWithReplacement, "exact-with-replacement"),
        (Self::Sampled, "sampled"),
    ];
}

impl fmt::Display for Baseline {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(baseline, _)| baseline == self);
        formatter.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Baseline {
    type Err = StatisticsError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let baseline = Self::NAMES.iter().find(|(_, name)| *name == text);
        baseline
            .map(|(baseline, _)| *baseline)
            .ok_or_else(|| StatisticsError::UnknownBaseline { text: text.into() })
    }
}

/// Mean distance to the minimum of the best of t draws without replacement, for t = 1 to
/// `iterations`; 0 once all values are drawn.
///
/// `ascending` are the objective values of all rows, ascending, at least one.
pub fn expected_gaps_without_replacement(ascending: &[f64], iterations: usize) -> Vec<f64> {
    let rows = ascending.len();
    let draws: Vec<f64> = (1..=iterations).map(|draws| draws as f64).collect();
    let mut gaps = vec![0.0; iterations];
    let mut all_above = vec![1.0_f64; iterations];
    for (index, step) in steps(ascending) {
        // Given that all draws are above the values before `index`, they come from so many rows.
        let left = (rows - index) as f64;
        let share = 1.0 / left;
        for ((gap, probability), draws) in gaps.iter_mut().zip(&mut all_above).zip(&draws) {
            *probability *= ((left - draws) * share).max(0.0);
            *gap += *probability * step;
        }
    }
    gaps
}

/// Mean distance to the minimum of the best of t draws with replacement, for t = 1 to `iterations`.
///
/// `ascending` are the objective values of all rows, ascending, at least one.
pub fn expected_gaps_with_replacement(ascending: &[f64], iterations: usize) -> Vec<f64> {
    let rows = ascending.len();
    let mut gaps = vec![0.0; iterations];
    for (index, step) in steps(ascending).filter(|&(_, step)| step > 0.0) {
        let above = (rows - index - 1) as f64 / rows as f64;
        let mut all_above = step;
        for gap in &mut gaps {
            all_above *= above;
            *gap += all_above;
        }
    }
    gaps
}

/// Each index but the last, with the distance from its value to the next.
fn steps(ascending: &[f64]) -> impl Iterator<Item = (usize, f64)> + '_ {
    ascending
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .enumerate()
}

#[cfg(test)]
#[path = "random_search_tests.rs"]
mod tests;
