//! The sources' say in an ensemble or a transfer acquisition function (Wistuba, Schilling and
//! Schmidt-Thieme 2018, sections 6 and 7).

use std::sync::Arc;

use super::pairwise_loss::PairwiseLoss;
use super::rank_distance::{Distance, RankDistance, weight};
use super::ranking_loss::RankingLoss;
use crate::error::EngineError;
use crate::search::Observations;
use crate::sources::process::SourcePrediction;
use crate::transform::Transform;

/// One source task.
struct Expert {
    /// Its process's mean at every row of the target.
    means: Arc<Vec<f64>>,
    /// Its variance there, without observation noise; empty if it is not needed.
    variances: Vec<f64>,
    /// The least mean among the rows evaluated.
    least: f64,
    distance: RankDistance,
}

/// How the sources and the target are weighted.
pub(super) enum Weighting {
    /// By how a source ranks what was evaluated: the Epanechnikov kernel of the distance (section 6.2).
    RankDistance {
        /// How disagreements become a distance.
        distance: Distance,
        /// The distance from which on a source has no weight (rho).
        bandwidth: f64,
    },
    /// By what is known of a source before anything is evaluated: these weights.
    Known(Vec<f64>),
    /// By the precision 1 / variance of each at each row: a product of experts (section 6.1, eq. 38 and 39).
    Precision,
    /// By bootstrapped ranking losses.
    RankingLoss(Box<RankingLoss>),
    /// By the pairwise loss of the weighted sum.
    PairwiseLoss(PairwiseLoss),
}

/// The weight of every source, and of the target.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Weights {
    /// The same at all rows.
    Everywhere {
        /// Of each source.
        sources: Vec<f64>,
        /// Of the target.
        target: f64,
    },
    /// The precision of each at each row.
    Precision,
}

/// All source tasks, weighted.
pub(super) struct Experts {
    experts: Vec<Expert>,
    weighting: Weighting,
    observed: usize,
}

impl Experts {
    /// Of the sources' predictions at every row of the target, source by source.
    pub(super) fn new(predictions: Vec<SourcePrediction>, weighting: Weighting) -> Self {
        let expert = |prediction: SourcePrediction| Expert {
            means: prediction.means,
            variances: prediction.std_devs.iter().map(|s| s * s).collect(),
            least: f64::INFINITY,
            distance: RankDistance::default(),
        };
        Self {
            experts: predictions.into_iter().map(expert).collect(),
            weighting,
            observed: 0,
        }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.experts.len()
    }

    /// Shows the experts what was evaluated since the last call. With several objectives the order of earlier evaluations
    /// may have changed: what counts is the average as `transform` makes it of all of them.
    pub(super) fn observe(&mut self, observations: &Observations, transform: Transform) {
        if !observations.further.is_empty() {
            self.observed = 0;
            let distances = self.experts.iter_mut().map(|expert| &mut expert.distance);
            distances.for_each(|distance| *distance = RankDistance::default());
        }
        let values = observations.comparable(transform);
        let evaluations = observations.rows.iter().zip(values.iter());
        for (&row, &value) in evaluations.skip(self.observed) {
            for expert in &mut self.experts {
                let mean = expert.means[row as usize];
                expert.least = expert.least.min(mean);
                expert.distance.observe(mean, value);
            }
        }
        self.observed = observations.rows.len();
    }

    /// Whether the weights depend on the target's own process.
    pub(super) fn hold_the_target_to_account(&self) -> bool {
        let weighting = &self.weighting;
        matches!(
            weighting,
            Weighting::RankingLoss(_) | Weighting::PairwiseLoss(_)
        )
    }

    /// The weights after what was observed. `left_out` has the target's process's means at the observations
    /// without the observation itself and `targets` the transformed observations; both are empty unless
    /// [`Self::hold_the_target_to_account`], and before there is a process of the target.
    ///
    /// # Errors
    /// Those of [`PairwiseLoss::weights`].
    pub(super) fn weights(
        &mut self,
        observations: &Observations,
        left_out: &[f64],
        targets: &[f64],
    ) -> Result<Weights, EngineError> {
        let experts = &self.experts;
        let means = || -> Vec<Vec<f64>> {
            let observed = |expert: &Expert| {
                let rows = observations.rows.iter();
                rows.map(|&row| expert.means[row as usize]).collect()
            };
            experts.iter().map(observed).collect()
        };
        let last_is_target = |mut sources: Vec<f64>| {
            let target = sources.pop().unwrap_or(1.0);
            Weights::Everywhere { sources, target }
        };
        Ok(match &mut self.weighting {
            Weighting::RankDistance {
                distance,
                bandwidth,
            } => {
                let weigh =
                    |expert: &Expert| weight(expert.distance.distance(*distance), *bandwidth);
                Weights::Everywhere {
                    sources: experts.iter().map(weigh).collect(),
                    target: weight(0.0, *bandwidth),
                }
            }
            Weighting::Known(weights) => Weights::Everywhere {
                sources: weights.clone(),
                target: weight(0.0, 1.0),
            },
            Weighting::Precision => Weights::Precision,
            Weighting::RankingLoss(losses) => {
                last_is_target(losses.weights(&means(), left_out, targets))
            }
            Weighting::PairwiseLoss(losses) => {
                last_is_target(losses.weights(&means(), left_out, targets)?)
            }
        })
    }

    /// The sources' weighted predicted improvements I = max(least - mean, 0) at every row (eq. 47); before
    /// anything is evaluated, the predictions themselves, turned.
    pub(super) fn improvements(&self, weights: &Weights) -> Vec<f64> {
        self.sum(weights, |expert, row| match self.observed {
            0 => -expert.means[row],
            _ => (expert.least - expert.means[row]).max(0.0),
        })
    }

    /// The sources' weighted means at every row.
    pub(super) fn means(&self, weights: &Weights) -> Vec<f64> {
        self.sum(weights, |expert, row| expert.means[row])
    }

    /// The sum of the sources' weights at every row.
    pub(super) fn totals(&self, weights: &Weights) -> Vec<f64> {
        self.sum(weights, |_, _| 1.0)
    }

    /// The variance of the weighted sum of the sources' processes at every row, for weights that are the same
    /// at all rows.
    pub(super) fn variances(&self, sources: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows()];
        for (expert, weight) in self.experts.iter().zip(sources) {
            for (sum, variance) in sums.iter_mut().zip(&expert.variances) {
                *sum += weight * weight * variance;
            }
        }
        sums
    }

    fn rows(&self) -> usize {
        self.experts.first().map_or(0, |expert| expert.means.len())
    }

    /// The sum over the sources of weight times term, at every row.
    fn sum(&self, weights: &Weights, term: impl Fn(&Expert, usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.rows()];
        for (number, expert) in self.experts.iter().enumerate() {
            match weights {
                Weights::Everywhere { sources, .. } => {
                    let weight = sources[number];
                    if weight == 0.0 {
                        continue;
                    }
                    for (row, sum) in sums.iter_mut().enumerate() {
                        *sum += weight * term(expert, row);
                    }
                }
                Weights::Precision => {
                    let terms = sums.iter_mut().zip(&expert.variances).enumerate();
                    for (row, (sum, variance)) in terms {
                        *sum += term(expert, row) / variance;
                    }
                }
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experts(weighting: Weighting) -> Experts {
        let first = vec![0.5, -1.0, 0.2, -1.5, 0.0];
        let second = vec![1.0, 0.3, -0.2, 0.6, -0.9];
        let prediction = |means: Vec<f64>, std_dev| SourcePrediction {
            means: means.into(),
            std_devs: vec![std_dev; 5].into(),
        };
        Experts::new(
            vec![prediction(first, 0.5), prediction(second, 1.0)],
            weighting,
        )
    }

    fn by_rank(bandwidth: f64) -> Experts {
        experts(Weighting::RankDistance {
            distance: Distance::Euclidean,
            bandwidth,
        })
    }

    fn improvements(experts: &mut Experts, observations: &Observations) -> Vec<f64> {
        experts.observe(observations, Transform::Standardisation);
        let weights = experts.weights(observations, &[], &[]).unwrap();
        experts.improvements(&weights)
    }

    fn assert_close(found: &[f64], expected: [f64; 5]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn improvements_agree_with_a_hand_computation() {
        let mut experts = by_rank(0.5);
        let mut observations = Observations::new(5);
        let transferred = improvements(&mut experts, &observations);
        assert_close(&transferred, [-1.125, 0.525, 0.0, 0.675, 0.675]);

        // Both order the two rows as the target does: weight 3/4. Least 0.2 and -0.2.
        observations.record(0, 3.0);
        observations.record(2, 1.0);
        let transferred = improvements(&mut experts, &observations);
        assert_close(&transferred, [0.0, 0.9, 0.0, 1.275, 0.15 + 0.525]);

        // Both predict the worst row to be the best: 2 of 3 pairs, 4 of 6 entries of
        // 1/6, distance 1/3, weight 3/4 (1 - 4/9) = 5/12. Least 0 and -0.9.
        observations.record(4, 5.0);
        let transferred = improvements(&mut experts, &observations);
        assert_close(&transferred, [0.0, 5.0 / 12.0, 0.0, 7.5 / 12.0, 0.0]);
    }

    #[test]
    fn experts_beyond_the_bandwidth_are_silent() {
        let mut experts = by_rank(0.01);
        let mut observations = Observations::new(5);
        observations.record(0, 1.0);
        observations.record(2, 3.0);
        assert_eq!(improvements(&mut experts, &observations), [0.0; 5]);
    }

    #[test]
    fn sums_by_precision_and_variances_agree_with_a_hand_computation() {
        // Precisions 4 and 1.
        let experts = experts(Weighting::Precision);
        let totals = experts.totals(&Weights::Precision);
        assert_close(&totals, [5.0; 5]);
        let means = experts.means(&Weights::Precision);
        assert_close(&means, [3.0, -3.7, 0.6, -5.4, -0.9]);
        // 0.5^2 0.5^2 + 0.25^2 1^2.
        let variances = experts.variances(&[0.5, 0.25]);
        assert_close(&variances, [0.125; 5]);
    }
}
