//! Gauss-Legendre quadrature: with n points it is exact for polynomials up to degree 2n - 1.

use std::f64::consts::PI;

/// Steps of Newton's method to a node, from an estimate that is off by less than 1e-3.
const STEPS: usize = 8;

/// The nodes on [-1, 1], ascending, each with its weight.
pub(crate) fn rule(points: u32) -> Vec<(f64, f64)> {
    let node = |number: u32| {
        let degree = f64::from(points);
        let place = f64::from(points - number) - 0.25;
        let mut x = libm::cos(PI * place / (degree + 0.5));
        let mut slope = 0.0;
        for _ in 0..STEPS {
            let (value, previous) = legendre(points, x);
            slope = degree * (x * value - previous) / (x * x - 1.0);
            x -= value / slope;
        }
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    (0..points).map(node).collect()
}

/// The Legendre polynomials of a degree, at least 1, and of the one below, by their recurrence.
fn legendre(degree: u32, x: f64) -> (f64, f64) {
    let (mut value, mut previous) = (x, 1.0);
    for k in 1..degree {
        let k = f64::from(k);
        let next = ((2.0 * k + 1.0) * x * value - k * previous) / (k + 1.0);
        (value, previous) = (next, value);
    }
    (value, previous)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_are_those_of_the_textbook() {
        let expected = [
            (-0.6f64.sqrt(), 5.0 / 9.0),
            (0.0, 8.0 / 9.0),
            (0.6f64.sqrt(), 5.0 / 9.0),
        ];
        for (found, expected) in rule(3).iter().zip(expected) {
            assert!((found.0 - expected.0).abs() < 1e-15, "{found:?}");
            assert!((found.1 - expected.1).abs() < 1e-15, "{found:?}");
        }
    }

    #[test]
    fn polynomials_are_integrated_exactly() {
        for points in [1, 6, 12, 20, 32] {
            let rule = rule(points);
            assert!(rule.is_sorted_by(|left, right| left.0 < right.0));
            for degree in 0..2 * points as i32 {
                let found: f64 = rule.iter().map(|(x, weight)| weight * x.powi(degree)).sum();
                let expected = if degree % 2 == 0 {
                    2.0 / f64::from(degree + 1)
                } else {
                    0.0
                };
                assert!(
                    (found - expected).abs() < 1e-14,
                    "{points} {degree}: {found}"
                );
            }
        }
    }
}
