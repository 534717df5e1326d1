//! Bounds on what a regression predicts for the candidates of a block, from products in single precision.
//!
//! They leave the predictions in double precision to the few candidates whose improvement may be the greatest. With
//! regressors p (none beyond 1), posterior weights m, A = I + r Phi' Phi and u = 2^-24:
//!
//! - *Means.* Rounding m and summing D products in single precision moves m'p by at most (D + 1) u sum |m_j|; the bound is
//!   that much lower.
//! - *Standard deviations.* A partial Cholesky factor B of r Phi' Phi leaves a remainder without negative eigenvalues, so
//!   that A >= I + B B' and alpha s^2 = p' A^-1 p <= p'p - |T p|^2, with T = L^-1 B' and L L' = I + B' B.
//! - *Their rounding.* Each entry of T p is off by at most (D + 1) u sum |T_kj| and is taken that much nearer to 0; the
//!   remainder's eigenvalues are off by at most [`REMAINDER`] of the trace, which divides the bound by 1 - that.
//! - *Near ones.* With A = C C' alpha s^2 = |C^-1 p|^2. Where many candidates of a block are left this is computed in single
//!   precision: each entry is off by at most (D + 2) u sum |C^-1_kj| and is taken that much farther from 0.

use pulp::Simd;

use super::evidence::{Regression, RegressionPosterior};
use super::features::{FEATURES, REGRESSORS};
use crate::acquisition::maximisation::BLOCK;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::matrix_products::{Factor, Half, Start, multiply, multiply_by_own_transposed};
use crate::surrogate::joint_bounds::sum_squares;

/// Columns of the partial factor. More rule out more candidates and cost more for each.
const DIRECTIONS: usize = 7;

/// Rows of a block's product: the mean, then the directions.
const PRODUCTS: usize = 1 + DIRECTIONS;

/// u, the greatest relative error of a rounding to single precision.
const ROUNDING: f64 = 5.960_464_477_539_063e-8;

/// Above (D + 1) u for sums of D = 51 products, whatever their order.
const SUM_ROUNDING: f64 = 60.0 * ROUNDING;

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
pub(super) fn squared_lengths_with<'a, S: Simd>(
    _simd: S,
    features: &'a [f32],
    lengths: &'a mut [f32],
) {
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
    /// Of each product: its factors of the features.
    factors: Vec<f32>,
    /// Its summand for the constant regressor.
    constants: [f32; PRODUCTS],
    /// At least its error.
    margins: [f32; PRODUCTS],
    /// What a bound on alpha s^2 is multiplied by to be one on s^2.
    scale: f64,
    /// C^-1, row by row.
    inverse_factor: Vec<f32>,
    /// Minus at least the error of each entry of C^-1 p.
    inverse_margins: Vec<f32>,
    /// 1 / alpha.
    variance: f64,
}

impl PredictionBounds {
    /// Of the posterior of that regression.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if the directions' matrix cannot be factorised.
    pub(super) fn new(
        regression: &Regression,
        posterior: &RegressionPosterior,
    ) -> Result<Self, EngineError> {
        let ratio = posterior.beta / posterior.alpha;
        let (directions, trace) = directions(regression, ratio)?;
        let mut factors = Vec::with_capacity(PRODUCTS * FEATURES);
        let mut constants = [0.0; PRODUCTS];
        let mut margins = [0.0; PRODUCTS];
        for product in 0..PRODUCTS {
            let exact = |regressor: usize| match product.checked_sub(1) {
                None => posterior.weights[regressor],
                Some(direction) => directions[regressor * DIRECTIONS + direction],
            };
            let total: f64 = (0..REGRESSORS)
                .map(|regressor| exact(regressor).abs())
                .sum();
            margins[product] = (SUM_ROUNDING * total) as f32 + f32::MIN_POSITIVE;
            factors.extend((0..FEATURES).map(|feature| exact(feature) as f32));
            constants[product] = exact(FEATURES) as f32;
        }
        // With a remainder that is worth nothing the length alone bounds the deviation.
        let error = REMAINDER * trace;
        let is_known = error < 0.5;
        if !is_known {
            factors[FEATURES..].fill(0.0);
            constants[1..].fill(0.0);
        }
        let inflation = if is_known { 1.0 / (1.0 - error) } else { 1.0 };
        let mut inverse_factor = Vec::with_capacity(REGRESSORS * REGRESSORS);
        let mut inverse_margins = Vec::with_capacity(REGRESSORS);
        for row in posterior.elimination.inverse_rows() {
            inverse_factor.extend(row.iter().map(|entry| *entry as f32));
            let size: f64 = row.iter().map(|entry| entry.abs()).sum();
            inverse_margins.push(-((SUM_ROUNDING * size) as f32 + f32::MIN_POSITIVE));
        }
        Ok(Self {
            inverse_factor,
            inverse_margins,
            variance: 1.0 / posterior.alpha,
            factors,
            constants,
            margins,
            // A little above, as the standard deviation itself is rounded.
            scale: (1.0 + 1e-9) * inflation / posterior.alpha,
        })
    }

    /// Lower bounds on the means and upper bounds on the standard deviations of a block's candidates, from their
    /// features side by side and the squared lengths of their regressors.
    pub(super) fn bound(
        &self,
        features: &[f32],
        lengths: &[f32],
        means: &mut [f64],
        std_devs: &mut [f64],
    ) {
        let mut products = [0.0; PRODUCTS * BLOCK];
        let factors = Factor::new(&self.factors, FEATURES);
        multiply(
            factors,
            Factor::new(features, BLOCK),
            Start::Zero,
            &mut products,
        );
        combine(self, &mut products, lengths, means, std_devs);
    }

    /// Puts upper bounds that are near the standard deviations of the `open` candidates of a block, given by their places, into those
    /// places, from their regressors side by side. `products` is a buffer.
    pub(super) fn tighten(
        &self,
        regressors: &[f32],
        open: &[usize],
        products: &mut Vec<f32>,
        std_devs: &mut [f64],
    ) {
        products.resize(regressors.len(), 0.0);
        multiply(
            Factor::lower_triangular(&self.inverse_factor, REGRESSORS, REGRESSORS),
            Factor::new(regressors, open.len()),
            Start::Zero,
            products,
        );
        let mut sums = [0.0; BLOCK];
        let sums = &mut sums[..open.len()];
        sum_squares(products, &self.inverse_margins, sums);
        for (&place, sum) in open.iter().zip(sums) {
            let squared = (1.0 + SUM_ROUNDING) * self.variance * f64::from(*sum);
            std_devs[place] = std_devs[place].min(squared.sqrt());
        }
    }
}

#[pulp::with_simd(combine = pulp::Arch::new())]
#[inline(always)]
fn combine_with<'a, S: Simd>(
    _simd: S,
    bounds: &'a PredictionBounds,
    products: &'a mut [f32],
    lengths: &'a [f32],
    means: &'a mut [f64],
    std_devs: &'a mut [f64],
) {
    let (of_means, of_directions) = products.split_at_mut(BLOCK);
    let (constant, margin) = (bounds.constants[0], bounds.margins[0]);
    for (mean, product) in means.iter_mut().zip(of_means) {
        *mean = f64::from(*product) + f64::from(constant) - f64::from(margin);
    }
    let (reductions, others) = of_directions.split_at_mut(BLOCK);
    let rest = |product: f32, direction: usize| {
        let size = (product + bounds.constants[direction]).abs() - bounds.margins[direction];
        let size = if size > 0.0 { size } else { 0.0 };
        size * size
    };
    for reduction in &mut *reductions {
        *reduction = rest(*reduction, 1);
    }
    for (number, products) in others.chunks_exact(BLOCK).enumerate() {
        for (reduction, product) in reductions.iter_mut().zip(products) {
            *reduction += rest(*product, number + 2);
        }
    }
    for ((std_dev, reduction), length) in std_devs.iter_mut().zip(reductions).zip(lengths) {
        let reduction = (1.0 - SUM_ROUNDING) * f64::from(*reduction);
        let squared = f64::from(*length) - reduction;
        let squared = if squared > 0.0 { squared } else { 0.0 };
        *std_dev = (bounds.scale * squared).sqrt();
    }
}

/// T, column-major with a column per regressor, and the trace of r Phi' Phi.
fn directions(regression: &Regression, ratio: f64) -> Result<(Vec<f64>, f64), EngineError> {
    let width = REGRESSORS;
    let entry = |row: usize, column: usize| ratio * regression.gram(row, column);
    let mut remainder: Vec<f64> = (0..width).map(|index| entry(index, index)).collect();
    let trace = remainder.iter().sum();
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
    multiply_by_own_transposed(Factor::new(&partial, DIRECTIONS), Half::Upper, &mut factor);
    factor
        .iter_mut()
        .step_by(DIRECTIONS + 1)
        .for_each(|entry| *entry += 1.0);
    blas::cholesky(MatrixMut::square(&mut factor, DIRECTIONS, DIRECTIONS))?;
    let factor = MatrixRef::square(&factor, DIRECTIONS, DIRECTIONS);
    let right = MatrixMut::new(&mut partial, DIRECTIONS, width, DIRECTIONS);
    blas::solve_triangular(Triangular::Lower, factor, right);
    Ok((partial, trace))
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
        let regression = Regression::new(&design(&observed, &targets), REGRESSORS);
        let rows = design(&candidates.concat(), &[0.0; BLOCK]);
        let columns = |feature: usize| candidates.iter().map(move |row| row[feature]);
        let block: Vec<f32> = (0..FEATURES).flat_map(columns).collect();
        let mut lengths = [0.0; BLOCK];
        squared_lengths(&block, &mut lengths);
        // The last is past what double precision factorises.
        for (logarithms, least) in [
            ([0.3, 4.0], 0.02),
            ([3.0, -2.0], 0.02),
            ([-4.0, 6.0], 1e-3),
            ([-14.0, 16.0], 0.0),
        ] {
            let Ok(posterior) = regression.posterior(logarithms) else {
                assert_eq!(least, 0.0);
                continue;
            };
            let bounds = PredictionBounds::new(&regression, &posterior).unwrap();
            let (mut means, mut std_devs) = ([0.0; BLOCK], [0.0; BLOCK]);
            bounds.bound(&block, &lengths, &mut means, &mut std_devs);
            let mut near = [f64::INFINITY; BLOCK];
            let regressors = [&block[..], &[1.0; BLOCK]].concat();
            let open: Vec<usize> = (0..BLOCK).collect();
            bounds.tighten(&regressors, &open, &mut Vec::new(), &mut near);
            let size: f64 = posterior.weights.iter().map(|weight| weight.abs()).sum();
            for (place, row) in rows.chunks_exact(DESIGN).enumerate() {
                let row = Array1::from(row[..REGRESSORS].to_vec());
                let mean = row.dot(&Array1::from(posterior.weights.clone()));
                assert!(means[place] <= mean && means[place] > mean - 1e-5 * size);
                let entries: Vec<f64> = posterior
                    .elimination
                    .inverse_rows()
                    .flatten()
                    .copied()
                    .collect();
                let root = ArrayView2::from_shape((REGRESSORS, REGRESSORS), &entries).unwrap();
                let solved = root.dot(&row);
                let std_dev = (solved.dot(&solved) / posterior.alpha).sqrt();
                assert!(
                    std_devs[place] >= std_dev && least * std_devs[place] <= std_dev,
                    "{logarithms:?}: {} {std_dev}",
                    std_devs[place]
                );
                let error = near[place] - std_dev;
                let scale = std_dev + posterior.alpha.sqrt().recip();
                assert!(
                    error >= 0.0 && error < 1e-3 * scale,
                    "{logarithms:?}: {error}"
                );
            }
        }
    }
}
