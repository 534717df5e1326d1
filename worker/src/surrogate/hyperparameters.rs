//! What is fitted: lengthscales, signal variance, noise variance; their bounds
//! and their priors. The optimiser sees their natural logarithms, in this order.

use std::str::FromStr;

/// The prior on the hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hyperprior {
    /// Weak Gamma priors: maximum a posteriori. They keep a fit on few points from
    /// explaining everything as noise or as the finest detail.
    Gamma,
    /// No prior: type-II maximum likelihood, as the papers have it.
    None,
}

impl FromStr for Hyperprior {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "gamma" => Ok(Self::Gamma),
            "none" => Ok(Self::None),
            _ => Err(()),
        }
    }
}

/// A Gamma distribution by shape and rate.
struct Gamma {
    shape: f64,
    rate: f64,
}

const LENGTHSCALE: Gamma = Gamma {
    shape: 3.0,
    rate: 6.0,
};
const SIGNAL: Gamma = Gamma {
    shape: 2.0,
    rate: 0.15,
};
const NOISE: Gamma = Gamma {
    shape: 1.1,
    rate: 0.05,
};

const LENGTHSCALE_BOUNDS: (f64, f64) = (1e-3, 100.0);
const SIGNAL_BOUNDS: (f64, f64) = (1e-3, 100.0);
const NOISE_BOUNDS: (f64, f64) = (1e-4, 1.0);

/// Where the first fit of a trace starts.
const START_LENGTHSCALE: f64 = 0.5;
const START_SIGNAL: f64 = 1.0;
const START_NOISE: f64 = 1e-2;

impl Gamma {
    /// -log density up to a constant, and its derivative by log x.
    fn penalty(&self, x: f64, log_x: f64) -> (f64, f64) {
        let power = self.shape - 1.0;
        (self.rate * x - power * log_x, self.rate * x - power)
    }
}

/// Logarithms of the hyperparameters: `width` lengthscales, signal, noise.
pub fn start(width: usize) -> Vec<f64> {
    let mut logarithms = vec![libm::log(START_LENGTHSCALE); width];
    logarithms.extend([libm::log(START_SIGNAL), libm::log(START_NOISE)]);
    logarithms
}

/// Lower and upper bounds of the logarithms.
pub fn bounds(width: usize) -> (Vec<f64>, Vec<f64>) {
    let side = |pick: fn((f64, f64)) -> f64| {
        let mut bounds = vec![libm::log(pick(LENGTHSCALE_BOUNDS)); width];
        bounds.extend([SIGNAL_BOUNDS, NOISE_BOUNDS].map(|both| libm::log(pick(both))));
        bounds
    };
    (side(|both| both.0), side(|both| both.1))
}

impl Hyperprior {
    /// -log prior of the hyperparameters up to a constant, the density being that
    /// of the values themselves; its derivative by each logarithm is added to `gradient`.
    pub fn penalty(self, logarithms: &[f64], gradient: &mut [f64]) -> f64 {
        if self == Self::None {
            return 0.0;
        }
        let width = logarithms.len() - 2;
        let mut total = 0.0;
        for (index, (&log_x, slot)) in logarithms.iter().zip(gradient).enumerate() {
            let prior = match index {
                _ if index < width => &LENGTHSCALE,
                _ if index == width => &SIGNAL,
                _ => &NOISE,
            };
            let (penalty, slope) = prior.penalty(libm::exp(log_x), log_x);
            total += penalty;
            *slot += slope;
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_is_that_of_the_gamma_densities() {
        // -sum of scipy.stats.gamma.logpdf(x, shape, scale=1/rate), SciPy 1.17, as
        // a difference between two points, which frees it of the constants:
        // x = (0.7, 0.2, 3.0, 0.05) minus x = (0.5, 0.5, 1.0, 0.01).
        let logarithms = |values: [f64; 4]| values.map(f64::ln);
        let mut gradient = [0.0; 4];
        let one = Hyperprior::Gamma.penalty(&logarithms([0.7, 0.2, 3.0, 0.05]), &mut gradient);
        let other = Hyperprior::Gamma.penalty(&logarithms([0.5, 0.5, 1.0, 0.01]), &mut [0.0; 4]);
        assert!(
            (one - other - PENALTY_DIFFERENCE).abs() < 1e-12,
            "{}",
            one - other
        );
        assert!((gradient[0] - (6.0 * 0.7 - 2.0)).abs() < 1e-12);
    }

    const PENALTY_DIFFERENCE: f64 = -0.397_919_089_405_634_8;

    #[test]
    fn the_start_is_inside_the_bounds() {
        let (lower, upper) = bounds(3);
        let inside = |(index, x): (usize, &f64)| lower[index] < *x && *x < upper[index];
        assert_eq!(start(3).len(), 5);
        assert!(start(3).iter().enumerate().all(inside));
    }
}
