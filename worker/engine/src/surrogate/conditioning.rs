//! A Gaussian process with known hyperparameters on other, and more, data than they
//! were fitted to.

use pulp::Simd;

use super::gaussian_process::Posterior;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;

impl Posterior {
    /// The process with these hyperparameters on `points`, which lie one after the
    /// other, with a target each; its constant mean is profiled out anew.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub fn conditioned_on(&self, points: &[f64], targets: &[f64]) -> Result<Self, EngineError> {
        let count = targets.len();
        let matrix = self.factor_on(points)?;
        // K^-1 z and K^-1 1 side by side.
        let mut solved = targets.to_vec();
        solved.resize(2 * count, 1.0);
        for system in [Triangular::Lower, Triangular::LowerTransposed] {
            let right = MatrixMut::new(&mut solved, count, 2, count);
            blas::solve_triangular(system, MatrixRef::square(&matrix, count, count), right);
        }
        let (targets, ones) = solved.split_at(count);
        let mean = targets.iter().sum::<f64>() / ones.iter().sum::<f64>();
        let alpha = targets.iter().zip(ones);
        Ok(Self {
            kernel: self.kernel,
            weights: self.weights.clone(),
            signal: self.signal,
            noise: self.noise,
            mean,
            alpha: alpha.map(|(target, one)| target - mean * one).collect(),
        })
    }

    /// The Cholesky factor of the kernel matrix, noise included, of `points` that lie one after the other: a
    /// square matrix in columns, of which the lower triangle counts.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the kernel matrix cannot be factorised.
    pub(crate) fn factor_on(&self, points: &[f64]) -> Result<Vec<f64>, EngineError> {
        let width = self.weights.len();
        let count = points.len() / width;
        // Coordinate by coordinate, so that points lie side by side.
        let transposed: Vec<f64> = (0..width)
            .flat_map(|coordinate| points.iter().skip(coordinate).step_by(width))
            .copied()
            .collect();
        let mut matrix = vec![0.0; count * count];
        for (number, column) in matrix.chunks_exact_mut(count).enumerate() {
            correlate(self, &transposed, number, column);
            column[number] = self.signal + self.noise;
        }
        blas::cholesky(MatrixMut::square(&mut matrix, count, count))?;
        Ok(matrix)
    }
}

/// The kernel between point `number` and the points from there on, of a matrix of
/// coordinates by points.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<S: Simd>(
    _simd: S,
    posterior: &Posterior,
    transposed: &[f64],
    number: usize,
    column: &mut [f64],
) {
    let count = column.len();
    let column = &mut column[number..];
    column.fill(0.0);
    for (coordinates, weight) in transposed.chunks_exact(count).zip(&posterior.weights) {
        let coordinates = &coordinates[number..];
        let centre = coordinates[0];
        for (sum, coordinate) in column.iter_mut().zip(coordinates) {
            let difference = coordinate - centre;
            *sum = (weight * difference).mul_add(difference, *sum);
        }
    }
    posterior.kernel.covariances(posterior.signal, column);
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
