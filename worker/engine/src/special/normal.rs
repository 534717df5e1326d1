//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The probability density phi(x).
pub(crate) fn pdf(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / (2.0 * PI).sqrt()
}

/// The cumulative distribution function Phi(x).
pub(crate) fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// log Phi(x), for every finite x.
pub(crate) fn log_cdf(x: f64) -> f64 {
    if x > -5.0 {
        return libm::log(cdf(x));
    }
    // Phi(x) = phi(x) / (y + 1/(y + 2/(y + 3/(y + ...)))) with y = -x: Laplace's continued fraction.
    let y = -x;
    let fraction = (1..=60).rev().fold(y, |tail, k| y + f64::from(k) / tail);
    -0.5 * x * x - 0.5 * libm::log(2.0 * PI) - libm::log(fraction)
}

/// The quantile function Phi^-1(p), 0 < p < 1: Wichura's AS 241 (1988), PPND16, with a
/// relative error of about 1e-16. It is infinite at 0 and 1 and NaN outside.
pub(crate) fn quantile(p: f64) -> f64 {
    let centred = p - 0.5;
    if centred.abs() <= 0.425 {
        let r = 0.180_625 - centred * centred;
        return centred * polynomial(&CENTRE_TOP, r) / polynomial(&CENTRE_BOTTOM, r);
    }
    let tail = if centred < 0.0 { p } else { 1.0 - p };
    let r = (-libm::log(tail)).sqrt();
    let magnitude = if tail == 0.0 {
        f64::INFINITY
    } else if r <= 5.0 {
        polynomial(&MIDDLE_TOP, r - 1.6) / polynomial(&MIDDLE_BOTTOM, r - 1.6)
    } else {
        polynomial(&TAIL_TOP, r - 5.0) / polynomial(&TAIL_BOTTOM, r - 5.0)
    };
    magnitude.copysign(centred)
}

/// Evaluates a polynomial by Horner's rule; the coefficient of the highest power comes first.
#[inline(always)]
fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients
        .iter()
        .fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

const CENTRE_TOP: [f64; 8] = [
    2.509_080_928_730_122_7e3,
    3.343_057_558_358_813e4,
    6.726_577_092_700_87e4,
    4.592_195_393_154_987e4,
    1.373_169_376_550_946_2e4,
    1.971_590_950_306_551_3e3,
    1.331_416_678_917_843_8e2,
    3.387_132_872_796_366_5,
];
const CENTRE_BOTTOM: [f64; 8] = [
    5.226_495_278_852_854e3,
    2.872_908_573_572_194_3e4,
    3.930_789_580_009_271e4,
    2.121_379_430_158_66e4,
    5.394_196_021_424_751e3,
    6.871_870_074_920_579e2,
    4.231_333_070_160_091e1,
    1.0,
];
const MIDDLE_TOP: [f64; 8] = [
    7.745_450_142_783_414e-4,
    2.272_384_498_926_918_4e-2,
    2.417_807_251_774_506e-1,
    1.270_458_252_452_368_4,
    3.647_848_324_763_204_5,
    5.769_497_221_460_691,
    4.630_337_846_156_546,
    1.423_437_110_749_683_5,
];
const MIDDLE_BOTTOM: [f64; 8] = [
    1.050_750_071_644_416_9e-9,
    5.475_938_084_995_345e-4,
    1.519_866_656_361_645_7e-2,
    1.481_039_764_274_800_8e-1,
    6.897_673_349_851e-1,
    1.676_384_830_183_803_8,
    2.053_191_626_637_759,
    1.0,
];
const TAIL_TOP: [f64; 8] = [
    2.010_334_399_292_288_1e-7,
    2.711_555_568_743_487_6e-5,
    1.242_660_947_388_078_4e-3,
    2.653_218_952_657_612_4e-2,
    2.965_605_718_285_048_7e-1,
    1.784_826_539_917_291_3,
    5.463_784_911_164_114,
    6.657_904_643_501_103,
];
const TAIL_BOTTOM: [f64; 8] = [
    2.044_263_103_389_939_8e-15,
    1.421_511_758_316_446e-7,
    1.846_318_317_510_054_8e-5,
    7.868_691_311_456_133e-4,
    1.487_536_129_085_061_5e-2,
    1.369_298_809_227_358e-1,
    5.998_322_065_558_88e-1,
    1.0,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_scipy() {
        // scipy.stats.norm.ppf, SciPy 1.17.1.
        let cases = [
            (1e-300, -37.047_096_299_361_2),
            (1e-10, -6.361_340_902_404_056),
            (0.001, -3.090_232_306_167_813),
            (0.074_9, -1.440_238_267_527_963_5),
            (0.2, -0.841_621_233_572_914_3),
            (0.5, 0.0),
            (0.9, 1.281_551_565_544_600_4),
            (0.999_9, 3.719_016_485_455_709),
        ];
        for (p, expected) in cases {
            let found = quantile(p);
            assert!(
                (found - expected).abs() <= 4e-15 * expected.abs(),
                "{p}: {found}"
            );
        }
    }

    #[test]
    fn logarithms_of_the_cdf_are_those_computed_in_high_precision() {
        // Computed with 60 digits in Python's decimal: series of Phi above -1, Laplace's continued fraction with 20,000
        // terms below.
        let cases = [
            (3.0, -0.0013508099647481938),
            (0.5, -0.3689464152886564),
            (-0.5, -1.1759117615936185),
            (-2.0, -3.783184333682032),
            (-4.9, -14.551182689355311),
            (-5.1, -15.588487091871468),
            (-8.0, -35.01343715991455),
            (-40.0, -804.6084420137538),
            (-10000.0, -50000010.12927891),
        ];
        for (x, expected) in cases {
            let found = log_cdf(x);
            assert!(
                (found - expected).abs() <= 1e-13 * expected.abs(),
                "{x}: {found}"
            );
        }
    }

    #[test]
    fn the_quantile_inverts_the_cdf() {
        for step in 1..1000 {
            let x = -8.0 + 0.016 * f64::from(step);
            if x < 0.0 {
                assert!((quantile(cdf(x)) - x).abs() < 1e-13, "{x}");
            }
        }
        assert_eq!(quantile(0.0), f64::NEG_INFINITY);
        assert_eq!(quantile(1.0), f64::INFINITY);
    }
}
