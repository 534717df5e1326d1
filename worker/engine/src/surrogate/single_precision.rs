//! Bounds on what a process predicts for the candidates of a block, from kernels in single precision.
//!
//! They take a fifth of the time of the predictions in double precision, which then are left to the candidates that the
//! bounds do not rule out. With s the signal variance, v the noise variance, M the correlations and e
//! (`margin`) at least the error of each:
//!
//! - *Correlations.* Coordinate k is rounded after it is multiplied by sqrt(w_k). With c at least the size of each coordinate, that moves
//!   the difference of two by at most c sqrt(w_k) 2^-23 and thus the scaled distance r by at most c sqrt(sum w_k) 2^-23. Encoded
//!   configurations have c = 1, features of them may be larger. A sum of t terms moves r by at most r (t + 4) 2^-25: that is r t 2^-24
//!   at most or, with fewer than four terms, less than r 2^-23 more. |dM/dr| and |r dM/dr| are below 1 for both kernels, so that M
//!   moves by no more than that, and [`EVALUATION`] is above the error of M itself and those 2^-23 together.
//! - *Means.* With A = s sum |alpha_i|, the sum of n products s alpha_i M_i is off by at most A e, and by
//!   A 2^-24 for each of n + 2 roundings; the bound is that much lower.
//! - *Standard deviations.* Given one observation alone the variance is s - (s M_i)^2 / (s + v), and more observations only
//!   lower it; M_i is at least the greatest correlation found less e. With u = 2^-24 the difference, the square, the product with
//!   s / (s + v) and what is left of 1 are off by u at most each, the root by u of itself: 2 u more are subtracted from the correlation, 8 u
//!   are added to 1, and the root is taken 4 u of itself higher.

use std::ops::Range;

use pulp::Simd;

use super::gaussian_process::Posterior;
use super::kernel::Kernel;
use super::pool_columns::{LookUps, PoolColumns};
use super::pool_distances::TOGETHER;
use crate::acquisition::maximisation::BLOCK;

/// Above the error of a correlation for a rounded distance: a test holds it below 7e-7.
pub(super) const EVALUATION: f64 = 1.5e-6;

/// 2^-24: the greatest relative error of a rounding to single precision.
pub(crate) const ROUNDING: f64 = 5.960_464_477_539_063e-8;

/// A process in single precision.
#[derive(Default)]
pub(super) struct SingleProcess {
    kernel: Kernel,
    /// sqrt(w) of each numeric coordinate.
    scales: Vec<f64>,
    /// The numeric coordinates of each observed point times their scales, one point after the other.
    points: Vec<f32>,
    /// Those of the candidates of a block, coordinate by coordinate, [`BLOCK`] apart.
    candidates: Vec<f32>,
    look_ups: Vec<Vec<f32>>,
    /// s alpha.
    factors: Vec<f32>,
    /// At least the error of a correlation.
    margin: f64,
    /// What is subtracted from the sum of a mean, beside the constant mean that is added.
    mean_margin: f64,
    /// Of the block last bounded: the correlations with each observed point, [`BLOCK`] apart.
    correlations: Vec<f32>,
}

impl SingleProcess {
    /// Rounds a process on `points`, with their look-ups.
    pub(super) fn set(
        &mut self,
        posterior: &Posterior,
        points: &[f64],
        columns: &PoolColumns,
        look_ups: &LookUps,
    ) {
        self.kernel = posterior.kernel;
        let coordinates = || columns.numeric.iter().map(|(coordinate, _)| *coordinate);
        let scales = coordinates().map(|coordinate| posterior.weights[coordinate].sqrt());
        self.scales.clear();
        self.scales.extend(scales);
        self.points.clear();
        for point in points.chunks_exact(posterior.weights.len()) {
            let pairs = coordinates().zip(&self.scales);
            let scaled = pairs.map(|(coordinate, scale)| (scale * point[coordinate]) as f32);
            self.points.extend(scaled);
        }
        self.candidates.resize(self.scales.len() * BLOCK, 0.0);
        self.look_ups.resize(look_ups.len(), Vec::new());
        for (rounded, exact) in self.look_ups.iter_mut().zip(look_ups) {
            round(exact, rounded);
        }
        let factors = posterior.alpha.iter().map(|alpha| posterior.signal * alpha);
        self.factors.clear();
        self.factors
            .extend(factors.clone().map(|factor| factor as f32));
        let weight: f64 = self.scales.iter().map(|scale| scale * scale).sum();
        let sizes = points.iter().map(|coordinate| coordinate.abs());
        let largest = sizes.fold(columns.largest, f64::max);
        let of_coordinates = 2.0 * largest * weight.sqrt();
        self.margin = EVALUATION + ROUNDING * (columns.terms() as f64 + of_coordinates);
        let size: f64 = factors.map(f64::abs).sum();
        let roundings = (posterior.alpha.len() + 2) as f64;
        self.mean_margin =
            size * (self.margin + roundings * ROUNDING) + 1e-12 * posterior.mean.abs();
    }

    /// At least the error of a correlation.
    pub(super) fn margin(&self) -> f64 {
        self.margin
    }

    /// Appends the correlations of the candidates at some places of the block last bounded with the observed points of these numbers,
    /// point by point.
    pub(super) fn append_correlations(
        &self,
        observed: &[usize],
        places: &[u8],
        correlations: &mut Vec<f32>,
    ) {
        let columns = self.correlations.as_chunks::<BLOCK>().0;
        for column in observed.iter().map(|&number| &columns[number]) {
            let of_open = places.iter().map(|&place| column[usize::from(place)]);
            correlations.extend(of_open);
        }
    }

    /// Lower bounds on the means and upper bounds on the standard deviations of the candidates from `first` on.
    pub(super) fn bound(
        &mut self,
        posterior: &Posterior,
        columns: &PoolColumns,
        first: usize,
        means: &mut [f64],
        std_devs: &mut [f64],
    ) {
        let size = means.len();
        self.correlations.resize(posterior.alpha.len() * BLOCK, 0.0);
        let (mut sums, mut greatest) = ([0.0; BLOCK], [0.0; BLOCK]);
        correlate(self, columns, first..first + size, &mut sums, &mut greatest);
        let (sums, greatest) = (&sums[..size], &greatest[..size]);
        bound_means(posterior, (sums, self.mean_margin), means);
        bound_deviations(posterior, (greatest, self.margin), std_devs);
    }
}

/// Replaces the `rounded` numbers by the `exact` ones in single precision.
pub(super) fn round(exact: &[f64], rounded: &mut Vec<f32>) {
    rounded.clear();
    rounded.extend(exact.iter().map(|number| *number as f32));
}

#[pulp::with_simd(bound_means = pulp::Arch::new())]
#[inline(always)]
pub(super) fn bound_means_with<S: Simd>(
    _simd: S,
    posterior: &Posterior,
    (sums, margin): (&[f32], f64),
    means: &mut [f64],
) {
    for (mean, sum) in means.iter_mut().zip(sums) {
        *mean = f64::from(*sum) + posterior.mean - margin;
    }
}

#[pulp::with_simd(bound_deviations = pulp::Arch::new())]
#[inline(always)]
pub(super) fn bound_deviations_with<S: Simd>(
    _simd: S,
    posterior: &Posterior,
    (greatest, margin): (&[f32], f64),
    std_devs: &mut [f64],
) {
    // Roots in double precision took more than half of the time of a block's bounds.
    let excess = (margin + 2.0 * ROUNDING) as f32;
    let share_of_signal = posterior.signal / (posterior.signal + posterior.noise);
    let share = ((1.0 - 2.0 * ROUNDING) * share_of_signal) as f32;
    let one = (1.0 + 8.0 * ROUNDING) as f32;
    let largest = (1.0 + 4.0 * ROUNDING) * posterior.signal.sqrt();
    for (std_dev, greatest) in std_devs.iter_mut().zip(greatest) {
        let difference = greatest - excess;
        let correlation = if difference > 0.0 { difference } else { 0.0 };
        let rest = one - share * (correlation * correlation);
        *std_dev = largest * f64::from(rest.sqrt());
    }
}

/// Sums of factor times correlation, and the greatest correlations, of a range of candidates, compiled for each kind of processor.
#[pulp::with_simd(correlate = pulp::Arch::new())]
#[inline(always)]
fn correlate_with<S: Simd>(
    _simd: S,
    process: &mut SingleProcess,
    columns: &PoolColumns,
    range: Range<usize>,
    sums: &mut [f32; BLOCK],
    greatest: &mut [f32; BLOCK],
) {
    let width = process.scales.len();
    let candidates = process.candidates.as_chunks_mut::<BLOCK>().0;
    let numeric = columns.numeric.iter().zip(&process.scales);
    for (((_, values), scale), scaled) in numeric.zip(&mut *candidates) {
        for (entry, value) in scaled.iter_mut().zip(&values[range.clone()]) {
            *entry = (scale * value) as f32;
        }
    }
    let observed = process.correlations.as_chunks_mut::<BLOCK>().0;
    for (index, (factor, block)) in process.factors.iter().zip(observed).enumerate() {
        let point = &process.points[index * width..][..width];
        for (part, distances) in block.as_chunks_mut::<TOGETHER>().0.iter_mut().enumerate() {
            // An array of its own stays in registers.
            let mut own = [0.0; TOGETHER];
            for (scaled, centre) in candidates.iter().zip(point) {
                let values = &scaled.as_chunks::<TOGETHER>().0[part];
                for (sum, value) in own.iter_mut().zip(values) {
                    let difference = value - centre;
                    *sum = difference.mul_add(difference, *sum);
                }
            }
            *distances = own;
        }
        let look_ups = (&process.look_ups[..], index);
        columns.add_group_distances(look_ups, range.clone(), &mut block[..range.len()]);
        process.kernel.correlations_in_single_precision(block);
        let of_candidates = sums.iter_mut().zip(&mut *greatest).zip(block);
        for ((sum, most), correlation) in of_candidates {
            *sum = factor.mul_add(*correlation, *sum);
            // The compiler turns a comparison into a masked store, which is slow on some processors without AVX-512.
            *most = most.max(*correlation);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::matern::correlation;
    use crate::table::encoding::{Column, Space};

    #[test]
    fn bounds_hold_for_coordinates_of_any_size_and_are_no_looser_than_needed() {
        const COUNT: usize = 150;
        for size in [1.0, 20.0, 3000.0] {
            // Candidates and observations lie close together, far from zero.
            let coordinate = |number: usize, step: f64| size + (step * number as f64) % 1.0 - 1.0;
            let columns = [0.618, 0.414].map(|step| -> Vec<f64> {
                (0..COUNT).map(|number| coordinate(number, step)).collect()
            });
            let points: Vec<f64> = (0..3)
                .flat_map(|number| [coordinate(number, 0.271), coordinate(number, 0.837)])
                .collect();
            let posterior = Posterior {
                weights: vec![2.0, 0.7],
                signal: 1.3,
                noise: 0.01,
                mean: 0.2,
                alpha: vec![0.8, -0.5, 0.3],
                ..Posterior::default()
            };
            let pool = PoolColumns::new(
                &Space::numeric(2),
                &columns.clone().map(Column::Numeric),
                &mut (0..COUNT as u32).collect::<Vec<_>>(),
            );
            let mut process = SingleProcess::default();
            process.set(&posterior, &points, &pool, &LookUps::default());
            let (mut means, mut std_devs) = ([0.0; COUNT], [0.0; COUNT]);
            process.bound(&posterior, &pool, 0, &mut means, &mut std_devs);

            let mut greatest_error = 0.0_f64;
            for row in 0..COUNT {
                let (mut mean, mut nearest) = (posterior.mean, 0.0_f64);
                for (number, point) in points.chunks_exact(2).enumerate() {
                    let pairs = columns.iter().zip(point).zip(&posterior.weights);
                    let squared = pairs.map(|((c, p), weight)| weight * (c[row] - p).powi(2));
                    let exact = correlation(squared.sum());
                    let found = f64::from(process.correlations[number * BLOCK + row]);
                    greatest_error = greatest_error.max((found - exact).abs());
                    mean += posterior.signal * posterior.alpha[number] * exact;
                    nearest = nearest.max(exact);
                }
                assert!(means[row] <= mean, "{size}: {} {mean}", means[row]);
                let share = posterior.signal / (posterior.signal + posterior.noise);
                let given_nearest = posterior.signal * (1.0 - share * nearest * nearest);
                assert!(std_devs[row] >= given_nearest.sqrt(), "{size}");
            }
            let least = if size > 1.0 {
                process.margin() / 8.0
            } else {
                0.0
            };
            assert!(
                (least..process.margin()).contains(&greatest_error),
                "{size}: {greatest_error}, {}",
                process.margin()
            );
        }
    }

    #[test]
    fn deviations_are_bounded_from_above_and_closely() {
        for (signal, noise) in [(1.0, 0.0), (2.5, 1e-9), (3e-60, 1e-60), (7e40, 3e42)] {
            for margin in [1.5e-6, 1e-3, 0.6, 2.0] {
                let posterior = Posterior {
                    kernel: Kernel::Matern,
                    weights: Vec::new(),
                    signal,
                    noise,
                    mean: 0.0,
                    alpha: Vec::new(),
                };
                let correlations: Vec<f32> =
                    (0..=50_000).map(|step| step as f32 / 50_000.0).collect();
                let mut bounds = vec![0.0; correlations.len()];
                bound_deviations(&posterior, (&correlations, margin), &mut bounds);
                for (correlation, bound) in correlations.into_iter().zip(bounds) {
                    // The least that the correlation can be, in double precision.
                    let least = (f64::from(correlation) - margin).max(0.0);
                    let share = signal / (signal + noise) * least * least;
                    let (square, exact) = ((bound / signal.sqrt()).powi(2), 1.0 - share);
                    let excess = square - exact;
                    assert!(
                        (2e-7..2e-6).contains(&excess),
                        "{signal} {noise} {margin} {correlation}: {excess}"
                    );
                }
            }
        }
    }
}
