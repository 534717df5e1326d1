//! Upper bounds on standard deviations given many observations, from correlations in single precision.
//!
//! The bound of [`super::single_precision`] knows the nearest observation alone and leaves too many candidates where
//! observations are dense. One given all observations costs as much as a triangular solve in single precision, and leaves few of those. One
//! given half of them costs a quarter of that, and comes first. With k the covariances of a candidate and the observations, L L' = K + v I,
//! X the rounded inverse of L and u = 2^-24:
//!
//! - *Half of the observations.* More of them only lower a variance.
//! - *Any X will do.* X k = (X L) L^-1 k, so that |X k| <= N |L^-1 k| with N the norm of X L, and the variance s - |L^-1 k|^2 is
//!   at most s - |X k|^2 / N^2.
//! - *N.* Rounding L^-1 moves no entry by more than u of it: N <= 1 + u |L^-1| |L| in Frobenius' norms. The errors of L and its
//!   inverse in double precision are far below that; a tenth more is for them.
//! - *Products.* X is lower triangular, so that entry i of X k is a sum of i terms, counted from 1. With correlations that are off by e
//!   at most it is off by at most (e + (i + 3) u) s sum |X_ij|; it is taken that much nearer to 0.

use std::cell::OnceCell;
use std::ops::RangeInclusive;

use pulp::Simd;

use super::gaussian_process::{GaussianProcess, Posterior};
use super::pool_bounds::PoolBounds;
use super::single_precision::ROUNDING;
use super::spread_half::SpreadHalf;
use crate::acquisition::maximisation::{BLOCK, Effort};
use crate::elimination::Elimination;
use crate::matrix_products::{Factor, Start, multiply};

/// Open candidates of a block from which on they are bounded given all observations.
const LEAST_OPEN: usize = 2;

/// Open candidates of a block from which on they are bounded given half of the observations before.
const LEAST_OPEN_FOR_HALF: usize = 32;

/// Open candidates seen under a process from which on half of its observations are chosen.
const LEAST_SEEN_FOR_HALF: usize = 1024;

/// Numbers of observations of which half are chosen. Bounds given fewer cost little anyway; with more, single precision rules out few
/// candidates and choosing takes memory.
const OBSERVATIONS_FOR_HALF: RangeInclusive<usize> = 16..=512;

/// Bounds under one process, given half of its observations and given all.
#[derive(Default)]
pub(super) struct JointBounds {
    /// Open candidates seen under the process.
    seen: usize,
    /// None, so that bounds stay as they are, if half of the observations have a kernel matrix that cannot be factorised or if margins
    /// are past single precision.
    given_half: OnceCell<Option<Reductions>>,
    given_all: OnceCell<Option<Reductions>>,
    /// Correlations of the open candidates, observation by observation.
    open: Vec<f32>,
    products: Vec<f32>,
}

impl JointBounds {
    /// Lowers the bounds on the deviations of the `open` candidates of the block that `pool` bounded last, given by their places: with less
    /// effort given half of the observations, with more given all. False if nothing was lowered.
    pub(super) fn tighten(
        &mut self,
        process: &GaussianProcess,
        effort: Effort,
        pool: &PoolBounds,
        open: &[usize],
        std_devs: &mut [f64],
    ) -> bool {
        if effort == Effort::Less {
            self.seen += open.len();
        }
        if !self.is_worth_it(process.count(), effort, open.len()) {
            return false;
        }
        let (posterior, error) = (process.posterior(), pool.margin());
        let reductions = match effort {
            Effort::Less => self.given_half.get_or_init(|| {
                let half = SpreadHalf::new(process).ok()?;
                Reductions::new(half.numbers, &half.elimination, posterior, error)
            }),
            Effort::More => self.given_all.get_or_init(|| {
                let all = (0..process.count()).collect();
                Reductions::new(all, process.elimination(), posterior, error)
            }),
        };
        let Some(reductions) = reductions else {
            return false;
        };
        self.open.clear();
        pool.append_correlations(&reductions.observed, open, &mut self.open);
        let correlations = (&self.open[..], open);
        reductions.lower(posterior.signal, correlations, &mut self.products, std_devs);
        true
    }

    /// Whether a bound costs less than what it saves, given so many observations in all and so many open candidates of a block.
    fn is_worth_it(&self, count: usize, effort: Effort, open: usize) -> bool {
        match effort {
            Effort::Less => {
                OBSERVATIONS_FOR_HALF.contains(&count)
                    && open >= LEAST_OPEN_FOR_HALF
                    && self.seen >= LEAST_SEEN_FOR_HALF
            }
            // Rounding the inverse costs about as much as it saves for that many candidates.
            Effort::More => open >= LEAST_OPEN && self.seen >= count,
        }
    }
}

/// What bounds how much some observations lower the variances of candidates.
struct Reductions {
    /// The numbers of the observations.
    observed: Vec<usize>,
    /// s X, row by row.
    rows: Vec<f32>,
    /// At least the error of each product.
    margins: Vec<f32>,
    /// 1 / N^2.
    share: f64,
}

impl Reductions {
    /// Of the observations of these numbers, whose kernel matrix is that of the `elimination`. Correlations with them are off by `error`
    /// at most. None if margins are past single precision.
    fn new(
        observed: Vec<usize>,
        elimination: &Elimination,
        posterior: &Posterior,
        error: f64,
    ) -> Option<Self> {
        let (signal, count) = (posterior.signal, observed.len());
        let mut rows = Vec::with_capacity(count * count);
        let mut margins = Vec::with_capacity(count);
        let mut inverse_squares = 0.0;
        for (exact, terms) in elimination.inverse_rows().zip(1..) {
            let (sizes, squares) = sum_sizes(exact);
            inverse_squares += squares;
            let relative = error + f64::from(terms + 3) * ROUNDING * (1.0 + error);
            rows.extend(exact.iter().map(|exact| (signal * exact) as f32));
            // Rounding adds u of each at most.
            let total = (1.0 + 2.0 * ROUNDING) * signal * sizes;
            let margin = (1.0 + ROUNDING) * relative * total;
            margins.push(margin as f32 + f32::MIN_POSITIVE);
        }
        // |L|^2 is the trace of L L'.
        let squares = count as f64 * (signal + posterior.noise);
        let norm = 1.0 + 1.1 * ROUNDING * (squares * inverse_squares).sqrt();
        let is_known = margins.iter().all(|margin| margin.is_finite());
        is_known.then_some(Self {
            observed,
            rows,
            margins,
            share: 1.0 / (norm * norm),
        })
    }

    /// Lowers the bounds of the open candidates, given by their correlations with these observations and their places.
    fn lower(
        &self,
        signal: f64,
        (correlations, open): (&[f32], &[usize]),
        products: &mut Vec<f32>,
        bounds: &mut [f64],
    ) {
        let count = self.observed.len();
        products.resize(count * open.len(), 0.0);
        multiply(
            Factor::lower_triangular(&self.rows, count, count),
            Factor::new(correlations, open.len()),
            Start::Zero,
            products,
        );
        let mut block = [0.0; BLOCK];
        let reductions = &mut block[..open.len()];
        sum_squares(products, &self.margins, reductions);
        let share = self.share * (1.0 - (count + 4) as f64 * ROUNDING);
        for (&place, reduction) in open.iter().zip(reductions) {
            let rest = (signal - share * f64::from(*reduction)).max(0.0);
            // A little above, as the standard deviation itself is rounded.
            bounds[place] = bounds[place].min((rest + 1e-9 * signal).sqrt());
        }
    }
}

/// Numbers that are summed side by side.
const LANES: usize = 8;

/// The sum of the sizes of the numbers, and that of their squares.
#[pulp::with_simd(sum_sizes = pulp::Arch::new())]
#[inline(always)]
fn sum_sizes_with<S: Simd>(_simd: S, numbers: &[f64]) -> (f64, f64) {
    let (mut sizes, mut squares) = ([0.0; LANES], [0.0; LANES]);
    let mut add = |numbers: &[f64]| {
        let sums = sizes.iter_mut().zip(&mut squares);
        for ((sizes, squares), number) in sums.zip(numbers) {
            *sizes += number.abs();
            *squares += number * number;
        }
    };
    let (groups, rest) = numbers.as_chunks::<LANES>();
    groups.iter().for_each(|numbers| add(numbers));
    add(rest);
    (sizes.iter().sum(), squares.iter().sum())
}

/// Adds up the squares of the products of each candidate, which lie side by side, after each product was taken its margin nearer to 0; a
/// negative margin takes it farther.
#[pulp::with_simd(sum_squares = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn sum_squares_with<S: Simd>(
    _simd: S,
    products: &[f32],
    margins: &[f32],
    sums: &mut [f32],
) {
    for (products, margin) in products.chunks_exact(sums.len()).zip(margins) {
        for (sum, product) in sums.iter_mut().zip(products) {
            let size = product.abs() - margin;
            let size = if size > 0.0 { size } else { 0.0 };
            *sum = size.mul_add(size, *sum);
        }
    }
}
