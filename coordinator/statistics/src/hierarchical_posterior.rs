//! The Bayesian hierarchical correlated test (Corani, Benavoli, Demsar, Mangili and Zaffalon, "Statistical comparison of
//! classifiers through Bayesian hierarchical modelling", Machine Learning 106, 2017), with a region of practical equivalence.
//!
//! Of x_ij, the difference of two methods on task i in repetition j of J, it assumes
//!
//! x_i ~ N(delta_i, sigma_i^2 R), R with 1 on the diagonal and rho elsewhere; delta_i ~ t_nu(delta_0, sigma_0);
//! delta_0, sigma_i, sigma_0 uniform; nu - 1 ~ Gamma(a, rate b), a ~ U(1, 2), b ~ U(.01, .1),
//!
//! and asks where the difference on a further task would be: below, within or above [-rope, rope], by
//! T_nu((-rope - delta_0) / sigma_0) and so on. Reported is in which share of the draws each of the three is the greatest.
//!
//! The posterior is drawn by Gibbs sampling, t_nu being a normal distribution whose precision is multiplied by
//! l_i ~ Gamma(nu / 2, rate nu / 2). With S_i = sum_j (x_ij - mean_i)^2, c_i = J / (1 + (J - 1) rho) and
//! Q_i = S_i / (1 - rho) + c_i (mean_i - delta_i)^2:
//!
//! | parameter | given all others |
//! |---|---|
//! | delta_i | N((c_i mean_i / sigma_i^2 + l_i delta_0 / sigma_0^2) / w, 1 / w), w = c_i / sigma_i^2 + l_i / sigma_0^2 |
//! | 1 / sigma_i^2 | Gamma((J - 1) / 2, rate Q_i / 2) within its bounds |
//! | l_i | Gamma((nu + 1) / 2, rate (nu + (delta_i - delta_0)^2 / sigma_0^2) / 2) |
//! | delta_0 | N(sum l_i delta_i / sum l_i, sigma_0^2 / sum l_i) within its bounds |
//! | 1 / sigma_0^2 | Gamma((q - 1) / 2, rate sum l_i (delta_i - delta_0)^2 / 2) within its bounds |
//! | nu, a, b | slice sampling |
//!
//! On a task whose repetitions all agree, sigma_i would be 0, at which a chain sticks. Such repetitions count as spread evenly within
//! the rope about their mean, S_i = J rope^2 / 3. baycomp replaces them by random numbers within the rope about 0, which
//! is the same where methods agree, and forgets by how much they differ elsewhere: on recorded results of HPO-B that turns a
//! probability of .17 into .13. The tests give both the data with baycomp's replacements.

use std::ops::RangeInclusive;

use loto_proto::limits::MAX_MAGNITUDE;
use rand_chacha::ChaCha8Rng;

use crate::signed_rank_posterior::RopeProbabilities;
use crate::student_t::two_sided;
use crate::variates::{gamma, gamma_within, normal, slice_within};

/// Widths of a rope: squares of wider ones overflow, and those of narrower ones vanish, with which the chain would not end. No
/// value of an objective is greater than the widest.
pub(crate) const POSSIBLE_ROPES: RangeInclusive<f64> = 1.0 / MAX_MAGNITUDE..=MAX_MAGNITUDE;

/// Draws that are thrown away, and draws that are kept: the probabilities of 4000 have standard deviations of up to .014.
const WARM_UP: usize = 1000;
const DRAWS: usize = 16_000;

/// Standard deviations are at most so many times the greatest on a task of the data, and that of the tasks' means.
const GREATEST_DEVIATION: f64 = 1000.0;

/// Least standard deviation on a task, as a share of the rope: below it repetitions agree. And that among the tasks. They
/// matter for numbers alone.
const LEAST_DEVIATION: f64 = 1e-3;
const LEAST_DEVIATION_AMONG: f64 = 1e-4;

/// Bounds of the parameters a and b of the prior on the degrees of freedom.
const SHAPES: (f64, f64) = (1.0, 2.0);
const RATES: (f64, f64) = (0.01, 0.1);

/// Bounds of the logarithm of nu - 1: beyond them the prior has no mass to speak of.
const LOG_DEGREES: (f64, f64) = (-14.0, 10.0);

/// The posterior probabilities that the difference on a further task is below, within and above the rope.
///
/// `differences` has the repetitions of each task: at least two tasks, of at least two repetitions each. `correlation` is that of
/// repetitions on a task, 0 if they are independent. About 0.2 s for 50 tasks of ten repetitions.
pub(crate) fn hierarchical_posterior(
    differences: &[Vec<f64>],
    rope: f64,
    correlation: f64,
    random: &mut ChaCha8Rng,
) -> RopeProbabilities {
    let tasks = differences.iter();
    let tasks: Vec<Task> = tasks.map(|own| Task::new(own, rope, correlation)).collect();
    let values = differences.iter().flatten();
    let greatest = values.fold(0.0, |greatest: f64, value| greatest.max(value.abs()));
    if greatest == 0.0 {
        return RopeProbabilities::of_wins([0, 1, 0]);
    }
    let mut chain = Chain::new(tasks, rope, greatest);
    let mut wins = [0; 3];
    for iteration in 0..WARM_UP + DRAWS {
        chain.step(random);
        if iteration >= WARM_UP {
            wins[chain.winner(rope)] += 1;
        }
    }
    RopeProbabilities::of_wins(wins)
}

/// The repetitions of one task, as far as the posterior depends on them.
#[derive(Debug)]
struct Task {
    mean: f64,
    /// Their number.
    repetitions: f64,
    /// Sum of the squared deviations from the mean, or what stands for it where they all agree, over 1 - rho.
    spread: f64,
    /// The number of independent repetitions that would tell as much of the mean.
    effective: f64,
}

impl Task {
    fn new(differences: &[f64], rope: f64, correlation: f64) -> Self {
        let repetitions = differences.len() as f64;
        let mean = differences.iter().sum::<f64>() / repetitions;
        let squares = differences.iter().map(|value| (value - mean).powi(2));
        let squares: f64 = squares.sum();
        let least = LEAST_DEVIATION * rope;
        let spread = match squares < repetitions * least * least {
            true => repetitions * rope * rope / 3.0,
            false => squares,
        };
        Self {
            mean,
            repetitions,
            spread: spread / (1.0 - correlation),
            effective: repetitions / (1.0 + (repetitions - 1.0) * correlation),
        }
    }

    /// Standard deviation of the repetitions.
    fn deviation(&self) -> f64 {
        (self.spread / self.repetitions).sqrt()
    }
}

/// A state of the Markov chain, with what does not change.
#[derive(Debug)]
struct Chain {
    tasks: Vec<Task>,
    /// Greatest size of delta_0.
    greatest: f64,
    /// Bounds of 1 / sigma_i^2 and of 1 / sigma_0^2.
    bounds: (f64, f64),
    bounds_among: (f64, f64),
    /// delta_i, 1 / sigma_i^2 and l_i of each task.
    deltas: Vec<f64>,
    precisions: Vec<f64>,
    multipliers: Vec<f64>,
    /// delta_0 and 1 / sigma_0^2.
    centre: f64,
    precision_among: f64,
    /// nu, a and b.
    degrees: f64,
    shape: f64,
    rate: f64,
}

impl Chain {
    fn new(tasks: Vec<Task>, rope: f64, greatest: f64) -> Self {
        let count = tasks.len() as f64;
        let least = LEAST_DEVIATION * rope;
        let within = tasks.iter().map(Task::deviation).fold(least, f64::max);
        let centre = tasks.iter().map(|task| task.mean).sum::<f64>() / count;
        let squares = tasks.iter().map(|task| (task.mean - centre).powi(2));
        let among = (squares.sum::<f64>() / count).sqrt().max(least);
        let precision = |deviation: f64| 1.0 / (deviation * deviation);
        let bounds = (precision(GREATEST_DEVIATION * within), precision(least));
        let precisions = tasks
            .iter()
            .map(|task| precision(task.deviation().max(least)).clamp(bounds.0, bounds.1));
        Self {
            greatest,
            bounds,
            bounds_among: (
                precision(GREATEST_DEVIATION * among),
                precision(LEAST_DEVIATION_AMONG * rope),
            ),
            deltas: tasks.iter().map(|task| task.mean).collect(),
            precisions: precisions.collect(),
            multipliers: vec![1.0; tasks.len()],
            centre,
            precision_among: precision(among),
            degrees: 10.0,
            shape: (SHAPES.0 + SHAPES.1) / 2.0,
            rate: (RATES.0 + RATES.1) / 2.0,
            tasks,
        }
    }

    fn step(&mut self, random: &mut ChaCha8Rng) {
        self.draw_tasks(random);
        self.draw_centre(random);
        self.draw_degrees(random);
    }

    fn draw_tasks(&mut self, random: &mut ChaCha8Rng) {
        for (index, task) in self.tasks.iter().enumerate() {
            let own = task.effective * self.precisions[index];
            let others = self.multipliers[index] * self.precision_among;
            let precision = own + others;
            let mean = (own * task.mean + others * self.centre) / precision;
            let delta = mean + normal(random) / precision.sqrt();
            let squares = task.spread + task.effective * (task.mean - delta).powi(2);
            let shape = (task.repetitions - 1.0) / 2.0;
            let from_centre = self.precision_among * (delta - self.centre).powi(2);
            let multiplier = gamma((self.degrees + 1.0) / 2.0, random);
            self.deltas[index] = delta;
            self.precisions[index] = gamma_within(shape, squares / 2.0, self.bounds, random);
            self.multipliers[index] = multiplier * 2.0 / (self.degrees + from_centre);
        }
    }

    fn draw_centre(&mut self, random: &mut ChaCha8Rng) {
        let multipliers: f64 = self.multipliers.iter().sum();
        let weighted = self.multipliers.iter().zip(&self.deltas);
        let mean = weighted.map(|(own, delta)| own * delta).sum::<f64>() / multipliers;
        let deviation = (multipliers * self.precision_among).sqrt().recip();
        let centre = mean + deviation * normal(random);
        // A step of Metropolis and Hastings: what is out of bounds is refused.
        if centre.abs() <= self.greatest {
            self.centre = centre;
        }
        let weighted = self.multipliers.iter().zip(&self.deltas);
        let squares = weighted.map(|(own, delta)| own * (delta - self.centre).powi(2));
        let shape = (self.tasks.len() as f64 - 1.0) / 2.0;
        let rate = squares.sum::<f64>() / 2.0;
        self.precision_among = gamma_within(shape, rate, self.bounds_among, random);
    }

    fn draw_degrees(&mut self, random: &mut ChaCha8Rng) {
        let count = self.multipliers.len() as f64;
        let sum: f64 = self
            .multipliers
            .iter()
            .map(|own| libm::log(*own) - own)
            .sum();
        let (shape, rate) = (self.shape, self.rate);
        let of_degrees = |log_excess: f64| {
            let excess = libm::exp(log_excess);
            let half = (1.0 + excess) / 2.0;
            // The density of nu - 1 times nu - 1, as its logarithm is drawn.
            let prior = shape * log_excess - rate * excess;
            prior + count * (half * libm::log(half) - libm::lgamma(half)) + half * sum
        };
        let from = libm::log(self.degrees - 1.0);
        let excess = libm::exp(slice_within(from, LOG_DEGREES, of_degrees, random));
        self.degrees = 1.0 + excess;
        let log_excess = libm::log(excess);
        let of_shape = |shape: f64| shape * (libm::log(rate) + log_excess) - libm::lgamma(shape);
        self.shape = slice_within(shape, SHAPES, of_shape, random);
        let shape = self.shape;
        let of_rate = |rate: f64| shape * libm::log(rate) - rate * excess;
        self.rate = slice_within(rate, RATES, of_rate, random);
    }

    /// Where the difference on a further task most probably is: 0 below, 1 within, 2 above the rope.
    fn winner(&self, rope: f64) -> usize {
        let precision = self.precision_among.sqrt();
        // The probability of more than `distance` above the centre.
        let beyond = |distance: f64| {
            let tail = two_sided(distance * precision, self.degrees) / 2.0;
            if distance < 0.0 { 1.0 - tail } else { tail }
        };
        let (below, above) = (beyond(rope + self.centre), beyond(rope - self.centre));
        let equivalent = 1.0 - below - above;
        let greatest = below.max(equivalent).max(above);
        match greatest {
            _ if below == greatest => 0,
            _ if equivalent == greatest => 1,
            _ => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::bayesian_reference;
    use crate::variates::stream;

    fn of(differences: &[Vec<f64>], rope: f64, correlation: f64) -> RopeProbabilities {
        let mut random = stream("test", 0, &[]);
        hierarchical_posterior(differences, rope, correlation, &mut random)
    }

    #[test]
    fn it_agrees_with_baycomp_on_recorded_results() {
        for case in &bayesian_reference().hierarchical {
            let found = of(&case.differences, case.rope, case.correlation);
            let found = [found.below, found.equivalent, found.above];
            for (found, expected) in found.into_iter().zip(case.probabilities) {
                assert!((found - expected).abs() < 0.02, "{found}, {expected}");
            }
        }
    }

    #[test]
    fn clear_cases_are_certain() {
        let seeds = |centre: f64| (0..5).map(|seed| centre + 1e-4 * f64::from(seed)).collect();
        let tasks = |centre: f64| (0..20).map(|_| seeds(centre)).collect::<Vec<Vec<f64>>>();
        assert!(of(&tasks(0.5), 0.01, 0.0).above > 0.99);
        assert!(of(&tasks(-0.5), 0.01, 0.0).below > 0.99);
        assert!(of(&tasks(0.0), 0.01, 0.0).equivalent > 0.99);
        assert_eq!(of(&vec![vec![0.0; 3]; 4], 0.01, 0.0).equivalent, 1.0);
        // Without any spread, neither within a task nor among them.
        assert!(of(&vec![vec![0.5; 3]; 4], 0.01, 0.0).above > 0.9);
    }

    #[test]
    fn it_ends_with_the_narrowest_and_the_widest_rope() {
        let repetitions = |task: u32| -> Vec<f64> {
            (0..3)
                .map(|seed| 0.1 + 0.01 * f64::from((7 * task + 3 * seed) % 5))
                .collect()
        };
        let tasks: Vec<Vec<f64>> = (0..20).map(repetitions).collect();
        assert!(of(&tasks, *POSSIBLE_ROPES.start(), 0.0).above > 0.99);
        assert!(of(&tasks, *POSSIBLE_ROPES.end(), 0.0).equivalent > 0.99);
    }
}
