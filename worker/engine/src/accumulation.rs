//! Sums of vectors, entry by entry.

use pulp::Simd;

/// Adds `factor` times each entry to the sums.
#[pulp::with_simd(accumulate = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn accumulate_with<S: Simd>(_simd: S, factor: f64, entries: &[f64], sums: &mut [f64]) {
    for (sum, entry) in sums.iter_mut().zip(entries) {
        *sum = factor.mul_add(*entry, *sum);
    }
}
