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
use std::ops::Range;

use crate::elimination::Elimination;
use crate::error::EngineError;
use crate::matrix_products::{Factor, Start, multiply, multiply_by_own_transposed};

/// What the likelihood needs of a task's features and targets.
#[derive(Default)]
pub(super) struct Regression {
    /// The upper triangle of [Phi y]' [Phi y], row by row.
    products: Vec<f64>,
    /// D, the number of features.
    width: usize,
    /// n, the number of targets.
    count: usize,
}

/// A regression at some precisions.
#[derive(Default)]
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
    pub weights: Vec<f64>,
    /// Of A: the Cholesky factor C with A = C C', and C^-1.
    pub elimination: Elimination,
    /// A^-1, row by row.
    inverse: Vec<f64>,
    /// What the rows of a design are multiplied by to become slopes.
    slope_factors: Vec<f64>,
}

impl Regression {
    /// Of a `design`: rows of `width` features, each followed by its target.
    pub(super) fn new(design: &[f64], width: usize) -> Self {
        let mut regression = Self::default();
        regression.set(design, width);
        regression
    }

    /// Becomes the regression of another design, in the same memory.
    pub(super) fn set(&mut self, design: &[f64], width: usize) {
        let rows = Factor::new(design, width + 1);
        self.products.resize((width + 1) * (width + 1), 0.0);
        multiply_by_own_transposed(rows, &mut self.products);
        (self.width, self.count) = (width, design.len() / (width + 1));
    }

    /// An entry of Phi' Phi.
    pub(super) fn gram(&self, row: usize, column: usize) -> f64 {
        self.products[row.min(column) * (self.width + 1) + row.max(column)]
    }

    /// The regression at these logarithms of alpha and beta.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if A cannot be factorised.
    pub(super) fn posterior(
        &self,
        logarithms: [f64; 2],
    ) -> Result<RegressionPosterior, EngineError> {
        let mut posterior = RegressionPosterior::default();
        posterior.set(self, logarithms)?;
        Ok(posterior)
    }
}

impl RegressionPosterior {
    /// Becomes the `regression` at these logarithms of alpha and beta, in the same memory.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if A cannot be factorised; the posterior is of no use then.
    pub(super) fn set(
        &mut self,
        regression: &Regression,
        logarithms: [f64; 2],
    ) -> Result<(), EngineError> {
        let [alpha, beta] = logarithms.map(libm::exp);
        let (ratio, width) = (beta / alpha, regression.width);
        let last = regression.products.last().copied();
        let square = last.expect("the products end with y'y");
        let fill = |rows: Range<usize>, places: &mut [f64], length: usize| {
            for (row, places) in rows.zip(places.chunks_exact_mut(length)) {
                let products = &regression.products[row * (width + 1)..][..=width];
                for (entry, product) in places[row..width].iter_mut().zip(&products[row..]) {
                    *entry = ratio * product;
                }
                places[row] += 1.0;
                places[width] = products[width];
            }
        };
        self.elimination.eliminate(width, 1, fill)?;
        let half_log_determinant: f64 = self.elimination.diagonal().map(libm::log).sum();

        // With C v = q: A^-1 = C^-1' C^-1, m = r C^-1' v and q'm = r v'v.
        let root = self.elimination.inverse_factor();
        let solution: Vec<f64> = self.elimination.solution(0).collect();
        let inverse = &mut self.inverse;
        inverse.resize(width * width, 0.0);
        multiply_by_own_transposed(root, inverse);
        for row in 1..width {
            for column in 0..row {
                inverse[row * width + column] = inverse[column * width + row];
            }
        }
        let weights = &mut self.weights;
        weights.resize(width, 0.0);
        let scaled: Vec<f64> = solution.iter().map(|entry| ratio * entry).collect();
        multiply(Factor::new(&scaled, width), root, Start::Zero, weights);

        let count = regression.count as f64;
        let dot = |left: &[f64], right: &[f64]| -> f64 {
            left.iter()
                .zip(right)
                .map(|(left, right)| left * right)
                .sum()
        };
        let misfit = 0.5 * beta * (square - dot(&scaled, &solution));
        let trace: f64 = inverse.iter().step_by(width + 1).sum();
        let by_ratio = 0.5 * (width as f64 - trace) - 0.5 * alpha * dot(weights, weights);
        (self.alpha, self.beta) = (alpha, beta);
        self.value = 0.5 * count * libm::log(2.0 * PI / beta) + misfit + half_log_determinant;
        self.slopes = [-by_ratio, by_ratio - 0.5 * count + misfit];
        Ok(())
    }

    /// A^-1 times these regressors.
    pub(super) fn solve(&self, regressors: &[f64]) -> Vec<f64> {
        let rows = self.inverse.chunks_exact(regressors.len());
        rows.map(|row| row.iter().zip(regressors).map(|(a, b)| a * b).sum())
            .collect()
    }

    /// The derivative of the value by the first features of each row of the design, dL/dPhi, into `slopes`, row by row.
    pub(super) fn feature_slopes(&mut self, design: &[f64], slopes: &mut [f64]) {
        let width = self.weights.len();
        let wanted = slopes.len() / (design.len() / (width + 1));
        // As e = y - Phi m, the derivative is [Phi y] times r A^-1 + beta m m' above -beta m'.
        let (ratio, weights) = (self.beta / self.alpha, &self.weights[..wanted]);
        let factors = &mut self.slope_factors;
        factors.clear();
        for (weight, inverse) in self.weights.iter().zip(self.inverse.chunks_exact(width)) {
            let share = self.beta * weight;
            let pairs = weights.iter().zip(inverse);
            factors.extend(pairs.map(|(weight, inverse)| ratio * inverse + share * weight));
        }
        factors.extend(weights.iter().map(|weight| -self.beta * weight));
        let rows = Factor::new(design, width + 1);
        multiply(rows, Factor::new(factors, wanted), Start::Zero, slopes);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
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

    /// The features of each row, then its target.
    fn design(features: &Array2<f64>, targets: &Array1<f64>) -> Vec<f64> {
        let rows = features.rows().into_iter().zip(targets);
        let entries = rows.flat_map(|(row, target)| row.to_vec().into_iter().chain([*target]));
        entries.collect()
    }

    fn posterior(features: &Array2<f64>, targets: &Array1<f64>) -> RegressionPosterior {
        let regression = Regression::new(&design(features, targets), features.ncols());
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
        let inverse = Array2::from_shape_vec((4, 4), posterior.inverse).unwrap();
        let kernel = features.dot(&features.t()) / alpha + Array2::<f64>::eye(12) / beta;
        let candidate = Array1::from(vec![0.3, -0.8, 0.5, 0.1]);
        let cross = features.dot(&candidate) / alpha;
        let solved = kernel.inv().unwrap().dot(&cross);
        let mean = Array1::from(posterior.weights).dot(&candidate);
        assert!((mean - solved.dot(&targets)).abs() < 1e-10);
        let variance = candidate.dot(&inverse.dot(&candidate)) / alpha;
        let expected = candidate.dot(&candidate) / alpha - cross.dot(&solved);
        assert!((variance - expected).abs() < 1e-10);
    }

    #[test]
    fn all_slopes_agree_with_finite_differences_of_the_dense_process() {
        let (features, targets) = case();
        let mut posterior = posterior(&features, &targets);
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
        let rows = design(&features, &targets);
        posterior.feature_slopes(&rows, slopes.as_slice_mut().unwrap());
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
