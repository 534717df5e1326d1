//! The hyperbolic tangent.

use pulp::Simd;

use super::exponential::exp_neg_minus_one_in_single_precision;

/// Replaces each number by its hyperbolic tangent, to 8e-7 of itself and at most 1 in size.
#[pulp::with_simd(tanh = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn tanh_with<S: Simd>(_simd: S, values: &mut [f32]) {
    for value in values {
        // tanh |x| = -e / (2 + e) with e = exp(-2 |x|) - 1.
        let exponential = exp_neg_minus_one_in_single_precision(2.0 * value.abs());
        let tangent = -exponential / (2.0 + exponential);
        *value = tangent.copysign(*value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_the_standard_library() {
        let steps = (-40_000..=40_000).map(|step| step as f32 * 5e-4);
        let tiny = (1..90).map(|power| 0.9 * 0.5_f32.powi(power));
        let mut found: Vec<f32> = steps.chain(tiny).collect();
        let expected: Vec<f64> = found.iter().map(|&x| f64::from(x).tanh()).collect();
        tanh(&mut found);
        for (found, expected) in found.iter().zip(expected) {
            let error = (f64::from(*found) - expected).abs();
            assert!(
                error <= 8e-7 * expected.abs() && found.abs() <= 1.0,
                "{found} {expected}"
            );
        }
        let mut extreme = [f32::MAX, f32::MIN, 0.0];
        tanh(&mut extreme);
        assert_eq!(extreme, [1.0, -1.0, 0.0]);
    }
}
