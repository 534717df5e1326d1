//! Upper bounds on standard deviations given all observations, from correlations in single precision.
//!
//! The bound of [`super::single_precision`] knows the nearest observation alone and leaves too many candidates where
//! observations are dense. This one costs as much as a triangular solve in single precision, and leaves few of those. With k
//! the covariances of a candidate and the observations, L L' = K + v I, X the rounded inverse of L and u = 2^-24:
//!
//! - *Any X will do.* X k = (X L) L^-1 k, so that |X k| <= N |L^-1 k| with N the norm of X L, and the variance s - |L^-1 k|^2 is
//!   at most s - |X k|^2 / N^2.
//! - *N.* Rounding L^-1 moves no entry by more than u of it: N <= 1 + u |L^-1| |L| in Frobenius' norms. The inverse's own errors in
//!   double precision are far below that and share its margin.
//! - *Products.* With correlations that are off by e at most, entry i of X k is off by at most (e + (n + 3) u) s sum |X_ij|; it is
//!   taken that much nearer to 0.

use pulp::Simd;

use super::gaussian_process::GaussianProcess;
use super::single_precision::ROUNDING;
use crate::acquisition::maximisation::BLOCK;
use crate::matrix_products::{Factor, Start, multiply};

/// Open candidates of a block from which on the bound costs less than what it saves.
const LEAST_OPEN: usize = 8;

/// The inverse of a process's Cholesky factor, rounded when it is first worth it.
#[derive(Default)]
pub(super) struct JointBounds {
    state: State,
    /// Open candidates seen under the process.
    seen: usize,
    /// s X, row by row.
    rows: Vec<f32>,
    /// At least the error of each product.
    margins: Vec<f32>,
    /// 1 / N^2.
    share: f64,
    /// Correlations of the open candidates, observation by observation.
    open: Vec<f32>,
    products: Vec<f32>,
}

#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Missing,
    Known,
    /// Past what single precision can bound.
    Unbounded,
}

impl JointBounds {
    /// Begins with another process.
    pub(super) fn reset(&mut self) {
        self.state = State::Missing;
        self.seen = 0;
    }

    /// Lowers the `bounds` of the `open` candidates of a block, given by their places. `correlate` appends their correlations,
    /// observation by observation, which are off by `error` at most. False if nothing was lowered.
    pub(super) fn tighten(
        &mut self,
        process: &GaussianProcess,
        (correlate, error): (impl FnOnce(&mut Vec<f32>), f64),
        open: &[usize],
        bounds: &mut [f64],
    ) -> bool {
        let count = process.count();
        self.seen += open.len();
        // Rounding the inverse costs about as much as it saves for that many candidates.
        if open.len() < LEAST_OPEN || self.seen < count {
            return false;
        }
        if self.state == State::Missing {
            self.state = self.set(process, error);
        }
        if self.state == State::Unbounded {
            return false;
        }
        self.open.clear();
        correlate(&mut self.open);
        self.products.resize(count * open.len(), 0.0);
        multiply(
            Factor::lower_triangular(&self.rows, count, count),
            Factor::new(&self.open, open.len()),
            Start::Zero,
            &mut self.products,
        );
        let mut reductions = [0.0; BLOCK];
        let reductions = &mut reductions[..open.len()];
        sum_squares(&self.products, &self.margins, reductions);
        let signal = process.posterior().signal;
        let share = self.share * (1.0 - (count + 4) as f64 * ROUNDING);
        for (&place, reduction) in open.iter().zip(reductions) {
            let rest = (signal - share * f64::from(*reduction)).max(0.0);
            // A little above, as the standard deviation itself is rounded.
            bounds[place] = bounds[place].min((rest + 1e-9 * signal).sqrt());
        }
        true
    }

    fn set(&mut self, process: &GaussianProcess, error: f64) -> State {
        let (count, factor) = (process.count(), process.factor());
        let signal = process.posterior().signal;
        let columns = (0..count).map(|column| &factor.column(column)[column..]);
        let size: f64 = columns.map(|column| sum_sizes(2, column)).sum();
        let inverse = process.inverse_rows();
        let inverse_size: f64 = inverse.map(|row| sum_sizes(2, row)).sum();
        let norm = 1.0 + 1.01 * ROUNDING * (size * inverse_size).sqrt();
        self.share = 1.0 / (norm * norm);
        self.rows.clear();
        self.rows.resize(count * count, 0.0);
        self.margins.clear();
        let relative = error + (count + 3) as f64 * ROUNDING * (1.0 + error);
        for (row, exact) in self
            .rows
            .chunks_exact_mut(count)
            .zip(process.inverse_rows())
        {
            for (entry, exact) in row.iter_mut().zip(exact) {
                *entry = (signal * exact) as f32;
            }
            // Rounding adds u of each at most.
            let total = (1.0 + 2.0 * ROUNDING) * signal * sum_sizes(1, exact);
            let margin = (1.0 + ROUNDING) * relative * total;
            self.margins.push(margin as f32 + f32::MIN_POSITIVE);
        }
        let is_known = self.margins.iter().all(|margin| margin.is_finite());
        if is_known {
            State::Known
        } else {
            State::Unbounded
        }
    }
}

/// Numbers that are summed side by side.
const LANES: usize = 8;

/// The sum of the sizes of the numbers to the power 1 or 2.
#[pulp::with_simd(sum_sizes = pulp::Arch::new())]
#[inline(always)]
fn sum_sizes_with<S: Simd>(_simd: S, power: u32, numbers: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    let size = |number: f64| {
        if power == 1 {
            number.abs()
        } else {
            number * number
        }
    };
    let (groups, rest) = numbers.as_chunks::<LANES>();
    for numbers in groups {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += size(*number);
        }
    }
    for (sum, number) in sums.iter_mut().zip(rest) {
        *sum += size(*number);
    }
    sums.iter().sum()
}

/// Adds up the squares of the products of each candidate, which lie side by side, after each product was taken its margin nearer to 0; a
/// negative margin takes it farther.
#[pulp::with_simd(sum_squares = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn sum_squares_with<'a, S: Simd>(
    _simd: S,
    products: &'a [f32],
    margins: &'a [f32],
    sums: &'a mut [f32],
) {
    for (products, margin) in products.chunks_exact(sums.len()).zip(margins) {
        for (sum, product) in sums.iter_mut().zip(products) {
            let size = product.abs() - margin;
            let size = if size > 0.0 { size } else { 0.0 };
            *sum = size.mul_add(size, *sum);
        }
    }
}
