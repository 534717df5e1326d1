//! The exponential function of a negative number, in a form that the compiler can vectorise.

/// Beyond this, exp(-x) is below the least normal number and 0 is returned.
const UNDERFLOW: f64 = 708.0;

const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// Adding and subtracting 1.5 * 2^52 rounds to the nearest integer and leaves
/// that integer in the low bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Computes exp(-x) for x >= 0 to 2 units in the last place; it is 0 from x = 708 on.
///
/// Cody-Waite reduction to |r| <= ln 2 / 2, then the Taylor polynomial of degree
/// 12, whose remainder is below 2e-16.
#[inline(always)]
pub(crate) fn exp_neg(x: f64) -> f64 {
    let bounded = if x < UNDERFLOW { x } else { UNDERFLOW };
    let shifted = (-bounded).mul_add(std::f64::consts::LOG2_E, ROUNDER);
    let power = shifted - ROUNDER;
    let reduced = power.mul_add(-LN_2_LOW, power.mul_add(-LN_2_HIGH, -bounded));
    let mut sum = 1.0 / 479_001_600.0;
    for coefficient in [
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
        1.0,
    ] {
        sum = reduced.mul_add(sum, coefficient);
    }
    // The integer in the low bits becomes the exponent of a power of two.
    let scale = f64::from_bits((shifted.to_bits().wrapping_add(1023)) << 52);
    if x < UNDERFLOW { sum * scale } else { 0.0 }
}

/// 2^52: one octave in the bits of a number.
const OCTAVE: f64 = 4_503_599_627_370_496.0;

/// At least exp(-x) for x >= 0, and at most 1.07 times that up to x = 708, in a few instructions that need no vectors;
/// from there on it stays what it is there.
///
/// With -x log2(e) = k + f the fixed-point number 1023 + k + f in the place of the bits of a number is 2^k (1 + f), and
/// 2^f <= 1 + f by convexity. The factor is for rounding.
pub(crate) fn exp_neg_upper_bound(x: f64) -> f64 {
    let octaves = -std::f64::consts::LOG2_E * x.min(UNDERFLOW);
    f64::from_bits(((1023.0 + octaves) * OCTAVE) as i64 as u64) * (1.0 + 1e-12)
}

/// As [`ROUNDER`]: 1.5 * 2^23.
const SINGLE_ROUNDER: f32 = 12_582_912.0;

/// Beyond this, 2^-x is near the least normal number of single precision.
const BINARY_UNDERFLOW: f32 = 125.0;

/// Computes 2^-x for x >= 0 in single precision to 3e-7 of itself; from x = 125 on it stays what it is there.
///
/// With x = k + r and |r| <= 1/2 the polynomial of degree 5 for 2^-r whose greatest relative error is least, 8e-8 (Remez's
/// algorithm), k then being subtracted from its exponent.
#[inline(always)]
pub(crate) fn exp2_neg_in_single_precision(x: f32) -> f32 {
    let bounded = if x < BINARY_UNDERFLOW {
        x
    } else {
        BINARY_UNDERFLOW
    };
    let shifted = SINGLE_ROUNDER - bounded;
    let reduced = bounded + (shifted - SINGLE_ROUNDER);
    let mut sum = -1.327_647_2e-3;
    for coefficient in [
        9.675_541e-3,
        -5.550_713e-2,
        2.402_212e-1,
        -6.931_469_7e-1,
        1.0,
    ] {
        sum = reduced.mul_add(sum, coefficient);
    }
    f32::from_bits(sum.to_bits().wrapping_add(shifted.to_bits() << 23))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_precision_agrees_with_the_library() {
        for step in 0..1_250_000 {
            let x = step as f32 * 1e-4;
            let expected = libm::exp2(-f64::from(x));
            let error = (f64::from(exp2_neg_in_single_precision(x)) / expected - 1.0).abs();
            assert!(error < 3e-7, "2^-{x} is off by {error}");
        }
        let least = exp2_neg_in_single_precision(125.0);
        assert_eq!(exp2_neg_in_single_precision(f32::INFINITY), least);
    }

    #[test]
    fn it_agrees_with_the_library_to_two_units_in_the_last_place() {
        for step in 0..700_000 {
            let x = f64::from(step) * 1.011e-3;
            let expected = libm::exp(-x);
            let units = (exp_neg(x) / expected - 1.0).abs() / f64::EPSILON;
            assert!(units <= 2.0, "exp(-{x}) is off by {units}");
        }
    }

    #[test]
    fn the_bound_is_above_the_exponential_and_near_it() {
        for step in 0..700_000 {
            let x = f64::from(step) * 1.011e-3;
            let (bound, exact) = (exp_neg_upper_bound(x), libm::exp(-x));
            assert!(
                bound >= exact && bound < 1.07 * exact,
                "exp(-{x}) <= {bound}"
            );
        }
        // Where both are powers of two.
        for power in 0..1000 {
            let x = f64::from(power) * std::f64::consts::LN_2;
            assert!(exp_neg_upper_bound(x) >= libm::exp(-x));
        }
        let least = exp_neg_upper_bound(708.0);
        assert!(least >= libm::exp(-708.0));
        assert_eq!(exp_neg_upper_bound(f64::INFINITY), least);
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(exp_neg(0.0), 1.0);
        assert_eq!(exp_neg(708.0), 0.0);
        assert_eq!(exp_neg(f64::INFINITY), 0.0);
        assert_eq!(exp_neg(f64::MAX), 0.0);
    }
}
