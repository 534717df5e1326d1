//! The Matern-5/2 correlation as a function of the squared scaled distance r^2:
//! M = (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r).

use std::f32::consts::{LN_2, LOG2_E};

use crate::special::exponential::{exp_neg, exp2_neg_in_single_precision};

const SQRT_5: f64 = 2.236_067_977_499_79;

/// Rates l and shares c of the sum of six exponentials c exp(-l r^2) that is nearest to M(r), which is a mixture of such: fitted by least
/// squares, weighted until the greatest errors are equal. Those of the least shares come first, so that sums stay small for long.
pub(crate) const EXPONENTIALS: [[f64; 2]; 6] = [
    [13.837_35, 0.002_701_3],
    [3.828_880, 0.035_341_0],
    [0.174_277, 0.053_306_3],
    [1.481_674, 0.180_500_0],
    [0.336_491, 0.324_136_5],
    [0.673_982, 0.404_007_4],
];

/// Above the greatest error of that sum.
pub(crate) const EXPONENTIALS_ERROR: f64 = 9.2e-6;

/// M(r).
#[inline(always)]
pub(crate) fn correlation(squared_distance: f64) -> f64 {
    let scaled = SQRT_5 * squared_distance.sqrt();
    (scaled * scaled).mul_add(1.0 / 3.0, 1.0 + scaled) * exp_neg(scaled)
}

/// M(r), in single precision: with x = sqrt(5) log2(e) r it is (1 + ln 2 x + (ln 2 x)^2 / 3) 2^-x.
#[inline(always)]
pub(crate) fn correlation_in_single_precision(squared_distance: f32) -> f32 {
    const SCALE: f32 = 5.0 * LOG2_E * LOG2_E;
    let scaled = (SCALE * squared_distance).sqrt();
    let polynomial = scaled.mul_add(LN_2 * LN_2 / 3.0, LN_2).mul_add(scaled, 1.0);
    polynomial * exp2_neg_in_single_precision(scaled)
}

/// M(r) and -2 dM/d(r^2) = 5/3 (1 + sqrt(5) r) exp(-sqrt(5) r).
///
/// With w = 1 / lengthscale^2 and r^2 = sum of w_k d_k^2 the derivative by the
/// logarithm of lengthscale k is that slope times w_k d_k^2: no division by r.
#[inline(always)]
pub(crate) fn correlation_and_slope(squared_distance: f64) -> (f64, f64) {
    let scaled = SQRT_5 * squared_distance.sqrt();
    let exponential = exp_neg(scaled);
    let linear = 1.0 + scaled;
    let correlation = (scaled * scaled).mul_add(1.0 / 3.0, linear) * exponential;
    (correlation, 5.0 / 3.0 * linear * exponential)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_scikit_learn() {
        // sklearn.gaussian_process.kernels.Matern(nu=2.5)([[0]], [[r]]), scikit-learn 1.9.1.
        let cases = [
            (0.0, 1.0),
            (0.1, 0.991_759_236_171_177_6),
            (0.5, 0.828_649_142_418_125_3),
            (1.0, 0.523_994_108_831_820_3),
            (3.0, 0.027_723_421_914_625_807),
            (10.0, 3.695_696_222_052_868_6e-8),
        ];
        for (r, expected) in cases {
            let found = correlation(r * r);
            assert!((found - expected).abs() <= 1e-13 * expected, "{r}: {found}");
            assert_eq!(found, correlation_and_slope(r * r).0);
        }
    }

    #[test]
    fn the_sum_of_exponentials_is_nowhere_farther_off_than_said() {
        let sum = |squared: f64| -> f64 {
            let terms = EXPONENTIALS.iter();
            terms
                .map(|[rate, share]| share * libm::exp(-rate * squared))
                .sum()
        };
        assert!(sum(0.0) <= 1.0);
        // Both fall, so that between two points they are no farther apart than one at the first and the other at the second.
        let within = |from: f64, to: f64| {
            sum(from) - correlation(to) < EXPONENTIALS_ERROR
                && correlation(from) - sum(to) < EXPONENTIALS_ERROR
        };
        let (mut from, mut step) = (0.0, 1.0);
        while sum(from).max(correlation(from)) >= EXPONENTIALS_ERROR {
            while !within(from, from + step) {
                step /= 2.0;
                assert!(step > 1e-9, "at {from}");
            }
            from += step;
            step *= 4.0;
        }
    }

    #[test]
    fn the_slope_is_the_derivative() {
        for squared in [1e-3, 0.1, 1.0, 4.0, 30.0] {
            let step = 1e-6 * squared;
            let difference = correlation(squared + step) - correlation(squared - step);
            let expected = -2.0 * difference / (2.0 * step);
            let found = correlation_and_slope(squared).1;
            assert!(
                (found - expected).abs() < 1e-6 * expected.abs() + 1e-9,
                "{squared}"
            );
        }
    }
}
