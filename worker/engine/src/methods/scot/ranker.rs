//! A function of configurations that orders the rows of every task (Joachims 2002, Optimizing search engines using
//! clickthrough data).
//!
//! With inputs u of which scores w'u are linear, it minimises 1/2 |w|^2 + C / N sum over tasks, over pairs y_i < y_j of a
//! task, of max(0, 1 - w'(u_j - u_i))^2, with N the number of tasks that have a pair and C = 1. The hinge is squared, which
//! makes the minimum smooth.

use super::inputs::Inputs;
use crate::error::EngineError;
use crate::lbfgs::{self, Settings};
use crate::random::RandomStream;

/// Pairs of a source, at most.
const MOST_PAIRS: usize = 2000;

const FIT: Settings = Settings {
    iterations: 200,
    gradient_tolerance: 1e-3,
    value_tolerance: 1e-12,
    longest_step: 10.0,
};

/// Farther from 0 than any weight.
const BOUND: f64 = 1e6;

/// The ranker, with the rows of the sources.
pub(super) struct Ranker {
    sources: Inputs,
    pairs: Vec<Pair>,
    /// Number of sources that have a pair.
    tasks: usize,
    weights: Vec<f64>,
}

/// Two rows of a task that differ in their values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    better: usize,
    worse: usize,
}

impl Ranker {
    /// A ranker of the rows of sources, of which `tasks` names the source and `values` the value of each; it is not fitted
    /// yet.
    pub(super) fn new(
        sources: Inputs,
        tasks: &[usize],
        values: &[f64],
        random: &mut RandomStream,
    ) -> Self {
        let mut pairs = Vec::new();
        let mut with_pairs = 0;
        for task in 0..tasks.iter().max().map_or(0, |last| last + 1) {
            let rows: Vec<usize> = (0..tasks.len()).filter(|&row| tasks[row] == task).collect();
            let mut of_task = pairs_of(&rows, values);
            if of_task.len() > MOST_PAIRS {
                let mut order = random.permutation(of_task.len() as u32);
                order.truncate(MOST_PAIRS);
                let drawn = order.into_iter().map(|place| of_task[place as usize]);
                of_task = drawn.collect();
            }
            with_pairs += usize::from(!of_task.is_empty());
            pairs.extend(of_task);
        }
        Self {
            weights: vec![0.0; sources.width()],
            sources,
            pairs,
            tasks: with_pairs,
        }
    }

    /// Fits the weights to the sources and to the rows of the target that are evaluated, from where the last fit ended.
    ///
    /// # Errors
    /// None: the objective has a value everywhere.
    pub(super) fn fit(&mut self, target: &Inputs, values: &[f64]) -> Result<(), EngineError> {
        let of_target = pairs_of(&(0..values.len()).collect::<Vec<_>>(), values);
        let tasks = (self.tasks + usize::from(!of_target.is_empty())).max(1);
        let share = 1.0 / tasks as f64;
        let parts = [(&self.sources, &self.pairs), (target, &of_target)];
        let bound = vec![BOUND; self.weights.len()];
        let below: Vec<f64> = bound.iter().map(|bound| -bound).collect();
        lbfgs::minimise(
            |weights, gradient| Ok(objective(&parts, share, weights, gradient)),
            &mut self.weights,
            (&below, &bound),
            FIT,
        )?;
        Ok(())
    }

    /// The scores of the rows of the sources: the lower, the better.
    pub(super) fn source_scores(&self) -> Vec<f64> {
        self.sources.scores(&self.weights)
    }

    /// The scores of other rows.
    pub(super) fn scores(&self, rows: &Inputs) -> Vec<f64> {
        rows.scores(&self.weights)
    }
}

/// All pairs of these rows with different values.
fn pairs_of(rows: &[usize], values: &[f64]) -> Vec<Pair> {
    let all = rows.iter().enumerate();
    let all = all.flat_map(|(place, &left)| rows[..place].iter().map(move |&right| (left, right)));
    let ordered = all.filter_map(|(left, right)| match values[left] < values[right] {
        true => Some((left, right)),
        false if values[right] < values[left] => Some((right, left)),
        false => None,
    });
    ordered
        .map(|(better, worse)| Pair { better, worse })
        .collect()
}

/// The objective at these weights; its gradient goes to `gradient`.
fn objective(
    parts: &[(&Inputs, &Vec<Pair>)],
    share: f64,
    weights: &[f64],
    gradient: &mut [f64],
) -> f64 {
    gradient.copy_from_slice(weights);
    let mut sum = 0.5 * weights.iter().map(|weight| weight * weight).sum::<f64>();
    for (inputs, pairs) in parts.iter().filter(|(_, pairs)| !pairs.is_empty()) {
        let scores = inputs.scores(weights);
        let mut by_score = vec![0.0; scores.len()];
        for &Pair { better, worse } in *pairs {
            let short = 1.0 - (scores[worse] - scores[better]);
            if short > 0.0 {
                sum += share * short * short;
                by_score[worse] -= 2.0 * share * short;
                by_score[better] += 2.0 * share * short;
            }
        }
        for (slot, slope) in gradient.iter_mut().zip(inputs.slopes(&by_score)) {
            *slot += slope;
        }
    }
    sum
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

    fn line(points: &[f64]) -> Inputs {
        Inputs::coordinates(points, 1)
    }

    /// Of tasks of as many rows each, one after the other.
    fn ranker(inputs: Inputs, values: &[f64], rows: usize) -> Ranker {
        let tasks: Vec<usize> = (0..values.len()).map(|row| row / rows).collect();
        Ranker::new(inputs, &tasks, values, &mut random())
    }

    #[test]
    fn one_pair_is_solved_in_closed_form() {
        // Of 1/2 w^2 + (1 - w)^2 the minimum is at w = 2/3; a second task with the same pair leaves the mean as it is.
        for tasks in [1, 2] {
            let (points, values) = ([0.0, 1.0].repeat(tasks), [3.0, 4.0].repeat(tasks));
            let mut ranker = ranker(line(&points), &values, 2);
            ranker.fit(&line(&[]), &[]).unwrap();
            assert!((ranker.weights[0] - 2.0 / 3.0).abs() < 1e-3);
            let scores = ranker.scores(&line(&[3.0]));
            assert!((scores[0] - 2.0).abs() < 3e-3);
            if tasks == 1 {
                continue;
            }
            // The target says the opposite: 1/2 w^2 + 2/3 (1 - w)^2 + 1/3 (1 + w)^2 has its minimum at w = 2/9.
            ranker.fit(&line(&[1.0, 0.0]), &[3.0, 4.0]).unwrap();
            assert!((ranker.weights[0] - 2.0 / 9.0).abs() < 1e-3);
            ranker.fit(&line(&[]), &[]).unwrap();
            assert!((ranker.weights[0] - 2.0 / 3.0).abs() < 1e-3);
        }
    }

    #[test]
    fn what_orders_the_rows_counts_and_what_is_the_same_for_a_task_does_not() {
        let mut random = random();
        let points: Vec<f64> = (0..640).map(|_| random.uniform()).collect();
        let values: Vec<f64> = points.chunks_exact(2).map(|x| 5.0 * x[0]).collect();
        let with_feature = points.chunks_exact(2).enumerate();
        let with_feature: Vec<f64> = with_feature
            .flat_map(|(row, x)| [x[0], x[1], (row / 80) as f64 / 3.0])
            .collect();
        // More pairs than a task may have; the same ones for both.
        let mut plain = ranker(Inputs::coordinates(&points, 2), &values, 80);
        let mut described = ranker(Inputs::coordinates(&with_feature, 3), &values, 80);
        assert_eq!(plain.pairs.len(), 4 * MOST_PAIRS);
        assert_eq!(plain.pairs, described.pairs);
        plain.fit(&Inputs::coordinates(&[], 2), &[]).unwrap();
        described.fit(&Inputs::coordinates(&[], 3), &[]).unwrap();
        let weights = &plain.weights;
        assert!(weights[0] > 10.0 * weights[1].abs(), "{weights:?}");
        assert!(described.weights[2].abs() < 1e-9, "{:?}", described.weights);
        for (weight, other) in weights.iter().zip(&described.weights) {
            assert!((weight - other).abs() < 1e-3);
        }
        // The gradient vanishes: by differences of the objective.
        for index in 0..2 {
            let moved = |step: f64| {
                let mut weights = weights.clone();
                weights[index] += step;
                let parts = [(&plain.sources, &plain.pairs)];
                objective(&parts, 0.25, &weights, &mut [0.0; 2])
            };
            let slope = (moved(1e-5) - moved(-1e-5)) / 2e-5;
            assert!(slope.abs() < 5e-3, "{slope}");
        }
    }

    #[test]
    fn equal_values_are_no_pair() {
        let pair = |better, worse| Pair { better, worse };
        assert_eq!(
            pairs_of(&[0, 1, 2], &[1.0, 1.0, 0.5]),
            [pair(2, 0), pair(2, 1)]
        );
        let mut ranker = ranker(line(&[0.0, 1.0]), &[2.0, 2.0], 2);
        ranker.fit(&line(&[]), &[]).unwrap();
        assert_eq!((ranker.tasks, ranker.source_scores()), (0, vec![0.0; 2]));
    }
}
