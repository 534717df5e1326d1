//! Student's t distribution, with any number of degrees of freedom from 1 on.

use std::f64::consts::PI;

use statrs::function::beta::beta_reg;
use statrs::function::gamma::ln_gamma;

use crate::tail_probability::normal_two_sided_quantile;

/// With more degrees of freedom the quantiles are the normal ones to nine digits.
const AS_GOOD_AS_NORMAL: f64 = 1e9;

/// Most steps of Newton's method; it takes three to eight.
const MOST_STEPS: usize = 100;

/// Probability that a t variable is at least as far from 0 as `statistic`.
pub fn two_sided(statistic: f64, degrees_of_freedom: f64) -> f64 {
    if statistic == 0.0 {
        return 1.0;
    }
    let square = statistic * statistic;
    let share = degrees_of_freedom / (degrees_of_freedom + square);
    beta_reg(degrees_of_freedom / 2.0, 0.5, share)
}

/// The distance from 0 that a t variable exceeds with probability `outside`, strictly between 0 and 1.
pub fn two_sided_quantile(outside: f64, degrees_of_freedom: f64) -> f64 {
    let normal = normal_two_sided_quantile(outside);
    if degrees_of_freedom > AS_GOOD_AS_NORMAL {
        return normal;
    }
    // The tail is convex, so that from below Newton's method ascends to the root.
    let mut quantile = normal;
    for _ in 0..MOST_STEPS {
        let excess = two_sided(quantile, degrees_of_freedom) - outside;
        let step = excess / (2.0 * density(quantile, degrees_of_freedom));
        quantile += step;
        if step.abs() <= 1e-13 * quantile {
            break;
        }
    }
    quantile
}

fn density(statistic: f64, degrees_of_freedom: f64) -> f64 {
    let half = (degrees_of_freedom + 1.0) / 2.0;
    let logarithm = ln_gamma(half)
        - ln_gamma(degrees_of_freedom / 2.0)
        - half * (statistic * statistic / degrees_of_freedom).ln_1p();
    logarithm.exp() / (degrees_of_freedom * PI).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_scipy() {
        // python3 -c "from scipy.stats import t; print([(a, d, float(t.isf(a / 2, d)))
        //   for a, d in [(.05, 1), (.05, 2.5), (.05, 4), (.05, 29), (.05, 271.3), (.5, 1), (.001, 1.5), (.32, 12)]])"
        // SciPy 1.17
        let expected = [
            (0.05, 1.0, 12.706204736174705),
            (0.05, 2.5, 3.5746548420036834),
            (0.05, 4.0, 2.7764451051977943),
            (0.05, 29.0, 2.045229642132704),
            (0.05, 271.3, 1.968746548644913),
            (0.5, 1.0, 1.0000000000000002),
            (0.001, 1.5, 82.84744670365761),
            (0.32, 12.0, 1.0374052935053182),
        ];
        for (outside, degrees, quantile) in expected {
            let found = two_sided_quantile(outside, degrees);
            assert!((found / quantile - 1.0).abs() < 1e-9, "{degrees}: {found}");
            let probability = two_sided(found, degrees);
            assert!((probability / outside - 1.0).abs() < 1e-9, "{degrees}");
        }
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_distribution() {
        for degrees in [1e8, 1e10, f64::INFINITY] {
            let found = two_sided_quantile(0.05, degrees);
            assert!((found - 1.959963984540054).abs() < 1e-7, "{found}");
        }
    }
}
