//! The hyperbolic tangent.

use pulp::Simd;

use super::exponential::exp_neg;

/// Replaces each number by its hyperbolic tangent, rounded to single precision.
#[pulp::with_simd(tanh = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn tanh_with<S: Simd>(_simd: S, values: &mut [f32]) {
    for value in values {
        let x = f64::from(*value);
        let exponential = exp_neg(2.0 * x.abs());
        let tangent = (1.0 - exponential) / (1.0 + exponential);
        *value = tangent.copysign(x) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_agree_with_the_standard_library() {
        let mut found: Vec<f32> = (-400..=400).map(|step| step as f32 * 0.05).collect();
        let expected: Vec<f64> = found.iter().map(|&x| f64::from(x).tanh()).collect();
        tanh(&mut found);
        for (found, expected) in found.iter().zip(expected) {
            let error = (f64::from(*found) - expected).abs();
            assert!(
                error < 6.1e-8 * expected.abs() + 1e-12,
                "{found} {expected}"
            );
        }
        let mut extreme = [f32::MAX, f32::MIN, 0.0];
        tanh(&mut extreme);
        assert_eq!(extreme, [1.0, -1.0, 0.0]);
    }
}
