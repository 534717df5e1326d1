//! One task's Bayesian linear regression: y = Phi w + noise, with w ~ N(0, I / alpha)
//! and noise of variance 1 / beta (Perrone et al. 2018, section 3.1).
//!
//! With r = beta / alpha, A = I + r Phi' Phi and q = Phi' y the posterior mean of w
//! is m = r A^-1 q, its covariance A^-1 / alpha, and the negative log marginal
//! likelihood of n targets
//!
//!   L = n/2 log(2 pi / beta) + beta/2 (y'y - q'm) + 1/2 log |A|
//!
//! with these derivatives, e = y - Phi m being the residuals and D the number of features:
//!
//!   dL/dPhi       = r Phi A^-1 - beta e m'
//!   dL/dlog r     = (D - trace A^-1) / 2 - alpha/2 m'm    (beta held)
//!   dL/dlog alpha = -dL/dlog r
//!   dL/dlog beta  = dL/dlog r - n/2 + beta/2 (y'y - q'm)

use std::f64::consts::PI;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, ArrayView2, ArrayViewMut2, s};

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;

/// What the likelihood needs of a task's features and targets.
pub(super) struct Regression {
    /// Lower triangle of Phi' Phi, column-major.
    gram: Vec<f64>,
    /// q = Phi' y.
    moment: Array1<f64>,
    /// y' y.
    square: f64,
    count: usize,
}

/// A regression at some precisions.
pub(super) struct RegressionPosterior {
    /// alpha, the precision of the weights.
    pub alpha: f64,
    /// beta, the precision of the noise.
    pub beta: f64,
    /// L, the negative log marginal likelihood.
    pub value: f64,
    /// Its derivatives by log alpha and log beta.
    pub slopes: [f64; 2],
    /// m, the posterior mean of the weights.
    pub weights: Array1<f64>,
    /// Lower Cholesky factor of A, column-major.
    pub factor: Vec<f64>,
    /// A^-1.
    inverse: Array2<f64>,
}

impl Regression {
    /// Of `features`, a row per target.
    pub(super) fn new(features: ArrayView2<f64>, targets: &[f64]) -> Self {
        let (count, width) = features.dim();
        let entries = features.to_slice().expect("rows one after the other");
        // Row-major, so the transposed to BLAS.
        let transposed = MatrixRef::new(entries, width, count, width);
        let mut gram = vec![0.0; width * width];
        blas::multiply_by_own_transposed(transposed, MatrixMut::square(&mut gram, width, width));
        let mut moment = vec![0.0; width];
        blas::multiply_vector(transposed, targets, &mut moment);
        Self {
            gram,
            moment: moment.into(),
            square: targets.iter().map(|target| target * target).sum(),
            count,
        }
    }

    /// Lower triangle of Phi' Phi, column-major.
    pub(super) fn gram(&self) -> &[f64] {
        &self.gram
    }

    /// The regression at these logarithms of alpha and beta.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if A cannot be factorised.
    pub(super) fn posterior(
        &self,
        logarithms: [f64; 2],
    ) -> Result<RegressionPosterior, EngineError> {
        let [alpha, beta] = logarithms.map(libm::exp);
        let ratio = beta / alpha;
        let width = self.moment.len();
        let mut factor: Vec<f64> = self.gram.iter().map(|entry| ratio * entry).collect();
        factor
            .iter_mut()
            .step_by(width + 1)
            .for_each(|entry| *entry += 1.0);
        blas::cholesky(MatrixMut::square(&mut factor, width, width))?;
        let diagonal = factor.iter().step_by(width + 1);
        let half_log_determinant: f64 = diagonal.map(|&entry| libm::log(entry)).sum();

        let mut solved = self.moment.to_vec();
        for system in [Triangular::Lower, Triangular::LowerTransposed] {
            let right = MatrixMut::new(&mut solved, width, 1, width);
            blas::solve_triangular(system, MatrixRef::square(&factor, width, width), right);
        }
        let weights = ratio * Array1::from(solved);
        let mut triangle = factor.clone();
        blas::invert_from_cholesky(MatrixMut::square(&mut triangle, width, width))?;
        let inverse = Array2::from_shape_fn((width, width), |(row, column)| {
            triangle[row.min(column) * width + row.max(column)]
        });

        let count = self.count as f64;
        let misfit = 0.5 * beta * (self.square - self.moment.dot(&weights));
        let by_ratio =
            0.5 * (width as f64 - inverse.diag().sum()) - 0.5 * alpha * weights.dot(&weights);
        Ok(RegressionPosterior {
            alpha,
            beta,
            value: 0.5 * count * libm::log(2.0 * PI / beta) + misfit + half_log_determinant,
            slopes: [-by_ratio, by_ratio - 0.5 * count + misfit],
            weights,
            factor,
            inverse,
        })
    }
}

impl RegressionPosterior {
    /// The derivative of the value by the first features of each row, dL/dPhi, into `slopes`.
    pub(super) fn feature_slopes(
        &self,
        features: ArrayView2<f64>,
        targets: &[f64],
        mut slopes: ArrayViewMut2<f64>,
    ) {
        let (predicted, wanted) = (features.dot(&self.weights), slopes.ncols());
        let weights = &self.weights.as_slice().expect("a vector")[..wanted];
        let rows = slopes.rows_mut().into_iter();
        for ((mut row, predicted), target) in rows.zip(&predicted).zip(targets) {
            let factor = -self.beta * (target - predicted);
            for (slope, weight) in row.iter_mut().zip(weights) {
                *slope = factor * weight;
            }
        }
        let (ratio, inverse) = (self.beta / self.alpha, self.inverse.slice(s![.., ..wanted]));
        general_mat_mul(ratio, &features, &inverse, 1.0, &mut slopes);
    }
}

#[cfg(test)]
mod tests {
    use ndarray_linalg::{Determinant, Inverse};

    use super::*;

    fn case() -> (Array2<f64>, Array1<f64>) {
        let features =
            Array2::from_shape_fn((12, 4), |(i, j)| ((3 * i + 5 * j) as f64 * 0.7).sin());
        let targets = Array1::from_shape_fn(12, |i| (i as f64 * 1.3).cos() + 0.1 * i as f64);
        (features, targets)
    }

    const LOGARITHMS: [f64; 2] = [0.4, 1.7];

    /// The likelihood of a Gaussian process with covariance Phi Phi' / alpha + I / beta.
    fn dense(features: &Array2<f64>, targets: &Array1<f64>, [alpha, beta]: [f64; 2]) -> f64 {
        let noise = Array2::<f64>::eye(targets.len()) / beta.exp();
        let kernel = features.dot(&features.t()) / alpha.exp() + noise;
        let (_, log_determinant) = kernel.sln_det().unwrap();
        0.5 * targets.dot(&kernel.inv().unwrap().dot(targets))
            + 0.5 * log_determinant
            + 0.5 * targets.len() as f64 * (2.0 * PI).ln()
    }

    fn posterior(features: &Array2<f64>, targets: &Array1<f64>) -> RegressionPosterior {
        let regression = Regression::new(features.view(), targets.as_slice().unwrap());
        regression.posterior(LOGARITHMS).unwrap()
    }

    #[test]
    fn the_likelihood_is_that_of_a_dense_process_with_the_same_features() {
        let (features, targets) = case();
        let found = posterior(&features, &targets).value;
        let expected = dense(&features, &targets, LOGARITHMS);
        assert!((found - expected).abs() < 1e-10, "{found} {expected}");
    }

    #[test]
    fn predictions_are_those_of_a_dense_process_with_the_same_features() {
        let (features, targets) = case();
        let [alpha, beta] = LOGARITHMS.map(f64::exp);
        let posterior = posterior(&features, &targets);
        let kernel = features.dot(&features.t()) / alpha + Array2::<f64>::eye(12) / beta;
        let candidate = Array1::from(vec![0.3, -0.8, 0.5, 0.1]);
        let cross = features.dot(&candidate) / alpha;
        let solved = kernel.inv().unwrap().dot(&cross);
        let mean = posterior.weights.dot(&candidate);
        assert!((mean - solved.dot(&targets)).abs() < 1e-10);
        let variance = candidate.dot(&posterior.inverse.dot(&candidate)) / alpha;
        let expected = candidate.dot(&candidate) / alpha - cross.dot(&solved);
        assert!((variance - expected).abs() < 1e-10);
    }

    #[test]
    fn all_slopes_agree_with_finite_differences_of_the_dense_process() {
        let (features, targets) = case();
        let posterior = posterior(&features, &targets);
        let step = 1e-5;
        for index in 0..2 {
            let shifted = |step: f64| {
                let mut logarithms = LOGARITHMS;
                logarithms[index] += step;
                dense(&features, &targets, logarithms)
            };
            let expected = (shifted(step) - shifted(-step)) / (2.0 * step);
            let error = (posterior.slopes[index] - expected).abs();
            assert!(error < 1e-6, "{index}: {error}");
        }
        // All but the last feature.
        let mut slopes = Array2::from_elem((12, 3), 7.0);
        let values = targets.as_slice().unwrap();
        posterior.feature_slopes(features.view(), values, slopes.view_mut());
        for ((row, column), slope) in slopes.indexed_iter() {
            let shifted = |step: f64| {
                let mut features = features.clone();
                features[(row, column)] += step;
                dense(&features, &targets, LOGARITHMS)
            };
            let expected = (shifted(step) - shifted(-step)) / (2.0 * step);
            assert!(
                (slope - expected).abs() < 1e-6,
                "{row} {column}: {slope} {expected}"
            );
        }
    }
}
