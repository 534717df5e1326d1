//! The sources' say in a transfer acquisition function (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 7).

use super::rank_distance::{RankDistance, weight};
use crate::search::Observations;

/// One source task.
struct Expert {
    /// Its process's mean at every row of the target.
    means: Vec<f64>,
    /// The least of them among the rows evaluated.
    least: f64,
    distance: RankDistance,
}

/// All source tasks, weighted by how they rank what was evaluated.
pub(super) struct Experts {
    experts: Vec<Expert>,
    bandwidth: f64,
    observed: usize,
}

impl Experts {
    /// Of the sources' predicted means at every row of the target, source by source,
    /// and the bandwidth of their weights.
    pub(super) fn new(means: Vec<Vec<f64>>, bandwidth: f64) -> Self {
        let expert = |means| Expert {
            means,
            least: f64::INFINITY,
            distance: RankDistance::default(),
        };
        Self {
            experts: means.into_iter().map(expert).collect(),
            bandwidth,
            observed: 0,
        }
    }

    /// The weight of the target itself, whose distance is 0.
    pub(super) fn target_weight(&self) -> f64 {
        weight(0.0, self.bandwidth)
    }

    /// Shows the experts what was evaluated since the last call, and sums their weighted
    /// predicted improvements I = max(least - mean, 0) at every row (eq. 47) into
    /// `transferred`; before anything is evaluated, the predictions themselves.
    pub(super) fn transfer(&mut self, observations: &Observations, transferred: &mut [f64]) {
        let evaluations = observations.rows.iter().zip(&observations.values);
        for (&row, &value) in evaluations.skip(self.observed) {
            for expert in &mut self.experts {
                let mean = expert.means[row as usize];
                expert.least = expert.least.min(mean);
                expert.distance.observe(mean, value);
            }
        }
        self.observed = observations.rows.len();
        transferred.fill(0.0);
        for expert in &self.experts {
            let weight = weight(expert.distance.distance(), self.bandwidth);
            if weight == 0.0 {
                continue;
            }
            for (sum, mean) in transferred.iter_mut().zip(&expert.means) {
                *sum += match self.observed {
                    0 => -weight * mean,
                    _ => weight * (expert.least - mean).max(0.0),
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experts(bandwidth: f64) -> Experts {
        let first = vec![0.5, -1.0, 0.2, -1.5, 0.0];
        let second = vec![1.0, 0.3, -0.2, 0.6, -0.9];
        Experts::new(vec![first, second], bandwidth)
    }

    fn assert_close(found: &[f64], expected: [f64; 5]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn improvements_agree_with_a_hand_computation() {
        let mut experts = experts(0.5);
        let mut observations = Observations::new(5);
        let mut transferred = vec![0.0; 5];
        experts.transfer(&observations, &mut transferred);
        assert_close(&transferred, [-1.125, 0.525, 0.0, 0.675, 0.675]);

        // Both order the two rows as the target does: weight 3/4. Least 0.2 and -0.2.
        observations.record(0, 3.0);
        observations.record(2, 1.0);
        experts.transfer(&observations, &mut transferred);
        assert_close(&transferred, [0.0, 0.9, 0.0, 1.275, 0.15 + 0.525]);

        // Both predict the worst row to be the best: 2 of 3 pairs, 4 of 6 entries of
        // 1/6, distance 1/3, weight 3/4 (1 - 4/9) = 5/12. Least 0 and -0.9.
        observations.record(4, 5.0);
        experts.transfer(&observations, &mut transferred);
        assert_close(&transferred, [0.0, 5.0 / 12.0, 0.0, 7.5 / 12.0, 0.0]);
    }

    #[test]
    fn experts_beyond_the_bandwidth_are_silent() {
        let mut experts = experts(0.01);
        let mut observations = Observations::new(5);
        observations.record(0, 1.0);
        observations.record(2, 3.0);
        let mut transferred = vec![1.0; 5];
        experts.transfer(&observations, &mut transferred);
        assert_eq!(transferred, [0.0; 5]);
    }
}
