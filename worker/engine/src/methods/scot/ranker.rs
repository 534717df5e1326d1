//! A linear function of configurations that orders the rows of every task (Joachims 2002, Optimizing search engines using
//! clickthrough data).
//!
//! It minimises 1/2 |w|^2 + C / N sum over tasks, over pairs y_i < y_j of a task, of max(0, 1 - w'(x_j - x_i))^2, with N the
//! number of tasks that have a pair and C = 1. The hinge is squared, which makes the minimum smooth. Features of tasks are
//! the same on both sides of a pair, so they would have no weight.

use crate::error::EngineError;
use crate::lbfgs::{self, Settings};
use crate::random::RandomStream;

/// Pairs of a task, at most.
const MOST_PAIRS: u32 = 2000;

const FIT: Settings = Settings {
    iterations: 200,
    gradient_tolerance: 1e-3,
    value_tolerance: 1e-12,
    longest_step: 10.0,
};

/// Farther from 0 than any weight.
const BOUND: f64 = 1e6;

/// The ranker, with the pairs of the sources.
pub(super) struct Ranker {
    /// x_j - x_i of each pair, one after the other: those of the sources, then those of the target.
    differences: Vec<f64>,
    /// How many numbers of those are of sources.
    of_sources: usize,
    /// Number of sources that have a pair.
    tasks: usize,
    weights: Vec<f64>,
}

impl Ranker {
    /// A ranker of configurations of `width` coordinates, which knows no task yet.
    pub(super) fn new(width: usize) -> Self {
        Self {
            differences: Vec::new(),
            of_sources: 0,
            tasks: 0,
            weights: vec![0.0; width],
        }
    }

    /// Adds the pairs of a source: its encoded rows one after the other, with a value each.
    pub(super) fn add_source(&mut self, points: &[f64], values: &[f64], random: &mut RandomStream) {
        let mut pairs = pairs(values);
        if pairs.len() > MOST_PAIRS as usize {
            let mut order = random.permutation(pairs.len() as u32);
            order.truncate(MOST_PAIRS as usize);
            pairs = order
                .into_iter()
                .map(|place| pairs[place as usize])
                .collect();
        }
        self.add(points, &pairs);
        self.of_sources = self.differences.len();
        self.tasks += usize::from(!pairs.is_empty());
    }

    fn add(&mut self, points: &[f64], pairs: &[(usize, usize)]) {
        let width = self.weights.len();
        let point = |row: usize| &points[row * width..(row + 1) * width];
        for &(better, worse) in pairs {
            let coordinates = point(worse).iter().zip(point(better));
            self.differences.extend(coordinates.map(|(a, b)| a - b));
        }
    }

    /// Fits the weights to the sources and to the rows of the target that are evaluated, from where the last fit ended.
    ///
    /// # Errors
    /// None: the objective has a value everywhere.
    pub(super) fn fit(&mut self, points: &[f64], values: &[f64]) -> Result<(), EngineError> {
        self.differences.truncate(self.of_sources);
        let pairs = pairs(values);
        self.add(points, &pairs);
        let tasks = (self.tasks + usize::from(!pairs.is_empty())).max(1);
        let width = self.weights.len();
        let (differences, share) = (&self.differences, 1.0 / tasks as f64);
        lbfgs::minimise(
            |weights, gradient| Ok(objective(differences, share, weights, gradient)),
            &mut self.weights,
            (&vec![-BOUND; width], &vec![BOUND; width]),
            FIT,
        )?;
        Ok(())
    }

    /// The score of an encoded configuration: the lower, the better.
    pub(super) fn score(&self, point: &[f64]) -> f64 {
        dot(&self.weights, point)
    }
}

/// The better and the worse row of every pair with different values.
fn pairs(values: &[f64]) -> Vec<(usize, usize)> {
    let all = (0..values.len()).flat_map(|left| (0..left).map(move |right| (left, right)));
    let ordered = all.filter_map(|(left, right)| match values[left] < values[right] {
        true => Some((left, right)),
        false if values[right] < values[left] => Some((right, left)),
        false => None,
    });
    ordered.collect()
}

/// The objective at these weights; its gradient goes to `gradient`.
fn objective(differences: &[f64], share: f64, weights: &[f64], gradient: &mut [f64]) -> f64 {
    gradient.copy_from_slice(weights);
    let mut sum = 0.5 * dot(weights, weights);
    for difference in differences.chunks_exact(weights.len()) {
        let short = 1.0 - dot(weights, difference);
        if short <= 0.0 {
            continue;
        }
        sum += share * short * short;
        for (slot, entry) in gradient.iter_mut().zip(difference) {
            *slot -= 2.0 * share * short * entry;
        }
    }
    sum
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;

    use super::*;
    use crate::random::StreamName;

    fn random() -> RandomStream {
        let name = StreamName::new("test", "ranker");
        RandomStream::new(name, Fingerprint([1; 16]), "task", 0)
    }

    #[test]
    fn one_pair_is_solved_in_closed_form() {
        // Of 1/2 w^2 + (1 - w)^2 the minimum is at w = 2/3; a second task with the same pair leaves the mean as it is.
        let mut ranker = Ranker::new(1);
        for _ in 0..2 {
            ranker.add_source(&[0.0, 1.0], &[3.0, 4.0], &mut random());
            ranker.fit(&[], &[]).unwrap();
            assert!((ranker.score(&[1.0]) - 2.0 / 3.0).abs() < 1e-3);
        }
        // The target says the opposite: 1/2 w^2 + 2/3 (1 - w)^2 + 1/3 (1 + w)^2 has its minimum at w = 2/9.
        ranker.fit(&[1.0, 0.0], &[3.0, 4.0]).unwrap();
        assert!((ranker.score(&[1.0]) - 2.0 / 9.0).abs() < 1e-3);
        ranker.fit(&[], &[]).unwrap();
        assert!((ranker.score(&[1.0]) - 2.0 / 3.0).abs() < 1e-3);
    }

    #[test]
    fn what_orders_the_rows_counts_and_what_is_the_same_for_a_task_does_not() {
        let mut random = random();
        let (mut plain, mut described) = (Ranker::new(2), Ranker::new(3));
        for task in 0..4 {
            let points: Vec<f64> = (0..160).map(|_| random.uniform()).collect();
            let values: Vec<f64> = points.chunks_exact(2).map(|x| 5.0 * x[0]).collect();
            let with_feature: Vec<f64> = points
                .chunks_exact(2)
                .flat_map(|x| [x[0], x[1], f64::from(task) / 3.0])
                .collect();
            // More pairs than a task may have; the same ones for both.
            let name = StreamName::new("test", "pairs");
            let draw = || RandomStream::new(name, Fingerprint([2; 16]), "task", task as u32);
            plain.add_source(&points, &values, &mut draw());
            described.add_source(&with_feature, &values, &mut draw());
        }
        assert_eq!(plain.differences.len(), 4 * 2000 * 2);
        plain.fit(&[], &[]).unwrap();
        described.fit(&[], &[]).unwrap();
        assert!(
            plain.weights[0] > 10.0 * plain.weights[1].abs(),
            "{:?}",
            plain.weights
        );
        assert_eq!(described.weights[2], 0.0);
        for index in 0..2 {
            assert!((plain.weights[index] - described.weights[index]).abs() < 1e-3);
        }
        // The gradient vanishes: by differences of the objective.
        for index in 0..2 {
            let moved = |step: f64| {
                let mut weights = plain.weights.clone();
                weights[index] += step;
                objective(&plain.differences, 0.25, &weights, &mut [0.0; 2])
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(slope.abs() < 5e-3, "{slope}");
        }
    }

    #[test]
    fn equal_values_are_no_pair() {
        assert_eq!(pairs(&[1.0, 1.0, 0.5]), [(2, 0), (2, 1)]);
        let mut ranker = Ranker::new(1);
        ranker.add_source(&[0.0, 1.0], &[2.0, 2.0], &mut random());
        ranker.fit(&[], &[]).unwrap();
        assert_eq!((ranker.tasks, ranker.score(&[1.0])), (0, 0.0));
    }
}
