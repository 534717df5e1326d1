//! A distribution over configurations with weights to learn: the policy of
//! REINFORCE (Williams 1992).

use crate::random::{RandomStream, StreamName};
use crate::search::Observations;
use crate::strategies::configurations::Configurations;

/// What the initial policy and the draws from it come from.
pub(super) const RANDOM: StreamName = StreamName::new("reinforce", "policy and draws");

/// Initial logits are normal with this standard deviation (Dong and Yang 2020, public code).
const INITIAL_STD_DEV: f64 = 1e-3;

/// Independent softmax distributions, one per hyperparameter:
/// pi(x) = prod_k exp(w_k,x_k) / sum_l exp(w_k,l).
pub(super) struct SoftmaxPolicy {
    /// The logits w, hyperparameter after hyperparameter.
    pub logits: Vec<f64>,
    /// Where the logits of each hyperparameter begin.
    first: Vec<usize>,
}

impl SoftmaxPolicy {
    /// A policy over hyperparameters with these numbers of levels, close to uniform.
    pub(super) fn new(levels: &[u16], random: &mut RandomStream) -> Self {
        let (mut count, mut first) = (0, Vec::with_capacity(levels.len()));
        for &level_count in levels {
            first.push(count);
            count += usize::from(level_count);
        }
        Self {
            logits: (0..count)
                .map(|_| INITIAL_STD_DEV * random.normal())
                .collect(),
            first,
        }
    }

    /// The gradient of `weight` log pi(x) by the logits:
    /// d log pi(x) / d w_k,l = (1 if l = x_k, else 0) - pi_k(l).
    pub(super) fn gradient(&self, configuration: &[u16], weight: f64) -> Vec<f64> {
        let mut gradient = Vec::with_capacity(self.logits.len());
        for (place, &level) in configuration.iter().enumerate() {
            let first = self.first[place];
            let end = self.first.get(place + 1).copied();
            let logits = &self.logits[first..end.unwrap_or(self.logits.len())];
            let greatest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let masses = logits.iter().map(|logit| libm::exp(logit - greatest));
            let total: f64 = masses.clone().sum();
            gradient.extend(masses.map(|mass| -weight * mass / total));
            gradient[first + usize::from(level)] += weight;
        }
        gradient
    }

    /// Draws a row from the policy, given that it is not evaluated yet. `None` if
    /// every row is, or if no logit is finite.
    pub(super) fn draw(
        &self,
        configurations: &Configurations,
        observations: &Observations,
        random: &mut RandomStream,
    ) -> Option<u32> {
        // log pi of each row, up to a constant that all rows share.
        let mut logarithms = vec![0.0; observations.evaluated.len()];
        for (column, &first) in configurations.columns().iter().zip(&self.first) {
            for (logarithm, &level) in logarithms.iter_mut().zip(*column) {
                *logarithm += self.logits[first + usize::from(level)];
            }
        }
        let all = (0..).zip(logarithms).zip(&observations.evaluated);
        let left = all.filter_map(|(row, &evaluated)| (!evaluated).then_some(row));
        let mut rows: Vec<(u32, f64)> = left.collect();
        let greatest = rows
            .iter()
            .map(|row| row.1)
            .fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for (_, mass) in &mut rows {
            total += libm::exp(*mass - greatest);
            *mass = total;
        }
        let drawn = random.uniform() * total;
        let row = rows.iter().find(|&&(_, mass)| mass >= drawn);
        row.map(|&(row, _)| row)
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;

    fn stream() -> RandomStream {
        RandomStream::new(RANDOM, Fingerprint([5; 16]), "t", 0)
    }

    /// log pi(x), written out for a policy on 2 and 3 levels.
    fn log_probability(logits: &[f64], configuration: &[u16; 2]) -> f64 {
        let [a, b] = configuration.map(usize::from);
        let sum = |logits: &[f64]| logits.iter().map(|logit| logit.exp()).sum::<f64>();
        logits[a] - sum(&logits[..2]).ln() + logits[2 + b] - sum(&logits[2..]).ln()
    }

    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        let mut policy = SoftmaxPolicy::new(&[2, 3], &mut stream());
        assert!(
            policy
                .logits
                .iter()
                .all(|logit| logit.abs() < 5e-3 && *logit != 0.0)
        );
        policy.logits = vec![0.3, -0.5, 1.2, 0.1, -0.7];
        for configuration in [[0, 0], [1, 2], [0, 1]] {
            let gradient = policy.gradient(&configuration, -1.7);
            for (place, slope) in gradient.iter().enumerate() {
                let shifted = |step: f64| {
                    let mut logits = policy.logits.clone();
                    logits[place] += step;
                    -1.7 * log_probability(&logits, &configuration)
                };
                let difference = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                assert!((slope - difference).abs() < 1e-8, "{slope} {difference}");
            }
        }
    }

    #[test]
    fn draws_follow_the_policy_on_the_rows_that_are_left() {
        let mut policy = SoftmaxPolicy::new(&[2, 2], &mut stream());
        // Odds of 1 to 3 and 1 to 2: probabilities 1, 2, 3, 6 of 12 for the grid.
        policy.logits = vec![1.0, 1.0 + 3f64.ln(), -800.0, -800.0 + 2f64.ln()];
        let columns = [vec![0, 0, 1, 1], vec![0, 1, 0, 1]];
        let configurations = Configurations::from_columns(&columns, &[2, 2]);
        let mut observations = Observations::new(4);
        observations.record(1, 0.5);
        let mut random = stream();
        let mut counts = [0.0; 4];
        for _ in 0..10_000 {
            counts[policy
                .draw(&configurations, &observations, &mut random)
                .unwrap() as usize] += 1.0;
        }
        for (count, expected) in counts.into_iter().zip([1000.0, 0.0, 3000.0, 6000.0]) {
            assert!(
                f64::abs(count - expected) <= 4.0 * f64::sqrt(expected),
                "{counts:?}"
            );
        }
        for row in [0, 2, 3] {
            observations.record(row, 0.5);
        }
        assert_eq!(
            policy.draw(&configurations, &observations, &mut random),
            None
        );
    }
}
