//! Weights by pairwise ranking loss in two phases (Li et al. 2022, TransBO: Hyperparameter optimization via two-phase
//! transfer learning, KDD, section 4).
//!
//! The loss of predictions m of what was observed is the mean of log(1 + exp(m_i - m_j)) over the pairs with y_i < y_j. The
//! sources' weights on the simplex minimise it for their weighted sum; then the target's own weight in [0, 1] does for
//! the sum of both, the target's predictions being those without the observation itself.

use crate::error::EngineError;
use crate::lbfgs::{self, Settings};

/// Observations below which the target's own process has no say.
const FEWEST: usize = 5;

/// Observations from which on its weight does not fall.
const SETTLED: usize = 10;

/// The share of a new weight of the target; the former one has the rest.
const NEW: f64 = 0.6;

/// Bounds of the logarithms of unnormalised weights: a weight far below them would feel nothing any more.
const BOUND: f64 = 4.0;

const FIT: Settings = Settings {
    iterations: 50,
    gradient_tolerance: 1e-5,
    value_tolerance: 1e-8,
    longest_step: 1.0,
};

/// Finds weights, from where the last ones were.
pub(super) struct PairwiseLoss {
    /// Logarithms of the sources' weights, up to a constant.
    logarithms: Vec<f64>,
    target: f64,
}

/// The loss of predictions, and its slope by each.
fn loss(predictions: &[f64], values: &[f64], slopes: &mut [f64]) -> f64 {
    slopes.fill(0.0);
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (i, (one, value)) in predictions.iter().zip(values).enumerate() {
        for (j, (other, above)) in predictions.iter().zip(values).enumerate() {
            if value < above {
                let gap = one - other;
                // log(1 + exp(gap)) and its slope, without overflow.
                let tail = libm::exp(-gap.abs());
                let slope = if gap > 0.0 { 1.0 } else { tail } / (1.0 + tail);
                sum += gap.max(0.0) + libm::log1p(tail);
                slopes[i] += slope;
                slopes[j] -= slope;
                pairs += 1.0;
            }
        }
    }
    if pairs == 0.0 {
        return 0.0;
    }
    slopes.iter_mut().for_each(|slope| *slope /= pairs);
    sum / pairs
}

fn softmax(logarithms: &[f64]) -> Vec<f64> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let parts: Vec<f64> = logarithms
        .iter()
        .map(|&entry| libm::exp(entry - greatest))
        .collect();
    let total: f64 = parts.iter().sum();
    parts.into_iter().map(|part| part / total).collect()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// The weighted sum of predictions, source by source, of `count` observations.
fn weighted(sources: &[Vec<f64>], weights: &[f64], count: usize) -> Vec<f64> {
    let at = |place: usize| -> f64 {
        let sources = sources.iter().zip(weights);
        sources.map(|(means, weight)| weight * means[place]).sum()
    };
    (0..count).map(at).collect()
}

impl PairwiseLoss {
    /// Equal weights of that many sources, none of the target.
    pub(super) fn new(sources: usize) -> Self {
        Self {
            logarithms: vec![0.0; sources],
            target: 0.0,
        }
    }

    /// The weight of each source, then that of the target; they sum to 1.
    ///
    /// `sources` has each source's means at the observations, `left_out` the target's process's means there without
    /// the observation itself, and `targets` the transformed observations.
    ///
    /// # Errors
    /// None of its own: the loss is finite wherever it is asked for.
    pub(super) fn weights(
        &mut self,
        sources: &[Vec<f64>],
        left_out: &[f64],
        targets: &[f64],
    ) -> Result<Vec<f64>, EngineError> {
        let count = targets.len();
        let mut slopes = vec![0.0; count];
        let bounds = (vec![-BOUND; sources.len()], vec![BOUND; sources.len()]);
        lbfgs::minimise(
            |logarithms, gradient| {
                let weights = softmax(logarithms);
                let value = loss(&weighted(sources, &weights, count), targets, &mut slopes);
                let by_weight: Vec<f64> = sources.iter().map(|means| dot(means, &slopes)).collect();
                let mean = dot(&by_weight, &weights);
                for ((slot, slope), weight) in gradient.iter_mut().zip(&by_weight).zip(&weights) {
                    *slot = weight * (slope - mean);
                }
                Ok(value)
            },
            &mut self.logarithms,
            (&bounds.0, &bounds.1),
            FIT,
        )?;
        let mut weights = softmax(&self.logarithms);
        let of_sources = weighted(sources, &weights, count);
        if count >= FEWEST
            && let Some(best) = target_weight(&of_sources, left_out, targets)
        {
            let smoothed = NEW * best + (1.0 - NEW) * self.target;
            self.target = match count >= SETTLED {
                true => smoothed.max(self.target),
                false => smoothed,
            };
        }
        weights
            .iter_mut()
            .for_each(|weight| *weight *= 1.0 - self.target);
        weights.push(self.target);
        Ok(weights)
    }
}

/// The weight in [0, 1] of the second predictions that minimises the loss of the sum, which is convex in it. `None` if all weights are
/// equally good, because the values do not differ or the predictions do not.
fn target_weight(first: &[f64], second: &[f64], values: &[f64]) -> Option<f64> {
    let differences: Vec<f64> = second.iter().zip(first).map(|(b, a)| b - a).collect();
    let mut slopes = vec![0.0; values.len()];
    let mut slope = |weight: f64| {
        let mixed = first.iter().zip(&differences);
        let mixed: Vec<f64> = mixed
            .map(|(a, difference)| a + weight * difference)
            .collect();
        loss(&mixed, values, &mut slopes);
        dot(&slopes, &differences)
    };
    let ends = (slope(0.0), slope(1.0));
    if ends == (0.0, 0.0) {
        return None;
    }
    if ends.0 > 0.0 {
        return Some(0.0);
    }
    if ends.1 <= 0.0 {
        return Some(1.0);
    }
    let (mut below, mut above) = (0.0, 1.0);
    for _ in 0..30 {
        let middle = 0.5 * (below + above);
        match slope(middle) > 0.0 {
            true => above = middle,
            false => below = middle,
        }
    }
    Some(0.5 * (below + above))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 6] = [3.0, 1.0, 2.0, 5.0, 4.0, 0.5];

    /// The mean over the pairs, as the paper prints it.
    fn plain_loss(predictions: &[f64]) -> f64 {
        let pairs = (0..6).flat_map(|i| (0..6).map(move |j| (i, j)));
        let ordered: Vec<(usize, usize)> = pairs.filter(|&(i, j)| VALUES[i] < VALUES[j]).collect();
        let terms = ordered.iter();
        let terms = terms.map(|&(i, j)| (predictions[i] - predictions[j]).exp().ln_1p());
        terms.sum::<f64>() / ordered.len() as f64
    }

    fn sources() -> Vec<Vec<f64>> {
        vec![
            vec![0.4, -0.9, 0.1, 0.8, 1.1, -0.6],
            vec![-0.5, 0.7, -0.2, 0.3, -1.0, 0.9],
            vec![0.9, 0.2, -0.8, 1.4, -0.3, -0.7],
        ]
    }

    #[test]
    fn loss_and_slopes_agree_with_the_formula() {
        let mut predictions = [0.3, -1.2, 30.0, 0.8, -900.0, 0.1];
        let mut slopes = [0.0; 6];
        assert!(loss(&predictions, &VALUES, &mut slopes).is_finite());
        predictions = [0.3, -1.2, 0.5, 0.8, -0.9, 0.1];
        let found = loss(&predictions, &VALUES, &mut slopes);
        assert!((found - plain_loss(&predictions)).abs() < 1e-12, "{found}");
        for place in 0..6 {
            let shifted = |step: f64| {
                let mut shifted = predictions;
                shifted[place] += step;
                plain_loss(&shifted)
            };
            let expected = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
            assert!((slopes[place] - expected).abs() < 1e-8, "{place}");
        }
    }

    #[test]
    fn no_other_weights_of_a_fine_grid_have_less_loss() {
        let sources = sources();
        let left_out = [0.2, -0.1, 0.3, 0.6, 0.5, -0.9];
        let mut losses = PairwiseLoss::new(3);
        let weights = losses.weights(&sources, &left_out, &VALUES).unwrap();
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // The first time the target has a say: 0.6 of the best weight.
        let target = weights[3] / NEW;
        let of_sources: Vec<f64> = weights[..3]
            .iter()
            .map(|w| w / (1.0 - weights[3]))
            .collect();
        let sum = |weights: &[f64]| weighted(&sources, weights, 6);
        let best = plain_loss(&sum(&of_sources));
        for a in 0..=50 {
            for b in 0..=50 - a {
                let grid = [a, b, 50 - a - b].map(|share| f64::from(share) / 50.0);
                assert!(
                    plain_loss(&sum(&grid)) > best - 2e-3,
                    "{grid:?} {of_sources:?}"
                );
            }
        }
        let mixed = |weight: f64| {
            let pairs = sum(&of_sources).into_iter().zip(left_out);
            let mixed: Vec<f64> = pairs
                .map(|(a, b)| (1.0 - weight) * a + weight * b)
                .collect();
            plain_loss(&mixed)
        };
        assert!((0..=100).all(|share| mixed(f64::from(share) / 100.0) > mixed(target) - 1e-9));
    }

    #[test]
    fn the_target_joins_at_five_observations_and_does_not_leave_after_ten() {
        let mut losses = PairwiseLoss::new(1);
        let values: Vec<f64> = (0..12).map(f64::from).collect();
        let wrong = values.iter().map(|value| -value).collect::<Vec<f64>>();
        let few = losses.weights(&[wrong[..4].to_vec()], &values[..4], &values[..4]);
        assert_eq!(few.unwrap(), [1.0, 0.0]);
        let mut at = |count: usize, left_out: &[f64]| {
            let (source, left_out) = (vec![wrong[..count].to_vec()], &left_out[..count]);
            losses.weights(&source, left_out, &values[..count]).unwrap()[1]
        };
        assert!((at(5, &values) - 0.6).abs() < 1e-9);
        assert!((at(9, &values) - 0.84).abs() < 1e-9);
        // As wrong as the source: below ten the weight falls, then it stays.
        let more_wrong: Vec<f64> = wrong.iter().map(|value| 3.0 * value).collect();
        let fallen = at(9, &more_wrong);
        assert!((fallen - 0.336).abs() < 1e-9, "{fallen}");
        assert_eq!(at(10, &more_wrong), fallen);
    }

    #[test]
    fn observations_that_order_nothing_leave_the_weights_as_they_are() {
        let mut losses = PairwiseLoss::new(3);
        let same = losses.weights(&sources(), &VALUES, &[1.0; 6]).unwrap();
        assert_eq!(same[3], 0.0);
        assert!((same[0] - 1.0 / 3.0).abs() < 1e-15, "{same:?}");
        let ordered = losses.weights(&sources(), &VALUES, &VALUES).unwrap();
        assert!(ordered[3] > 0.0);
        let same = losses.weights(&sources(), &VALUES, &[1.0; 6]).unwrap();
        assert_eq!(same, ordered);
    }
}
