//! The hyperbolic tangent.

use pulp::Simd;

/// From here on tanh x is 1 in single precision.
const SATURATION: f32 = 9.02;

/// Numerator and denominator of tanh x / x, polynomials in x^2, the highest power first: the ratio of this degree that is 1 at 0 and
/// has the least relative error up to [`SATURATION`], 2.2e-8 (weighted least squares, weighted until the greatest errors are equal). As
/// all of them are positive, nothing is lost by cancellation.
const NUMERATOR: [f32; 5] = [
    1.338_428_8e-8,
    2.063_582e-5,
    3.497_457_6e-3,
    1.338_268_7e-1,
    1.0,
];
const DENOMINATOR: [f32; 5] = [
    7.790_248e-7,
    3.288_517e-4,
    2.588_436e-2,
    4.671_600_8e-1,
    1.0,
];

/// Replaces each number by its hyperbolic tangent, to 4e-7 of itself and at most 1 in size.
#[pulp::with_simd(tanh = pulp::Arch::new())]
#[inline(always)]
pub(crate) fn tanh_with<S: Simd>(_simd: S, values: &mut [f32]) {
    for value in values {
        let size = value.abs();
        let bounded = if size < SATURATION { size } else { SATURATION };
        let square = bounded * bounded;
        let tangent = bounded * polynomial(NUMERATOR, square) / polynomial(DENOMINATOR, square);
        let tangent = if tangent < 1.0 { tangent } else { 1.0 };
        *value = tangent.copysign(*value);
    }
}

/// A polynomial with these coefficients, that of the highest power first.
#[inline(always)]
fn polynomial([highest, lower @ ..]: [f32; 5], x: f32) -> f32 {
    let mut sum = highest;
    for coefficient in lower {
        sum = x.mul_add(sum, coefficient);
    }
    sum
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
                error <= 4e-7 * expected.abs() && found.abs() <= 1.0,
                "{found} {expected}"
            );
        }
        let mut extreme = [f32::MAX, f32::MIN, 0.0];
        tanh(&mut extreme);
        assert_eq!(extreme, [1.0, -1.0, 0.0]);
    }
}
