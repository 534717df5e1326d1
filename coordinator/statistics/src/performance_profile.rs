//! Performance profiles: the share of runs whose score is at least a threshold, over the thresholds.
//!
//! Agarwal et al., "Deep reinforcement learning at the edge of the statistical precipice", NeurIPS 2021,
//! equation 1: the share of runs of each task, averaged over the tasks. Unlike a mean, a profile shows
//! how often a method fails, and how badly; where one lies above another everywhere, its method
//! is better on every average.

use serde::Serialize;

/// Thresholds are evenly spaced, so many to a unit.
const PER_UNIT: i32 = 50;

/// The least and the greatest threshold: improvements cannot be above 1.
const RANGE: (i32, i32) = (-1, 1);

/// The shares of runs that reach each threshold.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PerformanceProfile {
    /// Improvements, ascending.
    pub thresholds: Vec<f64>,
    /// Share of runs whose improvement is at least the threshold, averaged over the tasks.
    pub shares: Vec<f64>,
}

/// The profile of scores by task and run; each task has at least one run.
pub fn performance_profile(tasks: &[&[f64]]) -> PerformanceProfile {
    let steps = RANGE.0 * PER_UNIT..=RANGE.1 * PER_UNIT;
    let thresholds: Vec<f64> = steps
        .map(|step| f64::from(step) / f64::from(PER_UNIT))
        .collect();
    let mut shares = vec![0.0; thresholds.len()];
    for &scores in tasks {
        // The number of scores whose last reached threshold is the one before each position.
        let mut last_reached = vec![0_u32; thresholds.len() + 1];
        for score in scores {
            last_reached[thresholds.partition_point(|threshold| threshold <= score)] += 1;
        }
        let mut reaching = scores.len() as u32;
        for (share, fail) in shares.iter_mut().zip(last_reached) {
            reaching -= fail;
            *share += f64::from(reaching) / scores.len() as f64;
        }
    }
    shares
        .iter_mut()
        .for_each(|share| *share /= tasks.len() as f64);
    PerformanceProfile { thresholds, shares }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_numpy() {
        // a = numpy.array([.9, .5, -3, 1]); b = numpy.array([.02, -.5])
        // [((a >= t).mean() + (b >= t).mean()) / 2 for t in (-1, -.5, -.48, 0, .02, .04, .5, .52, 1)]
        let profile = performance_profile(&[&[0.9, 0.5, -3.0, 1.0], &[0.02, -0.5]]);
        assert_eq!(profile.thresholds.len(), 101);
        let expected = [
            (-1.0, 0.875),
            (-0.5, 0.875),
            (-0.48, 0.625),
            (0.0, 0.625),
            (0.02, 0.625),
            (0.04, 0.375),
            (0.5, 0.375),
            (0.52, 0.25),
            (1.0, 0.125),
        ];
        for (threshold, share) in expected {
            let mut thresholds = profile.thresholds.iter();
            let position = thresholds.position(|known| *known == threshold).unwrap();
            assert_eq!(profile.shares[position], share, "{threshold}");
        }
    }
}
