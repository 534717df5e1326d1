//! Bounds on what a process predicts for all candidates of a grid, from a few products of matrices.
//!
//! The candidates run through the combinations a of the first group of hyperparameters in ascending order, again and again: the
//! combination b of the others stays the same within a run. The squared distance to observation i is then x_ia + y_ib. With
//! A = s sum |alpha_i|, u = 2^-24 and n observations:
//!
//! - *Means.* M(r) = sum_q c_q exp(-l_q r^2) but for e ([`Kernel::exponentials`]), and exp(-l r^2) = exp(-l x) exp(-l y): the sums of
//!   all candidates are the products of s alpha_i c_q exp(-l_q y_ib), transposed, and exp(-l_q x_ia), one for each q.
//! - *Their error.* An exponential is off by 3 u of its exponent, so by 3 u / e < 1.2 u, and by 3e-7 < 5.1 u in itself; a term has two,
//!   and two more roundings: 16 u at most. Adding a term is off by u of the sum so far. While the n terms of exponential q are added,
//!   that is at most A C_q, with C_q the sum of the first q shares: in all A (e + (n sum_q C_q + 16) u).
//! - *Standard deviations.* The least x_ia + y_ib, off by 3 u of itself, gives the greatest correlation, which bounds a deviation as in
//!   [`super::single_precision`].

use std::f64::consts::LOG2_E;

use pulp::Simd;

use super::gaussian_process::Posterior;
use super::kernel::Kernel;
use super::pool_columns::{LookUps, PoolColumns};
use super::single_precision::{EVALUATION, ROUNDING, bound_deviations, bound_means, round};
use crate::acquisition::maximisation::BLOCK;
use crate::matrix_products::{Factor, Number, add_product};
use crate::special::exponential::exp2_neg_in_single_precision;

/// Runs whose nearest observations are looked for together, in registers.
const TOGETHER: usize = 8;

/// The negated exponent of the least power of two: lower ones are raised to 2^-50, as products of two of them would underflow, which
/// takes many times as long. That moves a term by less than 1e-15 of what it is at distance 0.
const LEAST_POWER: f32 = 50.0;

/// At least the error of a correlation.
pub(super) const MARGIN: f64 = EVALUATION + 3.0 * ROUNDING;

/// Above this share of the prior standard deviation the margin of the means would leave too many candidates.
const GREATEST_MARGIN: f64 = 0.1;

/// Bounds for all candidates of a grid under one process.
#[derive(Default)]
pub(super) struct GridBounds {
    kernel: Kernel,
    /// Combinations of the first group.
    run_length: usize,
    /// x and y, observation by observation. Behind the last y there are [`TOGETHER`] more entries.
    inner: Vec<f32>,
    outer: Vec<f32>,
    /// The factors of a product, of one exponential.
    inner_terms: Vec<f32>,
    outer_terms: Vec<f32>,
    /// Of each candidate: the sum of s alpha_i M_i, and the squared distance of the nearest observation.
    sums: Vec<f32>,
    nearest: Vec<f32>,
    mean_margin: f64,
}

impl GridBounds {
    /// Bounds what a process predicts for all candidates of a pool. False if that is no grid or the bounds are too loose to be of use.
    pub(super) fn set(
        &mut self,
        posterior: &Posterior,
        columns: &PoolColumns,
        look_ups: &LookUps,
    ) -> bool {
        let Some(run_length) = columns.run_length else {
            return false;
        };
        let (exponentials, error) = posterior.kernel.exponentials();
        let observed = posterior.alpha.len();
        let (mut share_so_far, mut roundings) = (0.0, 16.0);
        for [_, share] in exponentials {
            share_so_far += share;
            roundings += observed as f64 * share_so_far;
        }
        let sizes = posterior.alpha.iter().map(|alpha| alpha.abs());
        let size = posterior.signal * sizes.sum::<f64>();
        self.mean_margin =
            size * (error + 1.01 * roundings * ROUNDING) + 1e-12 * posterior.mean.abs();
        self.kernel = posterior.kernel;
        // Not so for what is not a number, either.
        let is_near = self.mean_margin <= GREATEST_MARGIN * posterior.signal.sqrt();
        if observed == 0 || !is_near {
            return false;
        }
        self.run_length = run_length;
        let runs = columns.groups[0].codes.len() / run_length;
        round(&look_ups[0], &mut self.inner);
        let of_runs = columns.run_distances(look_ups, observed);
        round(&of_runs, &mut self.outer);
        self.sums.clear();
        self.sums.resize(runs * run_length, 0.0);
        for [rate, share] in exponentials {
            let rate = rate * LOG2_E;
            self.inner_terms.clear();
            append_exponentials(&self.inner, rate, 1.0, &mut self.inner_terms);
            self.outer_terms.clear();
            for (distances, alpha) in self.outer.chunks_exact(runs).zip(&posterior.alpha) {
                let factor = posterior.signal * share * alpha;
                append_exponentials(distances, rate, factor, &mut self.outer_terms);
            }
            let outer = Factor::new(&self.outer_terms, runs).transposed();
            let inner = Factor::new(&self.inner_terms, run_length);
            add_product(outer, inner, None, &mut self.sums, run_length);
        }
        self.outer.extend([0.0; TOGETHER]);
        self.nearest.resize(runs * run_length, 0.0);
        find_nearest(&self.inner, &self.outer, run_length, &mut self.nearest);
        true
    }

    /// Lower bounds on the means and upper bounds on the standard deviations of the candidates from `first` on.
    pub(super) fn bound(
        &self,
        posterior: &Posterior,
        first: usize,
        means: &mut [f64],
        std_devs: &mut [f64],
    ) {
        let block = first..first + means.len();
        let mut correlations = [0.0; BLOCK];
        let correlations = &mut correlations[..means.len()];
        correlations.copy_from_slice(&self.nearest[block.clone()]);
        correlate(self.kernel, correlations);
        bound_means(posterior, (&self.sums[block], self.mean_margin), means);
        bound_deviations(posterior, (correlations, MARGIN), std_devs);
    }

    /// Appends the correlations of the candidates at some places of the block from `first` on with the observations of these numbers,
    /// observation by observation, which are off by [`MARGIN`] at most.
    pub(super) fn append_correlations(
        &self,
        observed: &[usize],
        (first, places): (usize, &[u8]),
        correlations: &mut Vec<f32>,
    ) {
        let start = correlations.len();
        append_distances(self, observed, (first, places), correlations);
        correlate(self.kernel, &mut correlations[start..]);
    }
}

/// Appends `factor` times 2^(-rate r^2) for each r^2.
#[pulp::with_simd(append_exponentials = pulp::Arch::new())]
#[inline(always)]
fn append_exponentials_with<S: Simd>(
    _simd: S,
    squared: &[f32],
    rate: f64,
    factor: f64,
    terms: &mut Vec<f32>,
) {
    let (rate, factor) = (rate as f32, factor as f32);
    terms.extend(squared.iter().map(|squared| {
        let power = rate * squared;
        let power = if power < LEAST_POWER {
            power
        } else {
            LEAST_POWER
        };
        factor * exp2_neg_in_single_precision(power)
    }));
}

/// Appends the squared distances between the candidates at some places of the block from `first` on and the observations of these
/// numbers. Adding up those of the whole block costs less than looking up both terms place by place.
#[pulp::with_simd(append_distances = pulp::Arch::new())]
#[inline(always)]
fn append_distances_with<S: Simd>(
    _simd: S,
    bounds: &GridBounds,
    observed: &[usize],
    (first, places): (usize, &[u8]),
    distances: &mut Vec<f32>,
) {
    let (candidates, run_length) = (bounds.sums.len(), bounds.run_length);
    let runs = candidates / run_length;
    let end = candidates.min(first + BLOCK);
    let runs_of_block = first / run_length..end.div_ceil(run_length);
    let mut of_block = [0.0; BLOCK];
    for &number in observed {
        let inner = &bounds.inner[number * run_length..][..run_length];
        let outer_distances = &bounds.outer[number * runs..][runs_of_block.clone()];
        for (run, outer_distance) in runs_of_block.clone().zip(outer_distances) {
            let start = run * run_length;
            let of_run = start.max(first)..end.min(start + run_length);
            let sums = &mut of_block[of_run.start - first..of_run.end - first];
            let inner_distances = &inner[of_run.start - start..];
            for (sum, inner_distance) in sums.iter_mut().zip(inner_distances) {
                *sum = inner_distance + outer_distance;
            }
        }
        distances.extend(places.iter().map(|&place| of_block[usize::from(place)]));
    }
}

/// Turns r^2 into correlations.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<S: Simd>(_simd: S, kernel: Kernel, entries: &mut [f32]) {
    kernel.correlations_in_single_precision(entries);
}

/// The least sum of an inner and an outer distance over the observations, run by run.
#[pulp::with_simd(find_nearest = pulp::Arch::new())]
#[inline(always)]
fn find_nearest_with<S: Simd>(
    simd: S,
    inner: &[f32],
    outer: &[f32],
    run_length: usize,
    nearest: &mut [f32],
) {
    let runs = nearest.len() / run_length;
    let lanes = size_of::<S::f32s>() / size_of::<f32>();
    for first in (0..runs).step_by(TOGETHER) {
        let of_runs = &mut nearest[first * run_length..];
        for start in (0..run_length).step_by(lanes) {
            let places = start..run_length.min(start + lanes);
            let mut least = [simd.splat_f32s(f32::MAX); TOGETHER];
            for (number, of_observation) in inner.chunks_exact(run_length).enumerate() {
                let vector = Number::load(simd, &of_observation[places.clone()]);
                // Behind the last run there are other numbers, of which nothing is stored.
                let entries = &outer[number * runs + first..][..TOGETHER];
                for (own, entry) in least.iter_mut().zip(entries) {
                    let distance = simd.add_f32s(vector, simd.splat_f32s(*entry));
                    *own = simd.min_f32s(distance, *own);
                }
            }
            for (of_run, own) in of_runs.chunks_exact_mut(run_length).zip(least) {
                Number::store(simd, &mut of_run[places.clone()], own);
            }
        }
    }
}

#[cfg(test)]
mod tests;
