//! REINFORCE (Williams 1992) with the settings of Dong and Yang 2020.

use super::policy::{RANDOM, SoftmaxPolicy};
use crate::error::{EngineError, ImpossibleJob};
use crate::random::RandomStream;
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::strategies::configurations::Configurations;
use crate::transform::Transform;

/// Draws a configuration from a softmax policy and moves the policy towards those
/// whose reward, the negative objective, is above a moving average.
///
/// The draw is from the policy given that the row is not evaluated yet; the
/// gradient is that of the policy itself.
pub(super) struct ReinforceSearch<'a> {
    configurations: Configurations<'a>,
    policy: SoftmaxPolicy,
    adam: Adam,
    learning_rate: f64,
    baseline: MovingAverage,
    /// Number of evaluations the policy has learned from.
    learned: usize,
    random: RandomStream,
}

impl<'a> ReinforceSearch<'a> {
    /// With ADAM's learning rate, and a baseline that keeps the share
    /// `baseline_momentum` (below 1) of its past at each reward.
    pub(super) fn new(setting: &Setting<'a>, learning_rate: f64, baseline_momentum: f64) -> Self {
        let configurations = Configurations::new(setting);
        let mut random = setting.random(RANDOM);
        let policy = SoftmaxPolicy::new(configurations.levels(), &mut random);
        Self {
            configurations,
            adam: Adam::new(policy.logits.len()),
            policy,
            learning_rate,
            baseline: MovingAverage::new(baseline_momentum),
            learned: 0,
            random,
        }
    }

    /// One step of ADAM on -log pi(x) (reward - baseline). The baseline takes in
    /// the reward first, as in the public code; so the first step is none.
    fn learn(&mut self, configuration: &[u16], reward: f64) {
        let advantage = reward - self.baseline.update(reward);
        let gradient = self.policy.gradient(configuration, -advantage);
        let step = self.adam.step(&gradient, self.learning_rate);
        for (logit, step) in self.policy.logits.iter_mut().zip(step) {
            *logit -= step;
        }
    }
}

impl Search for ReinforceSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let values = observations.comparable(Transform::Copula);
        for place in self.learned..observations.rows.len() {
            let configuration = self.configurations.of_row(observations.rows[place]);
            self.learn(&configuration, -values[place]);
        }
        self.learned = observations.rows.len();
        let row = self
            .policy
            .draw(&self.configurations, observations, &mut self.random);
        row.ok_or_else(|| ImpossibleJob::NoRow("the policy has no row to draw").into())
    }
}

/// An exponential moving average, free of the bias towards its start at 0: the
/// average of the values v with weights momentum^age.
struct MovingAverage {
    momentum: f64,
    sum: f64,
    weight: f64,
}

impl MovingAverage {
    fn new(momentum: f64) -> Self {
        Self {
            momentum,
            sum: 0.0,
            weight: 0.0,
        }
    }

    /// Takes in a value and gives the average.
    fn update(&mut self, value: f64) -> f64 {
        self.sum = self.momentum * self.sum + (1.0 - self.momentum) * value;
        self.weight = self.momentum * self.weight + (1.0 - self.momentum);
        self.sum / self.weight
    }
}

const FIRST_DECAY: f64 = 0.9;
const SECOND_DECAY: f64 = 0.999;
const EPSILON: f64 = 1e-8;

/// ADAM (Kingma and Ba 2015, algorithm 1) in double precision: rewards have the objective's scale, whatever that is. Only
/// where they are as small as [`EPSILON`] does a step depend on it.
struct Adam {
    /// The running first and second moments of each slope.
    moments: Vec<(f64, f64)>,
    steps: i32,
}

impl Adam {
    fn new(size: usize) -> Self {
        Self {
            moments: vec![(0.0, 0.0); size],
            steps: 0,
        }
    }

    /// What a descent along the gradient subtracts from the weights.
    fn step(&mut self, gradient: &[f64], learning_rate: f64) -> Vec<f64> {
        self.steps += 1;
        let first_bias = 1.0 - FIRST_DECAY.powi(self.steps);
        let second_bias = 1.0 - SECOND_DECAY.powi(self.steps);
        let moments = self.moments.iter_mut().zip(gradient);
        moments
            .map(|((first, second), &slope)| {
                *first = FIRST_DECAY * *first + (1.0 - FIRST_DECAY) * slope;
                *second = SECOND_DECAY * *second + (1.0 - SECOND_DECAY) * slope * slope;
                learning_rate * (*first / first_bias) / ((*second / second_bias).sqrt() + EPSILON)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;

    #[test]
    fn the_baseline_is_the_weighted_average_of_the_rewards() {
        let mut baseline = MovingAverage::new(0.9);
        assert_eq!(baseline.update(-4.0), -4.0);
        // (0.9 * -4 + 1 * -2) / 1.9 and (0.81 * -4 + 0.9 * -2 + 1 * 5) / 2.71.
        assert!((baseline.update(-2.0) + 5.6 / 1.9).abs() < 1e-15);
        assert!((baseline.update(5.0) + 0.04 / 2.71).abs() < 1e-15);
    }

    #[test]
    fn adam_takes_the_steps_of_a_hand_computation() {
        // Slopes 1 and 0.5: m = 0.1, 0.14; v = 0.001, 0.001249;
        // biases 0.1, 0.19 and 0.001, 0.001999.
        let mut adam = Adam::new(2);
        let step = adam.step(&[1.0, 0.0], 0.1);
        assert!((step[0] - 0.1).abs() < 1e-8 && step[1] == 0.0, "{step:?}");
        let step = adam.step(&[0.5, 0.0], 0.1);
        let expected = 0.1 * (0.14 / 0.19) / (0.001_249_f64 / 0.001_999).sqrt();
        assert!(
            (step[0] - expected).abs() < 1e-8 && step[1] == 0.0,
            "{step:?}"
        );
    }

    #[test]
    fn the_policy_moves_towards_rewards_above_the_baseline() {
        let columns = [vec![0, 1]];
        let mut random = RandomStream::new(RANDOM, Fingerprint([5; 16]), "t", 0);
        let mut policy = SoftmaxPolicy::new(&[2], &mut random);
        policy.logits = vec![0.0, 0.0];
        let mut search = ReinforceSearch {
            configurations: Configurations::from_columns(&columns, &[2]),
            policy,
            adam: Adam::new(2),
            learning_rate: 0.001,
            baseline: MovingAverage::new(0.9),
            learned: 0,
            random,
        };
        let mut observations = Observations::new(2);
        observations.record(0, 7.0);
        assert_eq!(search.choose(&observations).unwrap(), 1);
        assert_eq!(search.policy.logits, [0.0, 0.0], "no advantage yet");
        // Second reward -3: baseline -(0.9 * 7 + 3) / 1.9, advantage 36 / 19. Slopes
        // of the loss: 18 / 19 and -18 / 19. With one slope 0 before, m = 0.1 slope,
        // v = 0.001 slope^2: a step of 0.1 / 0.19 / sqrt(0.001 / 0.001999).
        search.learn(&[1], -3.0);
        let step = 0.001 * (0.1 / 0.19) / f64::sqrt(0.001 / 0.001_999);
        for (logit, expected) in search.policy.logits.iter().zip([-step, step]) {
            assert!((logit - expected).abs() < 1e-10, "{logit} {expected}");
        }
    }
}
