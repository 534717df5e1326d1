//! A Gaussian process with known hyperparameters on other, and more, data than they
//! were fitted to.

use super::gaussian_process::Posterior;
use super::matern::correlation;
use crate::WorkerError;
use crate::blas::{self, Triangle};

impl Posterior {
    /// The process with these hyperparameters on `points`, which lie one after the
    /// other, with a target each; its constant mean is profiled out anew.
    ///
    /// # Errors
    /// [`WorkerError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub fn conditioned_on(&self, points: &[f64], targets: &[f64]) -> Result<Self, WorkerError> {
        let count = targets.len();
        let points: Vec<&[f64]> = points.chunks_exact(self.weights.len()).collect();
        let mut matrix = vec![0.0; count * count];
        for (column, right) in points.iter().enumerate() {
            matrix[column * (count + 1)] = self.signal + self.noise;
            for (row, left) in points.iter().enumerate().skip(column + 1) {
                let coordinates = left.iter().zip(*right).zip(&self.weights);
                let squared: f64 = coordinates
                    .map(|((left, right), weight)| weight * (left - right) * (left - right))
                    .sum();
                matrix[column * count + row] = self.signal * correlation(squared);
            }
        }
        blas::cholesky(&mut matrix, count, count)?;
        // K^-1 z and K^-1 1 side by side.
        let mut solved = targets.to_vec();
        solved.resize(2 * count, 1.0);
        for triangle in [Triangle::Lower, Triangle::LowerTransposed] {
            blas::solve_triangular(triangle, &matrix, count, count, &mut solved, 2);
        }
        let (targets, ones) = solved.split_at(count);
        let mean = targets.iter().sum::<f64>() / ones.iter().sum::<f64>();
        let alpha = targets.iter().zip(ones);
        Ok(Self {
            weights: self.weights.clone(),
            signal: self.signal,
            noise: self.noise,
            mean,
            alpha: alpha.map(|(target, one)| target - mean * one).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::Inverse;

    use super::*;

    #[test]
    fn the_posterior_agrees_with_dense_algebra() {
        let posterior = Posterior {
            weights: vec![2.0, 0.5],
            signal: 1.5,
            noise: 0.1,
            ..Posterior::default()
        };
        let points: Vec<f64> = (0..24)
            .map(|index| (f64::from(index) * 0.61) % 1.0)
            .collect();
        let targets: Vec<f64> = (0..12).map(|index| f64::from(index).sin()).collect();
        let found = posterior.conditioned_on(&points, &targets).unwrap();
        let inverse = Array2::from_shape_fn((12, 12), |(i, j)| {
            let difference = |k: usize| points[2 * i + k] - points[2 * j + k];
            let squared = 2.0 * difference(0).powi(2) + 0.5 * difference(1).powi(2);
            let r = (5.0 * squared).sqrt();
            let noise = if i == j { 0.1 } else { 0.0 };
            1.5 * (1.0 + r + r * r / 3.0) * (-r).exp() + noise
        })
        .inv()
        .unwrap();
        let (ones, targets) = (Array1::<f64>::ones(12), Array1::from(targets));
        let mean = ones.dot(&inverse.dot(&targets)) / ones.dot(&inverse.dot(&ones));
        assert!((found.mean - mean).abs() < 1e-10);
        let alpha = inverse.dot(&(&targets - mean));
        for (found, expected) in found.alpha.iter().zip(&alpha) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }
}
