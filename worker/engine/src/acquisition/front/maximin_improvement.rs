//! The expected maximin improvement (Svenson and Santner 2016) of two objectives.

use super::points::{Front, Prediction};
use crate::acquisition::expected_improvement::expected_improvement;
use crate::special::{gauss_legendre, normal};

/// Points of the quadrature.
const POINTS: u32 = 32;

/// How many standard deviations beyond the front's farthest point the integral reaches.
const REACH: f64 = 6.0;

/// The expectation of I(y) = min over the front of the larger gain in one of the objectives, or 0 if that is negative.
pub(crate) struct MaximinImprovement<'a> {
    front: &'a Front,
    rule: Vec<(f64, f64)>,
}

impl<'a> MaximinImprovement<'a> {
    /// Over this front.
    pub(crate) fn new(front: &'a Front) -> Self {
        let rule = gauss_legendre::rule(POINTS);
        Self { front, rule }
    }

    /// The integral over s > 0 of the probability that I > s, which is the one that the prediction, moved by s in both
    /// objectives, is dominated by no point of the front. `None` once it is certain to be below the `bar`: the probability falls
    /// with s, so that no node still to come has a larger one than the last.
    pub(crate) fn value(&self, prediction: &Prediction, bar: f64) -> Option<f64> {
        let gaps = self.front.points().iter().flat_map(|point| {
            [0, 1].map(|objective| point[objective] - prediction.means[objective])
        });
        let [first, second] = prediction.std_devs;
        let half = 0.5 * (gaps.fold(0.0, f64::max) + REACH * first.max(second));
        let (mut sum, mut weight_left) = (0.0, 2.0);
        for (x, weight) in &self.rule {
            let moved = half * (1.0 + x);
            let means = prediction.means.map(|mean| mean + moved);
            let std_devs = prediction.std_devs;
            let moved = Prediction { means, std_devs };
            let probability = probability_of_nondomination(self.front, &moved);
            sum += weight * probability;
            weight_left -= weight;
            // The margin is for roundings.
            if half * (sum + probability * weight_left) * (1.0 + 1e-9) + 1e-12 < bar {
                return None;
            }
        }
        Some(half * sum)
    }

    /// At least [`Self::value`], and cheaper: the improvement is at most the sum of the gains over any one point. The
    /// margin is for the error of the quadrature, which exceeds it only where deviations are far smaller than gaps: there the 32 points
    /// do not resolve the step.
    pub(crate) fn bound(&self, prediction: &Prediction) -> f64 {
        let gain = |point: &[f64; 2]| {
            let gains = [0, 1].map(|objective| {
                let (mean, std_dev) = (prediction.means[objective], prediction.std_devs[objective]);
                expected_improvement(mean, std_dev, point[objective])
            });
            gains[0] + gains[1]
        };
        let gains = self.front.points().iter().map(gain);
        1.001 * gains.fold(f64::INFINITY, f64::min) + 1e-9
    }
}

/// The probability that the candidate is dominated by no point of the front.
pub(crate) fn probability_of_nondomination(front: &Front, prediction: &Prediction) -> f64 {
    let below = |objective: usize, value: f64| match value {
        f64::INFINITY => 1.0,
        value => normal::cdf(prediction.standardised(objective, value)),
    };
    let mut before = 0.0;
    let strips = front.strips([f64::INFINITY; 2]).map(|[end, height]| {
        let upto = below(0, end);
        let width = upto - before;
        before = upto;
        width * below(1, height)
    });
    strips.sum()
}
