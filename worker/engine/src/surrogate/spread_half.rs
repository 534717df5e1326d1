//! Half of a process's observations, for bounds on what all of them do.
//!
//! Each is the one that is least correlated with those chosen before, so that they lie far from each other and none of the others lies far
//! from all of them. With 100 to 300 observations of `benches/growth.rs` the first half in the order of evaluation left 2.7 to 3.9 times as
//! many candidates open. A half in which each has the greatest variance given those before costs more to choose and left about as many.

use std::ops::Range;

use super::gaussian_process::GaussianProcess;
use crate::elimination::Elimination;
use crate::error::EngineError;

/// Half of the observations, and the Cholesky factor of their kernel matrix.
pub(super) struct SpreadHalf {
    /// Their numbers, in ascending order.
    pub(super) numbers: Vec<usize>,
    /// The Cholesky factor of their kernel matrix.
    pub(super) elimination: Elimination,
}

impl SpreadHalf {
    /// Chooses half of the observations of a process, of which there are at least two.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if their kernel matrix cannot be factorised.
    pub(super) fn new(process: &GaussianProcess) -> Result<Self, EngineError> {
        let count = process.count();
        let mut numbers = Vec::with_capacity(count / 2);
        // Of each observation the greatest covariance with one that is chosen.
        let mut greatest = vec![0.0_f64; count];
        while numbers.len() < count / 2 {
            let by_greatest =
                |left: &usize, right: &usize| greatest[*left].total_cmp(&greatest[*right]);
            let least_correlated = (0..count).min_by(by_greatest);
            let farthest = least_correlated.expect("there are observations");
            numbers.push(farthest);
            for (other, own) in greatest.iter_mut().enumerate() {
                *own = own.max(process.covariance(farthest, other));
            }
            greatest[farthest] = f64::INFINITY;
        }
        numbers.sort_unstable();
        let fill = |rows: Range<usize>, places: &mut [f64], length: usize| {
            for (row, places) in rows.zip(places.chunks_exact_mut(length)) {
                for (place, column) in places.iter_mut().zip(&numbers).skip(row) {
                    *place = process.covariance(numbers[row], *column);
                }
            }
        };
        let mut elimination = Elimination::default();
        elimination.eliminate(numbers.len(), 0, fill)?;
        Ok(Self {
            numbers,
            elimination,
        })
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
            let half = SpreadHalf::new(&process).unwrap();

            let posterior = process.posterior();
            let covariance = |left: usize, right: usize| {
                let pairs = points[left]
                    .iter()
                    .zip(points[right])
                    .zip(&posterior.weights);
                let squared = pairs.map(|((left, right), weight)| weight * (left - right).powi(2));
                posterior.signal * correlation(squared.sum())
            };
            let chosen = &half.numbers;
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

            let factor = half.elimination.factor();
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
