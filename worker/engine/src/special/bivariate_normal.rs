//! The distribution of two standard normal variables with a correlation.

use std::f64::consts::PI;

use super::gauss_legendre;
use super::normal;

/// Computes probabilities; holds the nodes of its quadratures.
pub(crate) struct BivariateNormal {
    /// Up to which magnitude of the correlation each is accurate.
    rules: [(f64, Vec<(f64, f64)>); 3],
}

/// The distribution with one correlation.
pub(crate) struct Correlated<'a> {
    distribution: &'a BivariateNormal,
    correlation: f64,
    /// Of a correlation that is not strong, half of its arc sine, and the sine, 1 - sine^2 and the weight at each node.
    half: f64,
    nodes: Vec<[f64; 3]>,
}

/// Above this magnitude of the correlation the integral is taken from the other end.
const STRONG: f64 = 0.925;

/// Probabilities below about exp of this are 0.
const LEAST_EXPONENT: f64 = -100.0;

impl BivariateNormal {
    pub(crate) fn new() -> Self {
        let rule = |(strongest, points)| (strongest, gauss_legendre::rule(points));
        Self {
            rules: [(0.3, 6), (0.75, 12), (1.0, 20)].map(rule),
        }
    }

    /// The distribution with a correlation from -1 to 1.
    pub(crate) fn correlated(&self, correlation: f64) -> Correlated<'_> {
        let half = 0.5 * libm::asin(correlation);
        let node = |(x, weight): &(f64, f64)| {
            let sine = libm::sin(half * (1.0 + x));
            [sine, 1.0 - sine * sine, *weight]
        };
        let nodes = match correlation.abs() > STRONG {
            true => Vec::new(),
            false => self.rule(correlation).iter().map(node).collect(),
        };
        Correlated {
            distribution: self,
            correlation,
            half,
            nodes,
        }
    }

    fn rule(&self, correlation: f64) -> &[(f64, f64)] {
        let mut rules = self.rules.iter();
        let suited = rules.find(|(strongest, _)| correlation.abs() <= *strongest);
        &suited.unwrap_or(&self.rules[2]).1
    }
}

impl Correlated<'_> {
    /// The probability that the first variable is at most `h` and the second at most `k`, both finite.
    ///
    /// Its derivative by the correlation is the density (Plackett 1954), which is integrated from correlation 0 or, for strong
    /// correlations, from 1 (Drezner and Wesolowsky 1990, with the sine as the variable and the singular part of the strong
    /// case in closed form as in Genz 2004).
    pub(crate) fn cdf(&self, h: f64, k: f64) -> f64 {
        let probability = if self.correlation < -STRONG {
            let other = normal::cdf(h.min(-k)) - self.lost(h, -k, -self.correlation);
            normal::cdf(h) - other.max(0.0)
        } else if self.correlation > STRONG {
            normal::cdf(h.min(k)) - self.lost(h, k, self.correlation)
        } else {
            normal::cdf(h) * normal::cdf(k) + self.gained(h, k)
        };
        probability.max(0.0)
    }

    /// What the probability has more than without correlation: the integral over the angle theta from 0 to asin(r) of
    /// exp(-(h^2 + k^2 - 2 h k sin theta) / (2 cos^2 theta)) / (2 pi).
    fn gained(&self, h: f64, k: f64) -> f64 {
        let (product, squares) = (h * k, 0.5 * (h * h + k * k));
        let terms = self
            .nodes
            .iter()
            .map(|[sine, rest, weight]| weight * libm::exp((product * sine - squares) / rest));
        self.half * terms.sum::<f64>() / (2.0 * PI)
    }

    /// What the probability has less than with correlation 1. With x = cos theta it is the integral from 0 to
    /// c = sqrt(1 - r^2) of exp(-(h - k)^2 / (2 x^2)) g(x) / (2 pi), g(x) = exp(-h k / (1 + sqrt(1 - x^2))) /
    /// sqrt(1 - x^2). The first factor is steep; so the first terms of g in powers of x^2 are integrated in closed form, and
    /// the quadrature is of what they leave.
    fn lost(&self, h: f64, k: f64, correlation: f64) -> f64 {
        let end = ((1.0 - correlation) * (1.0 + correlation)).sqrt();
        let (product, distance) = (h * k, (h - k).abs());
        let square = distance * distance;
        let steepest = |x: f64| -0.5 * square / (x * x);
        if end == 0.0 || steepest(end) - product / (1.0 + correlation) < LEAST_EXPONENT {
            return 0.0;
        }
        // exp(-h k / 2) (1 + first x^2 + second x^4 + ...).
        let first = (4.0 - product) / 8.0;
        let second = first * (12.0 - product) / 16.0;
        let at_end = libm::exp(steepest(end));
        let tail = (2.0 * PI).sqrt() * normal::cdf(-distance / end);
        let zeroth = end * at_end - distance * tail;
        let squared = end * end;
        let twice = (end * squared * at_end - square * zeroth) / 3.0;
        let fourth = (end * squared * squared * at_end - square * twice) / 5.0;
        let scale = libm::exp(-0.5 * product);
        let closed = scale * (zeroth + first * twice + second * fourth);
        let rest = self.distribution.rules[2].1.iter().map(|(x, weight)| {
            let x = 0.5 * end * (1.0 + x);
            let squared = x * x;
            let root = (1.0 - squared).sqrt();
            let whole = libm::exp(steepest(x) - product / (1.0 + root)) / root;
            let powers = 1.0 + squared * (first + second * squared);
            weight * (whole - libm::exp(steepest(x) - 0.5 * product) * powers)
        });
        (closed + 0.5 * end * rest.sum::<f64>()) / (2.0 * PI)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The integral of phi(x) Phi((k - r x) / sqrt(1 - r^2)) up to h, by Simpson's rule.
    fn by_simpson(h: f64, k: f64, r: f64) -> f64 {
        let steps = 200_000;
        let least = -9.0;
        if h <= least {
            return 0.0;
        }
        let width = (h - least) / f64::from(steps);
        let root = ((1.0 - r) * (1.0 + r)).sqrt();
        let integrand = |x: f64| normal::pdf(x) * normal::cdf((k - r * x) / root);
        let sum: f64 = (0..=steps)
            .map(|step| {
                let factor = match step {
                    0 => 1.0,
                    step if step == steps => 1.0,
                    step if step % 2 == 1 => 4.0,
                    _ => 2.0,
                };
                factor * integrand(least + width * f64::from(step))
            })
            .sum();
        sum * width / 3.0
    }

    #[test]
    fn probabilities_agree_with_an_integral_over_one_variable() {
        let distribution = BivariateNormal::new();
        for r in [
            -0.9999, -0.95, -0.9, -0.4, 0.0, 0.2, 0.6, 0.92, 0.93, 0.99, 0.99999,
        ] {
            for (h, k) in [
                (0.3, 0.3),
                (-1.5, 0.4),
                (2.0, -2.5),
                (1.0, 1.2),
                (-3.0, -3.1),
                (4.0, 0.0),
            ] {
                let (found, expected) = (distribution.correlated(r).cdf(h, k), by_simpson(h, k, r));
                assert!(
                    (found - expected).abs() < 1e-9,
                    "{h} {k} {r}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn known_values_and_limits() {
        let distribution = BivariateNormal::new();
        // 1/4 + asin(r) / (2 pi) at the origin (Sheppard 1899).
        for r in [-1.0, -0.97, -0.5, 0.1, 0.8, 0.94, 1.0f64] {
            let expected = 0.25 + r.asin() / (2.0 * PI);
            let found = distribution.correlated(r).cdf(0.0, 0.0);
            assert!((found - expected).abs() < 1e-14, "{r}: {found} {expected}");
        }
        assert_eq!(distribution.correlated(1.0).cdf(0.7, 1.9), normal::cdf(0.7));
        assert_eq!(distribution.correlated(-1.0).cdf(-0.7, 0.2), 0.0);
        for r in [-1.0, -0.99, -0.2, 0.3, 0.99, 1.0] {
            for (h, k) in [
                (40.0_f64, -0.5_f64),
                (-60.0, 3.0),
                (900.0, 900.0),
                (-900.0, 900.0),
            ] {
                let expected = match h > 0.0 {
                    true => normal::cdf(k.min(h)),
                    false => 0.0,
                };
                assert!(
                    (distribution.correlated(r).cdf(h, k) - expected).abs() < 1e-14,
                    "{h} {k} {r}"
                );
            }
        }
    }
}
