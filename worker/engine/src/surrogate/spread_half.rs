//! Half of a process's observations, for bounds on what all of them do.
//!
//! Each is the one that is least correlated with those chosen before, so that they lie far from each other and none of the others lies far
//! from all of them. With 100 to 300 observations of `benches/growth.rs` the first half in the order of evaluation left 2.7 to 3.9 times as
//! many candidates open. A half in which each has the greatest variance given those before costs more to choose and left about as many.

use std::ops::Range;

use super::gaussian_process::GaussianProcess;
use crate::elimination::Elimination;
use crate::error::EngineError;
use crate::matrix_products::{Factor, multiply_by_own_transposed};

/// Half of the observations, and the Cholesky factor of their kernel matrix.
#[derive(Default)]
pub(super) struct SpreadHalf {
    /// Their numbers, in ascending order.
    numbers: Vec<usize>,
    elimination: Elimination,
    /// The transposed Cholesky factor of all observations, row by row.
    factor: Vec<f64>,
    /// The upper half of their kernel matrix, row by row.
    kernel: Vec<f64>,
}

impl SpreadHalf {
    /// Chooses half of the observations of a process, of which there are at least two.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if their kernel matrix cannot be factorised.
    pub(super) fn set(&mut self, process: &GaussianProcess) -> Result<(), EngineError> {
        let count = process.count();
        self.factor.clear();
        self.factor.resize(count * count, 0.0);
        for (row, entries) in self.factor.chunks_exact_mut(count).enumerate() {
            entries[row..].copy_from_slice(&process.factor().column(row)[row..count]);
        }
        self.kernel.resize(count * count, 0.0);
        multiply_by_own_transposed(Factor::new(&self.factor, count), &mut self.kernel);
        let kernel = &self.kernel;
        let entry = |row: usize, column: usize| kernel[row.min(column) * count + row.max(column)];
        self.numbers.clear();
        // Of each observation the greatest covariance with one that is chosen.
        let mut greatest = vec![0.0_f64; count];
        while self.numbers.len() < count / 2 {
            let by_greatest =
                |left: &usize, right: &usize| greatest[*left].total_cmp(&greatest[*right]);
            let least_correlated = (0..count).min_by(by_greatest);
            let farthest = least_correlated.expect("there are observations");
            self.numbers.push(farthest);
            for (other, own) in greatest.iter_mut().enumerate() {
                *own = own.max(entry(farthest, other));
            }
            greatest[farthest] = f64::INFINITY;
        }
        self.numbers.sort_unstable();
        let numbers = &self.numbers;
        let fill = |rows: Range<usize>, places: &mut [f64], length: usize| {
            for (row, places) in rows.zip(places.chunks_exact_mut(length)) {
                for (place, column) in places.iter_mut().zip(numbers).skip(row) {
                    *place = entry(numbers[row], *column);
                }
            }
        };
        self.elimination.eliminate(numbers.len(), 0, fill)
    }

    /// The numbers of the observations chosen, in ascending order.
    pub(super) fn numbers(&self) -> &[usize] {
        &self.numbers
    }

    /// The Cholesky factor of their kernel matrix.
    pub(super) fn elimination(&self) -> &Elimination {
        &self.elimination
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::surrogate::hyperparameters::Hyperprior;
    use crate::surrogate::matern::correlation;
    use crate::table::encoding::Space;

    #[test]
    fn what_is_chosen_lies_farther_apart_than_the_rest_lies_from_it() {
        for count in [2, 3, 9, 40] {
            let mut process = GaussianProcess::new(&Space::numeric(2), count, Hyperprior::Gamma);
            let point = |index| [0.618, 0.414].map(|step| step * index as f64 % 1.0);
            let points: Vec<[f64; 2]> = (0..count).map(point).collect();
            points.iter().for_each(|point| process.observe(point));
            let targets: Vec<f64> = points.iter().map(|[x, y]| (7.0 * x).sin() - y).collect();
            process.fit(&targets).unwrap();
            let mut half = SpreadHalf::default();
            half.set(&process).unwrap();

            let posterior = process.posterior();
            let covariance = |left: usize, right: usize| {
                let pairs = points[left]
                    .iter()
                    .zip(points[right])
                    .zip(&posterior.weights);
                let squared = pairs.map(|((left, right), weight)| weight * (left - right).powi(2));
                posterior.signal * correlation(squared.sum())
            };
            let chosen = half.numbers();
            assert_eq!(chosen.len(), count / 2);
            assert!(chosen.is_sorted_by(|left, right| left < right));
            let greatest = |of: usize| {
                let others = chosen.iter().filter(|other| **other != of);
                others
                    .map(|other| covariance(of, *other))
                    .fold(0.0, f64::max)
            };
            let (own, rest): (Vec<usize>, Vec<usize>) =
                (0..count).partition(|number| chosen.contains(number));
            let apart = own.into_iter().map(greatest).fold(0.0, f64::max);
            let near = rest.into_iter().map(greatest).fold(f64::INFINITY, f64::min);
            assert!(apart <= near * (1.0 + 1e-9), "{count}: {apart} {near}");

            let factor = half.elimination().factor();
            let lower = Array2::from_shape_fn((chosen.len(), chosen.len()), |(row, column)| {
                if row < column {
                    0.0
                } else {
                    factor.column(column)[row]
                }
            });
            for ((row, column), entry) in lower.dot(&lower.t()).indexed_iter() {
                let noise = if row == column { posterior.noise } else { 0.0 };
                let expected = covariance(chosen[row], chosen[column]) + noise;
                assert!((entry - expected).abs() < 1e-9 * posterior.signal);
            }
        }
    }
}
