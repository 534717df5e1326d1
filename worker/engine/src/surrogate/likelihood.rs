//! The objective of the fit: negative log marginal likelihood plus the priors'
//! penalty, with its gradient (Rasmussen and Williams 2006, eq. 2.30 and 5.9).
//!
//! With K = s M + v I (signal variance s, noise variance v) and the mean profiled
//! out, m = (1' K^-1 z) / (1' K^-1 1), alpha = K^-1 (z - m):
//!
//!   L = 1/2 (z - m)' alpha + 1/2 log |K| + n/2 log(2 pi)
//!   dL/dp = -1/2 trace((alpha alpha' - K^-1) dK/dp)
//!
//! m being optimal, its own dependence on p does not contribute.

use std::f64::consts::PI;
use std::ops::Range;

use pulp::Simd;

use super::hyperparameters::HyperparameterModel;
use super::kernel::Kernel;
use super::pairs::{SquaredDifferences, pair_count};
use crate::blas;
use crate::elimination::Elimination;
use crate::error::EngineError;
use crate::matrix_products::{Factor, Start, multiply, multiply_rows_by_own_transposed};

/// Points with their targets, whose likelihood is one term of an objective.
pub(crate) struct Data {
    /// The squared differences of the points.
    pub squares: SquaredDifferences,
    /// A target for each point.
    pub targets: Vec<f64>,
}

impl Data {
    /// Of points of `width` coordinates, which lie one after the other.
    pub(crate) fn new(points: &[f64], width: usize, targets: Vec<f64>) -> Self {
        let mut squares = SquaredDifferences::new(width, targets.len());
        for point in points.chunks_exact(width) {
            squares.append(point);
        }
        Self { squares, targets }
    }
}

/// Buffers for up to a number of points, reused from fit to fit.
#[derive(Default)]
pub(crate) struct Likelihood {
    kernel: Kernel,
    /// r^2 of each pair, then its slope, then its weight in the gradient.
    pairs: Vec<f64>,
    /// The squared differences of a block of pairs.
    block: Vec<f64>,
    correlations: Vec<f64>,
    /// Of K, with z and 1 as right sides.
    elimination: Elimination,
    /// Some rows of K^-1, each with as many entries as the last one has up to the diagonal; then alpha alpha' - K^-1 below the diagonal.
    inverse: Vec<f64>,
    /// L^-1 (z - m).
    whitened: Vec<f64>,
    /// K^-1 (z - m).
    alpha: Vec<f64>,
    weights: Vec<f64>,
    coordinate_gradient: Vec<f64>,
    /// Of the last factorisation.
    mean: f64,
}

impl Likelihood {
    /// Buffers for `points` points of `width` coordinates.
    pub(crate) fn new(width: usize, points: usize) -> Self {
        let pairs = pair_count(points);
        Self {
            pairs: vec![0.0; pairs],
            correlations: vec![0.0; pairs],
            weights: vec![0.0; width],
            coordinate_gradient: vec![0.0; width],
            ..Self::default()
        }
    }

    /// The likelihood under another kernel than Matern-5/2.
    pub(crate) fn with_kernel(self, kernel: Kernel) -> Self {
        Self { kernel, ..self }
    }

    /// The kernel.
    pub(crate) fn kernel(&self) -> Kernel {
        self.kernel
    }

    /// The objective at these logarithms of the hyperparameters; its gradient goes to `gradient`.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if K is not positive definite in floating point.
    pub(crate) fn evaluate(
        &mut self,
        squares: &SquaredDifferences,
        targets: &[f64],
        model: &HyperparameterModel,
        logarithms: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, EngineError> {
        let count = targets.len();
        let width = logarithms.len() - 2;
        let value = self.factorise(squares, targets, logarithms)?;
        let (signal, noise) = (
            libm::exp(logarithms[width]),
            libm::exp(logarithms[width + 1]),
        );

        // G = alpha alpha' - K^-1 meets dK/dp: on the diagonal and, twice, on each pair.
        let (mut trace, mut signal_sums) = (0.0, [0.0; LANES]);
        for first in (0..count).step_by(ROWS) {
            let rows = first..count.min(first + ROWS);
            self.inverse.resize(rows.len() * rows.end, 0.0);
            let root = self.elimination.inverse_factor();
            multiply_rows_by_own_transposed(root, rows.clone(), &mut self.inverse);
            let diagonal = self.inverse[first..].iter().step_by(rows.end + 1);
            for (alpha, own) in self.alpha[rows.clone()].iter().zip(diagonal) {
                trace += alpha * alpha - own;
            }
            weigh_pairs(
                &self.alpha,
                rows,
                &mut self.inverse,
                &self.correlations,
                &mut self.pairs,
                &mut signal_sums,
            );
        }
        let signal_sum: f64 = signal_sums.iter().sum();
        let by_coordinate = &mut self.coordinate_gradient;
        by_coordinate.fill(0.0);
        for pairs in squares.blocks() {
            let block = squares.matrix(pairs.clone(), &mut self.block);
            blas::add_vector_transposed(block, &self.pairs[pairs], by_coordinate);
        }
        let slopes = self.weights.iter().zip(&self.coordinate_gradient);
        for (slot, (weight, slope)) in gradient.iter_mut().zip(slopes) {
            *slot = -signal * (weight * slope);
        }
        gradient[width] = -signal * (0.5 * trace + signal_sum);
        gradient[width + 1] = -0.5 * noise * trace;
        Ok(value + model.penalty(logarithms, gradient))
    }

    /// `start` and, added to it one after the other, the objectives of all these data, without priors; their gradients are added to
    /// `gradient`.
    ///
    /// # Errors
    /// Those of [`Self::evaluate`].
    pub(crate) fn evaluate_all(
        &mut self,
        all: &[Data],
        start: f64,
        logarithms: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, EngineError> {
        let flat = HyperparameterModel::flat(self.weights.len());
        let mut slopes = vec![0.0; gradient.len()];
        let mut value = start;
        for Data { squares, targets } in all {
            value += self.evaluate(squares, targets, &flat, logarithms, &mut slopes)?;
            for (sum, slope) in gradient.iter_mut().zip(&slopes) {
                *sum += slope;
            }
        }
        Ok(value)
    }

    /// After [`Self::evaluate`], by pair of points: (alpha alpha' - K^-1) times the slope -2 dM/d(r^2), the signal left out.
    /// Half of it times the signal is dL/d(r^2).
    pub(crate) fn pair_slopes(&self) -> &[f64] {
        &self.pairs
    }

    /// Factorises K at these hyperparameters and returns the negative log
    /// likelihood; afterwards [`Self::elimination`], [`Self::mean`] and [`Self::alpha`] are valid.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if K is not positive definite in floating point.
    pub(crate) fn factorise(
        &mut self,
        squares: &SquaredDifferences,
        targets: &[f64],
        logarithms: &[f64],
    ) -> Result<f64, EngineError> {
        let count = targets.len();
        let width = logarithms.len() - 2;
        for (weight, &logarithm) in self.weights.iter_mut().zip(logarithms) {
            *weight = libm::exp(-2.0 * logarithm);
        }
        let (signal, noise) = (
            libm::exp(logarithms[width]),
            libm::exp(logarithms[width + 1]),
        );
        for pairs in squares.blocks() {
            let block = squares.matrix(pairs.clone(), &mut self.block);
            blas::multiply_vector(block, &self.weights, &mut self.pairs[pairs]);
        }
        let pairs = squares.len();
        correlate(
            self.kernel,
            &mut self.pairs[..pairs],
            &mut self.correlations[..pairs],
        );
        let correlations = &self.correlations;
        let fill = |rows: Range<usize>, places: &mut [f64], length: usize| {
            // Column by column, as the pairs of a point with those before it lie side by side.
            for column in rows.start + 1..count {
                let pairs = pair_count(column) + rows.start..pair_count(column + 1);
                let entries = places[column..].iter_mut().step_by(length);
                for (entry, correlation) in entries.zip(&correlations[pairs]) {
                    *entry = signal * correlation;
                }
            }
            for (row, places) in rows.zip(places.chunks_exact_mut(length)) {
                places[row] = signal + noise;
                places[count..count + 2].copy_from_slice(&[targets[row], 1.0]);
            }
        };
        self.elimination.eliminate(count, 2, fill)?;
        self.whitened.clear();
        self.whitened.extend(self.elimination.solution(0));
        let ones = || self.elimination.solution(1);
        let products = self.whitened.iter().zip(ones());
        let squares = ones().map(|one| one * one);
        self.mean = products.map(|(entry, one)| entry * one).sum::<f64>() / squares.sum::<f64>();
        for (entry, one) in self.whitened.iter_mut().zip(ones()) {
            *entry -= self.mean * one;
        }
        let misfit: f64 = self.whitened.iter().map(|entry| entry * entry).sum();
        self.alpha.resize(count, 0.0);
        multiply(
            Factor::new(&self.whitened, count),
            self.elimination.inverse_factor(),
            Start::Zero,
            &mut self.alpha,
        );
        let log_root: f64 = self.elimination.diagonal().map(libm::log).sum();
        Ok(0.5 * misfit + log_root + 0.5 * count as f64 * libm::log(2.0 * PI))
    }

    /// The Cholesky factor of the last [`Self::factorise`], and its inverse.
    pub(crate) fn elimination(&self) -> &Elimination {
        &self.elimination
    }

    /// The correlation of two points at the last [`Self::factorise`].
    pub(crate) fn correlation(&self, earlier: usize, later: usize) -> f64 {
        self.correlations[pair_count(later) + earlier]
    }

    /// The mean m of the last [`Self::factorise`].
    pub(crate) fn mean(&self) -> f64 {
        self.mean
    }

    /// alpha = K^-1 (z - m) after the last [`Self::factorise`].
    pub(crate) fn alpha(&self) -> &[f64] {
        &self.alpha
    }
}

/// Rows of K^-1 that are there at a time: all of it would be as large as the factor of K.
const ROWS: usize = 64;

/// Sums that are taken side by side.
const LANES: usize = 8;

/// Multiplies the slope of each pair whose later point is one of some `rows` by (alpha alpha' - K^-1) and adds (alpha alpha' - K^-1)
/// times the correlations to `sums`. Their order is fixed, so that they are the same bits with every width of vectors. Below its
/// diagonal, K^-1 is replaced by those differences.
#[pulp::with_simd(weigh_pairs = pulp::Arch::new())]
#[inline(always)]
fn weigh_pairs_with<S: Simd>(
    _simd: S,
    alpha: &[f64],
    rows: Range<usize>,
    inverse: &mut [f64],
    correlations: &[f64],
    slopes: &mut [f64],
    sums: &mut [f64; LANES],
) {
    let inverse_rows = inverse.chunks_exact_mut(rows.end);
    for (row, inverse_row) in rows.zip(inverse_rows) {
        let left = alpha[row];
        let pairs = pair_count(row)..pair_count(row + 1);
        let factors = &mut inverse_row[..row];
        for (factor, right) in factors.iter_mut().zip(alpha) {
            *factor = left * right - *factor;
        }
        let (groups, rest) = factors.as_chunks::<LANES>();
        let (of_groups, of_rest) = correlations[pairs.clone()].as_chunks::<LANES>();
        for (factors_of_group, of_group) in groups.iter().zip(of_groups) {
            for lane in 0..LANES {
                sums[lane] += factors_of_group[lane] * of_group[lane];
            }
        }
        for (sum, (factor, correlation)) in sums.iter_mut().zip(rest.iter().zip(of_rest)) {
            *sum += factor * correlation;
        }
        for (slope, factor) in slopes[pairs].iter_mut().zip(factors) {
            *slope *= *factor;
        }
    }
}

/// Slopes in the place of r^2, and correlations, compiled for each kind of processor.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<S: Simd>(_simd: S, kernel: Kernel, pairs: &mut [f64], correlations: &mut [f64]) {
    kernel.correlations_and_slopes(pairs, correlations);
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::{Determinant, Inverse};

    use super::*;
    use crate::surrogate::hyperparameters::Hyperprior;
    use crate::surrogate::matern::correlation;
    use crate::table::encoding::Space;

    struct Case {
        points: Vec<[f64; 3]>,
        targets: Vec<f64>,
        squares: SquaredDifferences,
    }

    fn case(count: usize) -> Case {
        let mut state = 7u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) as f64 / (1u64 << 31) as f64
        };
        let points: Vec<[f64; 3]> = (0..count).map(|_| [next(), next(), next()]).collect();
        let targets = points
            .iter()
            .map(|p| (6.0 * p[0]).sin() + p[1] + 0.1 * next())
            .collect();
        let mut squares = SquaredDifferences::new(3, count);
        for point in &points {
            squares.append(point);
        }
        Case {
            points,
            targets,
            squares,
        }
    }

    fn model(width: usize, hyperprior: Hyperprior) -> HyperparameterModel {
        HyperparameterModel::new(&Space::numeric(width), hyperprior)
    }

    const LOGARITHMS: [f64; 5] = [-0.7, 0.1, 0.9, 0.3, -2.0];

    /// The textbook formula with dense inverse and determinant.
    fn dense(case: &Case, logarithms: &[f64]) -> f64 {
        let count = case.targets.len();
        let kernel = Array2::from_shape_fn((count, count), |(i, j)| {
            let squared: f64 = (0..3)
                .map(|k| {
                    let scaled = (case.points[i][k] - case.points[j][k]) / logarithms[k].exp();
                    scaled * scaled
                })
                .sum();
            let noise = if i == j { logarithms[4].exp() } else { 0.0 };
            logarithms[3].exp() * correlation(squared) + noise
        });
        let inverse = kernel.inv().unwrap();
        let targets = Array1::from(case.targets.clone());
        let ones = Array1::ones(count);
        let mean = ones.dot(&inverse.dot(&targets)) / ones.dot(&inverse.dot(&ones));
        let centred = &targets - mean;
        let (_, log_determinant) = kernel.sln_det().unwrap();
        0.5 * centred.dot(&inverse.dot(&centred))
            + 0.5 * log_determinant
            + 0.5 * count as f64 * (2.0 * PI).ln()
    }

    #[test]
    fn the_value_agrees_with_the_dense_formula() {
        // Of 120 points no squares are kept.
        for count in [1, 2, 5, 30, 120] {
            let case = case(count);
            let mut likelihood = Likelihood::new(3, 120);
            let mut gradient = [0.0; 5];
            let found = likelihood
                .evaluate(
                    &case.squares,
                    &case.targets,
                    &model(3, Hyperprior::None),
                    &LOGARITHMS,
                    &mut gradient,
                )
                .unwrap();
            let expected = dense(&case, &LOGARITHMS);
            assert!(
                (found - expected).abs() < 1e-10 * count as f64,
                "{count}: {found} {expected}"
            );
        }
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        let kernels = [Kernel::Matern, Kernel::SquaredExponential];
        let settings = [
            (Hyperprior::None, 120),
            (Hyperprior::None, 25),
            (Hyperprior::Gamma, 25),
        ];
        let cases = kernels.map(|kernel| settings.map(|setting| (kernel, setting)));
        for (kernel, (hyperprior, count)) in cases.into_iter().flatten() {
            let case = case(count);
            let model = model(3, hyperprior);
            let mut likelihood = Likelihood::new(3, count).with_kernel(kernel);
            let mut evaluate = |logarithms: &[f64], gradient: &mut [f64]| {
                likelihood
                    .evaluate(&case.squares, &case.targets, &model, logarithms, gradient)
                    .unwrap()
            };
            let mut gradient = [0.0; 5];
            evaluate(&LOGARITHMS, &mut gradient);
            for index in 0..5 {
                let mut shifted = |step: f64| {
                    let mut logarithms = LOGARITHMS;
                    logarithms[index] += step;
                    evaluate(&logarithms, &mut [0.0; 5])
                };
                let expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
                let error = (gradient[index] - expected).abs();
                assert!(error < 1e-6 * expected.abs().max(1.0), "{index}: {error}");
            }
        }
    }

    #[test]
    fn coinciding_points_are_no_obstacle() {
        let mut squares = SquaredDifferences::new(1, 3);
        (0..3).for_each(|_| squares.append(&[0.5]));
        let mut likelihood = Likelihood::new(1, 3);
        let (_, upper) = model(1, Hyperprior::None).bounds();
        let logarithms = [upper[0], upper[1], libm::log(1e-4)];
        let value = likelihood
            .factorise(&squares, &[0.0, 1.0, 2.0], &logarithms)
            .unwrap();
        assert!(value.is_finite());
        assert!((likelihood.mean() - 1.0).abs() < 1e-6);
    }
}
