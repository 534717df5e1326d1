//! The squared exponential correlation as a function of the squared scaled distance r^2:
//! M = exp(-r^2 / 2). Its slope -2 dM/d(r^2) is M itself.

use std::f32::consts::LOG2_E;

use crate::special::exponential::{exp_neg, exp2_neg_in_single_precision};

/// M(r).
#[inline(always)]
pub(crate) fn correlation(squared_distance: f64) -> f64 {
    exp_neg(0.5 * squared_distance)
}

/// M(r), in single precision.
#[inline(always)]
pub(crate) fn correlation_in_single_precision(squared_distance: f32) -> f32 {
    exp2_neg_in_single_precision(0.5 * LOG2_E * squared_distance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_the_normal_density() {
        // phi(r) / phi(0) with SciPy's norm.pdf.
        let cases = [
            (0.0, 1.0),
            (0.5, 0.882_496_902_584_595_4),
            (1.0, 0.606_530_659_712_633_4),
            (3.0, 0.011_108_996_538_242_306),
            (10.0, 1.928_749_847_963_918e-22),
        ];
        for (r, expected) in cases {
            let found = correlation(r * r);
            assert!((found - expected).abs() <= 1e-14 * expected, "{r}: {found}");
        }
    }
}
