//! The standard normal distribution and expected improvement.

use std::f64::consts::PI;

pub(crate) fn pdf(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}

/// (1 - Phi(x)) / phi(x) for x >= 2.5: Laplace's continued fraction 1/(x + 1/(x + 2/(x + ...))).
fn mills_ratio(x: f64) -> f64 {
    1.0 / (x
        + (1..400)
            .rev()
            .fold(0.0, |tail, k| f64::from(k) / (x + tail)))
}

/// Phi(x): in the middle 1/2 + phi(x) (x + x^3/3 + x^5/(3 5) + ...).
pub(crate) fn cdf(x: f64) -> f64 {
    if x < -2.5 {
        return pdf(x) * mills_ratio(-x);
    }
    if x > 2.5 {
        return 1.0 - cdf(-x);
    }
    let (mut term, mut sum) = (x, 0.0);
    for k in 1..100 {
        sum += term;
        term *= x * x / f64::from(2 * k + 1);
    }
    0.5 + pdf(x) * sum
}

/// Phi^-1(p) by bisection.
pub(crate) fn quantile(p: f64) -> f64 {
    let (mut lower, mut upper) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (lower + upper);
        if cdf(middle) < p {
            lower = middle;
        } else {
            upper = middle;
        }
    }
    0.5 * (lower + upper)
}

/// E max(incumbent - Y, 0) for Y ~ N(mean, std_dev^2), in logarithms (Jones et al. 1998, eq. 15).
pub(crate) fn log_expected_improvement(mean: f64, std_dev: f64, incumbent: f64) -> f64 {
    let v = (incumbent - mean) / std_dev;
    let log_h = match v < -2.5 {
        // phi(v) + v Phi(v) = phi(v) (1 - |v| Mills' ratio).
        true => -0.5 * v * v - 0.5 * (2.0 * PI).ln() + (1.0 + v * mills_ratio(-v)).ln(),
        false => (pdf(v) + v * cdf(v)).ln(),
    };
    std_dev.ln() + log_h
}

#[test]
fn the_normal_distribution_is_that_of_scipy() {
    // scipy.stats.norm.cdf and ppf.
    for (x, expected) in [
        (-6.0, 9.865_876_450_376_98e-10),
        (-2.6, 0.004661188023718732),
        (-1.0, 0.15865525393145707),
        (0.3, 0.6179114221889526),
        (3.0, 0.9986501019683699),
    ] {
        assert!(
            (cdf(x) - expected).abs() < 1e-14 * expected.max(1e-4),
            "{x}"
        );
        assert!((quantile(expected) - x).abs() < 1e-11, "{x}");
    }
}
