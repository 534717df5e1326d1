//! Upper tails of the normal, the chi-square and the F distribution, and quantiles of the normal one.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use statrs::function::{beta::beta_reg, gamma::gamma_ur};

/// Most steps of Newton's method; it takes four to twenty.
const MOST_STEPS: usize = 100;

/// Probability that a standard normal variable is at most `z`, to full relative precision in both tails.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// Probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    libm::erfc(z.abs() * FRAC_1_SQRT_2)
}

/// The distance from 0 that a standard normal variable exceeds with probability `outside`,
/// strictly between 0 and 1.
pub fn normal_two_sided_quantile(outside: f64) -> f64 {
    // The tail is convex, so that from 0 Newton's method ascends to the root.
    let mut quantile: f64 = 0.0;
    for _ in 0..MOST_STEPS {
        let density = FRAC_2_SQRT_PI * FRAC_1_SQRT_2 * (-0.5 * quantile * quantile).exp();
        let step = (normal_two_sided(quantile) - outside) / density;
        quantile += step;
        if step.abs() <= 1e-14 * quantile {
            break;
        }
    }
    quantile
}

/// Probability that a chi-square variable with that many degrees of freedom (at least 1) exceeds `statistic`.
pub fn chi_square_survival(statistic: f64, degrees_of_freedom: usize) -> f64 {
    within_domain(statistic, || {
        gamma_ur(degrees_of_freedom as f64 / 2.0, statistic / 2.0)
    })
}

/// Probability that an F variable with those degrees of freedom (each at least 1) exceeds `statistic`.
pub fn f_survival(statistic: f64, numerator: usize, denominator: usize) -> f64 {
    let (numerator, denominator) = (numerator as f64, denominator as f64);
    let share = denominator / (denominator + numerator * statistic);
    within_domain(statistic, || {
        beta_reg(denominator / 2.0, numerator / 2.0, share)
    })
}

/// The probability, which is certain where the special functions are not defined.
fn within_domain(statistic: f64, probability: impl FnOnce() -> f64) -> f64 {
    match statistic {
        least if least <= 0.0 => 1.0,
        f64::INFINITY => 0.0,
        _ => probability(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_cases::{assert_close, reference};

    #[test]
    fn chi_square_and_f_tails_agree_with_the_reference() {
        for case in &reference().chi_square_survival {
            let found = chi_square_survival(case.statistic, case.degrees_of_freedom);
            assert_close(found, case.p_value, "chi-square");
        }
        for case in &reference().f_survival {
            let found = f_survival(case.statistic, case.numerator, case.denominator);
            assert_close(found, case.p_value, "F");
        }
    }

    #[test]
    fn tails_of_the_extremes_are_one_and_zero() {
        assert_eq!(chi_square_survival(0.0, 3), 1.0);
        assert_eq!(chi_square_survival(f64::INFINITY, 3), 0.0);
        assert_eq!(f_survival(0.0, 3, 9), 1.0);
        assert_eq!(f_survival(f64::INFINITY, 3, 9), 0.0);
    }

    #[test]
    fn normal_tails_keep_their_relative_precision() {
        assert!((normal_cdf(1.959963984540054) - 0.975).abs() < 1e-15);
        let far = normal_cdf(-10.0) / 7.619853024160526e-24;
        assert!((far - 1.0).abs() < 1e-13, "{far}");
        assert_eq!(normal_two_sided(0.0), 1.0);
    }

    #[test]
    fn normal_quantiles_agree_with_scipy() {
        // python3 -c "from scipy.stats import norm; print([float(norm.isf(a / 2)) for a in (.05, .5, 1e-6, .999)])"
        let expected = [
            (0.05, 1.9599639845400545),
            (0.5, 0.6744897501960817),
            (1e-6, 4.891638475698591),
            (0.999, 0.0012533144654325557),
        ];
        for (outside, quantile) in expected {
            let found = normal_two_sided_quantile(outside);
            assert!((found / quantile - 1.0).abs() < 1e-12, "{outside}: {found}");
        }
    }
}
