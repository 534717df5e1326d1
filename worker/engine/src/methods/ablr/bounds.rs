//! Bounds on what a regression predicts for the candidates of a block, from products in single precision.
//!
//! They leave the predictions in double precision to the few candidates whose improvement may be the greatest. With
//! regressors p (none beyond 1), posterior weights m, A = I + r Phi' Phi and u = 2^-24:
//!
//! - *Means.* Rounding m and summing D products in single precision moves m'p by at most (D + 1) u sum |m_j|; the bound is
//!   that much lower.
//! - *Standard deviations.* A partial Cholesky factor B of r Phi' Phi leaves a remainder without negative eigenvalues, so
//!   that A >= I + B B' and alpha s^2 = p' A^-1 p <= p'p - |T p|^2, with T = L^-1 B' and L L' = I + B' B.
//! - *After one more row.* With f that row's regressors and v = A^-1 f, alpha s^2 falls by r (p'v)^2 / (1 - r f'v) (Sherman and
//!   Morrison), so what was known of it is lowered by that. If e = A v - f is what rounding left, p'v is off by at most
//!   |p| |e|, as A >= I, and f'v by |f| |e|.
//! - *Their rounding.* Each entry of T p, or p'v, is off by at most (D + 1) u sum |T_kj| and is taken that much nearer to 0; the
//!   remainder's eigenvalues are off by at most [`REMAINDER`] of the trace, which divides the bound by 1 - that.
//! - *Near ones.* With A = C C' alpha s^2 = |C^-1 p|^2. Where many candidates of a block are left this is computed in single
//!   precision: each entry is off by at most (D + 2) u sum |C^-1_kj| and is taken that much farther from 0.

use pulp::Simd;

use super::evidence::{Regression, RegressionPosterior};
use super::features::{FEATURES, REGRESSORS};
use crate::acquisition::maximisation::BLOCK;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::matrix_products::{Factor, Start, multiply, multiply_by_own_transposed};
use crate::surrogate::joint_bounds::sum_squares;
use crate::surrogate::single_precision::ROUNDING;

/// Columns of the partial factor. More rule out more candidates and cost more for each.
const DIRECTIONS: usize = 7;

/// Rows of a block's product: the mean, then the directions.
const PRODUCTS: usize = 1 + DIRECTIONS;

/// Above (D + 1) u for sums of D = 51 products, whatever their order.
const SUM_ROUNDING: f64 = 60.0 * ROUNDING;

/// The same of sums in double precision.
const DOUBLE_SUM_ROUNDING: f64 = 60.0 * f64::EPSILON;

/// Above the error of the remainder of a factorisation in double precision, relative to the trace.
const REMAINDER: f64 = 1e-13;

/// The greatest standard deviation that a row can have under a regression: without observations it is
/// |regressors| / sqrt(alpha), none of which exceeds 1.
pub(super) fn largest_std_dev(posterior: &RegressionPosterior) -> f64 {
    (REGRESSORS as f64 / posterior.alpha).sqrt()
}

/// The squared length of the regressors of a block's candidates, or a little more, from features side by side.
#[pulp::with_simd(squared_lengths = pulp::Arch::new())]
#[inline(always)]
pub(super) fn squared_lengths_with<S: Simd>(_simd: S, features: &[f32], lengths: &mut [f32]) {
    lengths.fill(1.0);
    for column in features.as_chunks::<BLOCK>().0 {
        for (length, feature) in lengths.iter_mut().zip(column) {
            *length += feature * feature;
        }
    }
    for length in lengths {
        *length *= 1.0 + SUM_ROUNDING as f32;
    }
}

/// What bounds the predictions of one regression.
pub(super) struct PredictionBounds {
    /// Of each product, the mean's and then those that lower alpha s^2: its factors of the features.
    factors: Vec<f32>,
    /// Its summand for the constant regressor.
    constants: Vec<f32>,
    /// At least its error.
    margins: Vec<f32>,
    /// What the rest of alpha s^2 is multiplied by to be a bound on it.
    inflation: f64,
    /// What a bound on alpha s^2 is multiplied by to be one on s^2.
    scale: f64,
    /// C^-1, row by row.
    inverse_factor: Vec<f32>,
    /// Minus at least the error of each entry of C^-1 p.
    inverse_margins: Vec<f32>,
}

impl PredictionBounds {
    /// Of the posterior of that regression, for rows whose squared lengths are known.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the directions' matrix cannot be factorised.
    pub(super) fn of_all(
        regression: &Regression,
        posterior: &RegressionPosterior,
    ) -> Result<Self, EngineError> {
        let ratio = posterior.beta / posterior.alpha;
        let directions = directions(regression, ratio)?;
        let error = REMAINDER * trace(regression, ratio);
        // With a remainder that is worth nothing the length alone bounds the deviation.
        let (known, inflation) = if error < 0.5 {
            (DIRECTIONS, 1.0 / (1.0 - error))
        } else {
            (0, 1.0)
        };
        let mut bounds = Self::of_means(posterior, inflation);
        for direction in 0..known {
            let factors = directions.iter().skip(direction).step_by(DIRECTIONS);
            bounds.add_product(factors.copied(), 0.0);
        }
        Ok(bounds)
    }

    /// Of the posterior of that regression, for rows with a bound on alpha s^2 under the regression without its `newest` row, or
    /// under it. None if rounding may spoil it.
    pub(super) fn of_newest(
        regression: &Regression,
        posterior: &RegressionPosterior,
        newest: &[f64; REGRESSORS],
    ) -> Option<Self> {
        let ratio = posterior.beta / posterior.alpha;
        let error = 2.0 * REMAINDER * trace(regression, ratio);
        if error >= 0.5 {
            return None;
        }
        let direction = posterior.solve(newest);
        // What of A v = f is not fulfilled, with the rounding of its own sums.
        let (mut squared_residual, mut reduction) = (0.0, 0.0);
        for (row, (entry, solved)) in newest.iter().zip(&direction).enumerate() {
            let (mut sum, mut size) = (solved - entry, solved.abs() + entry.abs());
            for (column, factor) in direction.iter().enumerate() {
                let term = ratio * regression.gram(row, column) * factor;
                sum += term;
                size += term.abs();
            }
            squared_residual += (sum.abs() + DOUBLE_SUM_ROUNDING * size).powi(2);
            let term = entry * solved;
            reduction += term - DOUBLE_SUM_ROUNDING * term.abs();
        }
        let error_of_products = (REGRESSORS as f64 * squared_residual).sqrt();
        let gap = 1.0 - ratio * (reduction - error_of_products);
        if gap.is_nan() || gap <= 0.0 {
            return None;
        }
        let scale = (ratio / gap.min(1.0)).sqrt();
        let mut bounds = Self::of_means(posterior, 1.0 / (1.0 - error));
        let factors = direction.iter().map(|factor| scale * factor);
        bounds.add_product(factors, scale * error_of_products);
        Some(bounds)
    }

    /// With the product of the means alone.
    fn of_means(posterior: &RegressionPosterior, inflation: f64) -> Self {
        let mut inverse_factor = Vec::with_capacity(REGRESSORS * REGRESSORS);
        let mut inverse_margins = Vec::with_capacity(REGRESSORS);
        for row in posterior.elimination.inverse_rows() {
            inverse_factor.extend(row.iter().map(|entry| *entry as f32));
            let size: f64 = row.iter().map(|entry| entry.abs()).sum();
            inverse_margins.push(-((SUM_ROUNDING * size) as f32 + f32::MIN_POSITIVE));
        }
        let mut bounds = Self {
            factors: Vec::with_capacity(PRODUCTS * FEATURES),
            constants: Vec::new(),
            margins: Vec::new(),
            inflation: (1.0 + SUM_ROUNDING) * inflation,
            // A little above, as the standard deviation itself is rounded.
            scale: (1.0 + 1e-9) / posterior.alpha,
            inverse_factor,
            inverse_margins,
        };
        bounds.add_product(posterior.weights.iter().copied(), 0.0);
        bounds
    }

    /// Adds a product with these factors of the regressors, which are off by at most so much in all.
    fn add_product(&mut self, factors: impl Iterator<Item = f64> + Clone, error: f64) {
        let size: f64 = factors.clone().map(f64::abs).sum();
        let margin = (SUM_ROUNDING * size + (1.0 + SUM_ROUNDING) * error) as f32;
        self.margins.push(margin + f32::MIN_POSITIVE);
        self.factors.extend(factors.map(|factor| factor as f32));
        self.constants.extend(self.factors.pop());
    }

    /// Lower bounds on the means and upper bounds on the standard deviations of a block's candidates, from their
    /// features side by side and the bounds on alpha s^2 that are known, which become as low as is known then.
    pub(super) fn bound(
        &self,
        features: &[f32],
        squares: &mut [f32],
        means: &mut [f64],
        std_devs: &mut [f64],
    ) {
        let mut products = [0.0; PRODUCTS * BLOCK];
        let products = &mut products[..self.margins.len() * BLOCK];
        let factors = Factor::new(&self.factors, FEATURES);
        multiply(factors, Factor::new(features, BLOCK), Start::Zero, products);
        combine(self, products, squares, means, std_devs);
    }

    /// Puts upper bounds that are near the standard deviations of the `open` candidates of a block, given by their places, into those
    /// places, from their regressors side by side, and what they are of alpha s^2 into `squares`. `products` is a buffer.
    pub(super) fn tighten(
        &self,
        regressors: &[f32],
        open: &[usize],
        products: &mut Vec<f32>,
        squares: &mut [f32],
        std_devs: &mut [f64],
    ) {
        products.resize(regressors.len(), 0.0);
        multiply(
            Factor::lower_triangular(&self.inverse_factor, REGRESSORS, REGRESSORS),
            Factor::new(regressors, open.len()),
            Start::Zero,
            products,
        );
        let mut block = [0.0; BLOCK];
        let sums = &mut block[..open.len()];
        sum_squares(products, &self.inverse_margins, sums);
        for (&place, sum) in open.iter().zip(sums) {
            squares[place] = squares[place].min((1.0 + SUM_ROUNDING) as f32 * *sum);
            std_devs[place] = (self.scale * f64::from(squares[place])).sqrt();
        }
    }
}

#[pulp::with_simd(combine = pulp::Arch::new())]
#[inline(always)]
fn combine_with<S: Simd>(
    _simd: S,
    bounds: &PredictionBounds,
    products: &mut [f32],
    squares: &mut [f32],
    means: &mut [f64],
    std_devs: &mut [f64],
) {
    let (of_means, of_directions) = products.split_at_mut(BLOCK);
    let (constant, margin) = (bounds.constants[0], bounds.margins[0]);
    for (mean, product) in means.iter_mut().zip(of_means) {
        *mean = f64::from(*product) + f64::from(constant) - f64::from(margin);
    }
    let mut reductions = [0.0; BLOCK];
    let summands = bounds.constants.iter().zip(&bounds.margins).skip(1);
    for (products, (constant, margin)) in of_directions.chunks_exact(BLOCK).zip(summands) {
        for (reduction, product) in reductions.iter_mut().zip(products) {
            let size = (product + constant).abs() - margin;
            let size = if size > 0.0 { size } else { 0.0 };
            *reduction += size * size;
        }
    }
    for ((std_dev, reduction), square) in std_devs.iter_mut().zip(reductions).zip(squares) {
        let rest = f64::from(*square) - (1.0 - SUM_ROUNDING) * f64::from(reduction);
        let rest = if rest > 0.0 { rest } else { 0.0 };
        *square = (bounds.inflation * rest) as f32;
        *std_dev = (bounds.scale * f64::from(*square)).sqrt();
    }
}

/// The trace of r Phi' Phi, r being the `ratio`.
fn trace(regression: &Regression, ratio: f64) -> f64 {
    let diagonal = (0..REGRESSORS).map(|index| regression.gram(index, index));
    ratio * diagonal.sum::<f64>()
}

/// T, column-major with a column per regressor.
fn directions(regression: &Regression, ratio: f64) -> Result<Vec<f64>, EngineError> {
    let width = REGRESSORS;
    let entry = |row: usize, column: usize| ratio * regression.gram(row, column);
    let mut remainder: Vec<f64> = (0..width).map(|index| entry(index, index)).collect();
    // B', a column per regressor.
    let mut partial = vec![0.0; DIRECTIONS * width];
    for direction in 0..DIRECTIONS {
        let by_remainder =
            |left: &usize, right: &usize| remainder[*left].total_cmp(&remainder[*right]);
        let pivot = (0..width)
            .max_by(by_remainder)
            .expect("there are regressors");
        if remainder[pivot] <= 0.0 {
            break;
        }
        let root = remainder[pivot].sqrt();
        let of_pivot = partial[pivot * DIRECTIONS..][..direction].to_vec();
        for index in 0..width {
            let column = &mut partial[index * DIRECTIONS..][..=direction];
            let pairs = column.iter().zip(&of_pivot);
            let known: f64 = pairs.map(|(left, right)| left * right).sum();
            let new = (entry(index, pivot) - known) / root;
            column[direction] = new;
            remainder[index] -= new * new;
        }
    }
    let mut factor = vec![0.0; DIRECTIONS * DIRECTIONS];
    // The upper half by rows is the lower one by columns.
    multiply_by_own_transposed(Factor::new(&partial, DIRECTIONS), &mut factor);
    factor
        .iter_mut()
        .step_by(DIRECTIONS + 1)
        .for_each(|entry| *entry += 1.0);
    blas::cholesky(MatrixMut::square(&mut factor, DIRECTIONS, DIRECTIONS))?;
    let factor = MatrixRef::square(&factor, DIRECTIONS, DIRECTIONS);
    let right = MatrixMut::new(&mut partial, DIRECTIONS, width, DIRECTIONS);
    blas::solve_triangular(Triangular::Lower, factor, right);
    Ok(partial)
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, ArrayView2};

    use super::*;
    use crate::methods::ablr::features::{DESIGN, INITIAL_FEATURES, design};
    use crate::random::RandomStream;
    use loto_proto::identity::Fingerprint;

    #[test]
    fn bounds_are_on_the_right_side_and_near() {
        let mut random = RandomStream::new(INITIAL_FEATURES, Fingerprint([1; 16]), "t", 0);
        // Features of a few directions, as a network's are, and a little noise.
        let mixing: Vec<f32> = (0..4 * FEATURES).map(|_| random.normal() as f32).collect();
        let mut row = |_| -> Vec<f32> {
            let input: Vec<f32> = (0..4).map(|_| random.uniform() as f32).collect();
            let mixed = mixing.chunks_exact(4).map(|mixing| {
                let pairs = mixing.iter().zip(&input);
                let sum: f32 = pairs.map(|(left, right)| left * right).sum();
                (sum + 0.01 * random.normal() as f32).tanh()
            });
            mixed.collect()
        };
        let observed: Vec<f32> = (0..30).flat_map(&mut row).collect();
        let candidates: Vec<Vec<f32>> = (0..BLOCK).map(&mut row).collect();
        let targets: Vec<f64> = (0..30).map(|index| f64::from(index).sin()).collect();
        let rows = design(&candidates.concat(), &[0.0; BLOCK]);
        let columns = |feature: usize| candidates.iter().map(move |row| row[feature]);
        let block: Vec<f32> = (0..FEATURES).flat_map(columns).collect();
        let regressors = [&block[..], &[1.0; BLOCK]].concat();
        let open: Vec<usize> = (0..BLOCK).collect();
        // The last is past what double precision factorises.
        for (logarithms, least) in [
            ([0.3, 4.0], 0.02),
            ([3.0, -2.0], 0.02),
            ([-4.0, 6.0], 1e-3),
            ([-14.0, 16.0], 0.0),
        ] {
            let mut squares = [0.0; BLOCK];
            squared_lengths(&block, &mut squares);
            // Of all rows but two, and then of each newest one.
            for count in 28..=30 {
                let observed = design(&observed[..count * FEATURES], &targets[..count]);
                let regression = Regression::new(&observed, REGRESSORS);
                let Ok(posterior) = regression.posterior(logarithms) else {
                    assert_eq!(least, 0.0);
                    continue;
                };
                let newest = observed[(count - 1) * DESIGN..].first_chunk();
                let bounds = match count {
                    28 => Some(PredictionBounds::of_all(&regression, &posterior).unwrap()),
                    _ => PredictionBounds::of_newest(&regression, &posterior, newest.unwrap()),
                };
                let Some(bounds) = bounds else {
                    assert_eq!(least, 0.0);
                    continue;
                };
                let (mut means, mut std_devs) = ([0.0; BLOCK], [0.0; BLOCK]);
                bounds.bound(&block, &mut squares, &mut means, &mut std_devs);
                // After the first rows half of the bounds are near, and after one more row still.
                let mut near = std_devs;
                let mut known = squares;
                bounds.tighten(&regressors, &open, &mut Vec::new(), &mut known, &mut near);
                if count == 28 {
                    squares[..BLOCK / 2].copy_from_slice(&known[..BLOCK / 2]);
                }
                let size: f64 = posterior.weights.iter().map(|weight| weight.abs()).sum();
                for (place, row) in rows.chunks_exact(DESIGN).enumerate() {
                    let row = Array1::from(row[..REGRESSORS].to_vec());
                    let mean = row.dot(&Array1::from(posterior.weights.clone()));
                    assert!(means[place] <= mean && means[place] > mean - 1e-5 * size);
                    let inverse = posterior.elimination.inverse_rows();
                    let entries: Vec<f64> = inverse.flatten().copied().collect();
                    let root = ArrayView2::from_shape((REGRESSORS, REGRESSORS), &entries).unwrap();
                    let solved = root.dot(&row);
                    let std_dev = (solved.dot(&solved) / posterior.alpha).sqrt();
                    assert!(
                        std_devs[place] >= std_dev && least * std_devs[place] <= std_dev,
                        "{logarithms:?}, {count}: {} {std_dev}",
                        std_devs[place]
                    );
                    let scale = std_dev + posterior.alpha.sqrt().recip();
                    let is_within = |share: f64, bound: f64| {
                        bound >= std_dev && bound < std_dev + share * scale
                    };
                    assert!(
                        is_within(1e-3, near[place]),
                        "{logarithms:?}: {} {std_dev}",
                        near[place]
                    );
                    if count > 28 && place < BLOCK / 2 && least > 0.01 {
                        assert!(
                            is_within(1e-3, std_devs[place]),
                            "{logarithms:?}, {count}: {place}"
                        );
                    }
                }
            }
        }
    }
}
