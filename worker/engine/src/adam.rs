//! ADAM (Kingma and Ba 2015): steps along the mean of the last slopes over the root of their mean square.

use pulp::Simd;

/// The optimiser's running moments.
pub(crate) struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
    updates: i32,
}

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f32 = 1e-8;

/// A first moment below this is set to 0. That of a unit that no row reaches any more would decay until it is subnormal and
/// stay so, and many processors take a hundred times as long for such a number. No weight is near enough to 0 to be moved by it.
const LEAST_FIRST: f32 = 1e-30;

impl Adam {
    /// For so many weights, none of which was updated yet.
    pub(crate) fn new(size: usize) -> Self {
        Self {
            first: vec![0.0; size],
            second: vec![0.0; size],
            updates: 0,
        }
    }

    /// Moves the weights down their slopes at this learning rate.
    pub(crate) fn update(&mut self, weights: &mut [f32], gradient: &[f32], rate: f64) {
        self.updates += 1;
        let first_bias = 1.0 - FIRST_DECAY.powi(self.updates);
        let second_bias = 1.0 - SECOND_DECAY.powi(self.updates);
        let (rate, root_bias) = ((rate / first_bias) as f32, second_bias.sqrt() as f32);
        let (first, second) = (&mut self.first, &mut self.second);
        step_weights(weights, gradient, first, second, rate, root_bias);
    }
}

/// The `rate` is the learning rate over the bias of the first moment, `root_bias` the root of that of the second.
#[pulp::with_simd(step_weights = pulp::Arch::new())]
#[inline(always)]
fn step_weights_with<S: Simd>(
    _simd: S,
    weights: &mut [f32],
    gradient: &[f32],
    first: &mut [f32],
    second: &mut [f32],
    rate: f32,
    root_bias: f32,
) {
    let (keep_first, keep_second) = (FIRST_DECAY as f32, SECOND_DECAY as f32);
    let moments = first.iter_mut().zip(second);
    for ((weight, &slope), (first, second)) in weights.iter_mut().zip(gradient).zip(moments) {
        let moment = keep_first * *first + (1.0 - keep_first) * slope;
        // Without a branch, so that it is vectorised.
        *first = if moment.abs() < LEAST_FIRST {
            0.0
        } else {
            moment
        };
        *second = keep_second * *second + (1.0 - keep_second) * slope * slope;
        *weight -= rate * *first / (second.sqrt() / root_bias + EPSILON);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adam_takes_the_steps_of_a_hand_computation() {
        // Two steps on slopes 1 and 0.5: m = .1, .14; v = .001, .001249;
        // bias-corrected m/sqrt(v): 1 and .14/.19 / sqrt(.001249/.001999).
        let mut adam = Adam::new(1);
        let mut weights = [0.0];
        adam.update(&mut weights, &[1.0], 0.1);
        assert!((weights[0] + 0.1).abs() < 1e-6, "{weights:?}");
        adam.update(&mut weights, &[0.5], 0.1);
        let expected = -0.1 - 0.1 * (0.14 / 0.19) / (0.001_249_f32 / 0.001_999).sqrt();
        assert!(
            (weights[0] - expected).abs() < 1e-5,
            "{weights:?} {expected}"
        );
    }

    #[test]
    fn the_moment_of_a_weight_without_slopes_becomes_zero_and_not_subnormal() {
        let mut adam = Adam::new(2);
        let mut weights = [0.5, 0.5];
        adam.update(&mut weights, &[1.0, 1.0], 0.01);
        for _ in 0..2000 {
            adam.update(&mut weights, &[0.0, 1.0], 0.01);
        }
        assert_eq!(adam.first[0], 0.0);
        assert!(adam.first[1] > 0.99);
    }
}
