//! A bound on the natural logarithm that takes a few instructions.

use std::f64::consts::LN_2;

/// 2^52: one octave in the bits of a number.
const OCTAVE: f64 = 4_503_599_627_370_496.0;

/// At least log x for a positive x, and at most 0.004 more if x is not below the least normal number.
///
/// The bits of x = 2^e (1 + f), read as a fixed-point number, are 1023 + e + f. f + f (1 - f) (a - b f) is log2(1 + f) at 0 and 1 and,
/// with slopes 1 + a >= 1 / ln 2 and 1 - a + b <= 1 / (2 ln 2) there, above it beside them; a test sees that it is in between, too.
pub(crate) fn log_upper_bound(x: f64) -> f64 {
    let bits = x.to_bits() as i64;
    let octaves = bits as f64 / OCTAVE - 1023.0;
    let share = (bits & (OCTAVE as i64 - 1)) as f64 / OCTAVE;
    (octaves + share * (1.0 - share) * (0.442_696 - 0.164_03 * share) + 1e-12) * LN_2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_above_the_logarithm_and_near_it() {
        for step in 0..400_000 {
            let x = libm::exp(f64::from(step) * 3.5e-3 - 700.0);
            let excess = log_upper_bound(x) - libm::log(x);
            assert!((0.0..0.004).contains(&excess), "{x}: {excess}");
        }
        // In the middle of an octave, and where numbers are not normal.
        let excess = log_upper_bound(1.0 / LN_2) - libm::log(1.0 / LN_2);
        assert!((0.0..0.004).contains(&excess), "{excess}");
        assert!(log_upper_bound(1e-310) > -714.0);
        assert!(log_upper_bound(0.0) < -700.0);
    }
}
