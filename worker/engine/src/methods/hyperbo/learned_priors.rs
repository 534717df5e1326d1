//! Gamma distributions that fit the hyperparameters of the sources' processes.

use crate::sources::process::SourceProcess;
use crate::surrogate::hyperparameters::{Gamma, HyperparameterModel, Hyperprior, Priors};
use crate::table::encoding::Space;

/// The least shape: below it the density is infinite at 0, where maximum a posteriori estimates would end.
const LEAST_SHAPE: f64 = 1.0;

/// The distributions of lengthscales, over all coordinates of a kind, of signal and of noise variances.
///
/// A kind that the space has no coordinate of keeps its default, which nothing uses.
pub(super) fn learned_priors(space: &Space, sources: &[SourceProcess]) -> Priors {
    let model = HyperparameterModel::new(space, Hyperprior::Gamma);
    let default = model.priors().expect("a Gamma prior has distributions");
    let lengthscales = |wanted: bool, default: Gamma| {
        let of_source = sources.iter().flat_map(|source| {
            let weights = source.posterior.weights.iter().zip(model.one_hot());
            let of_kind = weights.filter(move |(_, one_hot)| **one_hot == wanted);
            of_kind.map(|(weight, _)| 1.0 / weight.sqrt())
        });
        fitted(&of_source.collect::<Vec<f64>>()).unwrap_or(default)
    };
    let variance = |of: fn(&SourceProcess) -> f64, default: Gamma| {
        fitted(&sources.iter().map(of).collect::<Vec<f64>>()).unwrap_or(default)
    };
    Priors {
        numeric_lengthscale: lengthscales(false, default.numeric_lengthscale),
        one_hot_lengthscale: lengthscales(true, default.one_hot_lengthscale),
        signal: variance(|source| source.posterior.signal, default.signal),
        noise: variance(|source| source.posterior.noise, default.noise),
    }
}

/// The Gamma distribution under which positive values are most likely: log k - digamma(k) = log mean - mean log for
/// the shape k, and rate = k / mean; `None` if there is no value.
///
/// The shape is at least [`LEAST_SHAPE`], and at most the number of values: a few that happen to agree say little of others.
fn fitted(values: &[f64]) -> Option<Gamma> {
    if values.is_empty() {
        return None;
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let mean_log = values.iter().map(|&value| libm::log(value)).sum::<f64>() / count;
    let wanted = libm::log(mean) - mean_log;
    let excess = |shape: f64| libm::log(shape) - digamma(shape);
    let (mut below, mut above) = (LEAST_SHAPE, count.max(LEAST_SHAPE));
    // The left side falls with k.
    for _ in 0..60 {
        let middle = 0.5 * (below + above);
        match excess(middle) > wanted {
            true => below = middle,
            false => above = middle,
        }
    }
    let shape = 0.5 * (below + above);
    Some(Gamma {
        shape,
        rate: shape / mean,
    })
}

/// The logarithmic derivative of the Gamma function at x > 0: recurrence up to 6, then the asymptotic series
/// (Abramowitz and Stegun 1964, 6.3.5 and 6.3.18).
fn digamma(x: f64) -> f64 {
    let (mut x, mut value) = (x, 0.0);
    while x < 6.0 {
        value -= 1.0 / x;
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series =
        square * (1.0 / 12.0 - square * (1.0 / 120.0 - square * (1.0 / 252.0 - square / 240.0)));
    value + libm::log(x) - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digamma_agrees_with_its_values_at_halves_and_whole_numbers() {
        // Abramowitz and Stegun 1964, 6.3.2 to 6.3.4.
        let euler = 0.577_215_664_901_532_9;
        let half = -euler - 2.0 * libm::log(2.0);
        let harmonic: f64 = (1..20).map(|n| 1.0 / f64::from(n)).sum();
        let cases = [
            (0.5, half),
            (1.0, -euler),
            (3.5, half + 2.0 * (1.0 + 1.0 / 3.0 + 1.0 / 5.0)),
            (20.0, harmonic - euler),
        ];
        for (x, expected) in cases {
            let found = digamma(x);
            assert!((found - expected).abs() < 1e-9, "{x}: {found}");
        }
    }

    /// Of the distribution of that shape whose mean is that of the values.
    fn log_likelihood(values: &[f64], shape: f64, log_gamma: f64) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let rate = shape / mean;
        let one = |x: &f64| shape * rate.ln() - log_gamma + (shape - 1.0) * x.ln() - rate * x;
        values.iter().map(one).sum()
    }

    #[test]
    fn the_fit_is_the_most_likely_distribution() {
        let values = [0.5, 1.2, 0.9, 3.1, 0.7, 1.6, 2.2, 0.3];
        let Gamma { shape, rate } = fitted(&values).unwrap();
        let mean = values.iter().sum::<f64>() / 8.0;
        assert!((shape / rate - mean).abs() < 1e-12);
        let at = |shape: f64| log_likelihood(&values, shape, libm::lgamma(shape));
        assert!(at(shape) > at(0.98 * shape) && at(shape) > at(1.02 * shape));
        // Values that agree do not make the distribution narrower than their number allows.
        let alike = fitted(&[0.9, 1.0, 1.1]).unwrap();
        assert!((alike.shape - 3.0).abs() < 1e-9, "{alike:?}");
        // Values over many orders of magnitude keep the density finite at 0.
        let spread = fitted(&[1e-4, 1e-2, 1.0, 100.0]).unwrap();
        assert!((spread.shape - 1.0).abs() < 1e-9, "{spread:?}");
        assert_eq!(fitted(&[]), None);
    }
}
