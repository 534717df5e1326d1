//! What is fitted: lengthscales, signal variance, noise variance; their bounds
//! and their priors. The optimiser sees their natural logarithms, in this order.

use crate::table::encoding::{Kind, Space};

/// The prior on the hyperparameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hyperprior {
    /// Weak Gamma priors: maximum a posteriori. They keep a fit on few points from
    /// explaining everything as noise or as the finest detail.
    Gamma,
    /// No prior: type-II maximum likelihood, as the papers have it.
    None,
}

impl Hyperprior {
    /// Its name in sweep files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gamma => "gamma",
            Self::None => "none",
        }
    }
}

/// A Gamma distribution of a positive number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Gamma {
    /// Shape.
    pub shape: f64,
    /// Rate: the mean is shape / rate.
    pub rate: f64,
}

/// Prior distributions of the hyperparameters of a process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Priors {
    /// Of the lengthscale of each numeric coordinate.
    pub numeric_lengthscale: Gamma,
    /// Of the lengthscale of each coordinate that is one level of a categorical hyperparameter.
    pub one_hot_lengthscale: Gamma,
    /// Of the signal variance.
    pub signal: Gamma,
    /// Of the noise variance.
    pub noise: Gamma,
}

/// Of a numeric coordinate of a space with up to [`NARROW`] of them: mode 1/3 of its range.
const NUMERIC_LENGTHSCALE: Gamma = Gamma {
    shape: 3.0,
    rate: 6.0,
};
/// Numeric coordinates up to which [`NUMERIC_LENGTHSCALE`] is used as it is. With d more of them the distances
/// between configurations grow by sqrt(d), so that beyond it the mode grows likewise: the prior correlation of two
/// random configurations stays what it is in the widest space on which the prior was chosen.
const NARROW: usize = 8;
/// Of a one-hot coordinate: ten times wider, mode 3.3. Configurations differ in most
/// of their categorical hyperparameters, by sqrt(2) in each, so that under the
/// numeric prior all of them would be unrelated and nothing could be learned.
/// Measured on FCNET and NAS (gp: -2.1 to .67 and .20 to .61; gcp: .45 to .85 and
/// .37 to .61); 4 times wider gives half of the gain, 20 times no more.
const ONE_HOT_LENGTHSCALE: Gamma = Gamma {
    shape: 3.0,
    rate: 0.6,
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
const START_NUMERIC_LENGTHSCALE: f64 = 0.5;
const START_ONE_HOT_LENGTHSCALE: f64 = 5.0;
const START_SIGNAL: f64 = 1.0;
const START_NOISE: f64 = 1e-2;

impl Gamma {
    /// -log density up to a constant, and its derivative by log x.
    fn penalty(&self, x: f64, log_x: f64) -> (f64, f64) {
        let power = self.shape - 1.0;
        (self.rate * x - power * log_x, self.rate * x - power)
    }
}

/// The hyperparameters of a process on one space: where they start, their bounds
/// and their prior.
#[derive(Debug, Clone)]
pub struct HyperparameterModel {
    /// Whether each coordinate is one level of a categorical hyperparameter.
    one_hot: Vec<bool>,
    /// None is maximum likelihood.
    priors: Option<Priors>,
}

impl HyperparameterModel {
    /// The model for a space's encoded points.
    pub fn new(space: &Space, hyperprior: Hyperprior) -> Self {
        let coordinates = space.hyperparameters.iter().flat_map(|hyperparameter| {
            let one_hot = matches!(hyperparameter.kind, Kind::Categorical { .. });
            std::iter::repeat_n(one_hot, hyperparameter.kind.width())
        });
        let one_hot: Vec<bool> = coordinates.collect();
        let numeric = one_hot.iter().filter(|&&one_hot| !one_hot).count();
        let wider = (numeric.max(NARROW) as f64 / NARROW as f64).sqrt();
        let priors = Priors {
            numeric_lengthscale: Gamma {
                rate: NUMERIC_LENGTHSCALE.rate / wider,
                ..NUMERIC_LENGTHSCALE
            },
            one_hot_lengthscale: ONE_HOT_LENGTHSCALE,
            signal: SIGNAL,
            noise: NOISE,
        };
        Self {
            one_hot,
            priors: (hyperprior == Hyperprior::Gamma).then_some(priors),
        }
    }

    /// A model without priors for points of that many numeric coordinates.
    pub(crate) fn flat(width: usize) -> Self {
        Self {
            one_hot: vec![false; width],
            priors: None,
        }
    }

    /// The model with other priors.
    pub(crate) fn with_priors(self, priors: Priors) -> Self {
        Self {
            priors: Some(priors),
            ..self
        }
    }

    /// The priors, if there are any.
    pub(crate) fn priors(&self) -> Option<Priors> {
        self.priors
    }

    /// Whether each coordinate is one level of a categorical hyperparameter.
    pub(crate) fn one_hot(&self) -> &[bool] {
        &self.one_hot
    }

    /// Number of coordinates, each with its lengthscale.
    pub fn width(&self) -> usize {
        self.one_hot.len()
    }

    /// Where a first fit starts: logarithms of the lengthscales, signal, noise.
    pub fn start(&self) -> Vec<f64> {
        let lengthscales = self.one_hot.iter().map(|&one_hot| match one_hot {
            true => START_ONE_HOT_LENGTHSCALE,
            false => START_NUMERIC_LENGTHSCALE,
        });
        let values = lengthscales.chain([START_SIGNAL, START_NOISE]);
        values.map(libm::log).collect()
    }

    /// Lower and upper bounds of the logarithms.
    pub fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        let lengthscales = std::iter::repeat_n(LENGTHSCALE_BOUNDS, self.width());
        lengthscales
            .chain([SIGNAL_BOUNDS, NOISE_BOUNDS])
            .map(|(lower, upper)| (libm::log(lower), libm::log(upper)))
            .unzip()
    }

    /// -log prior of the hyperparameters up to a constant, the density being that
    /// of the values themselves; its derivative by each logarithm is added to `gradient`.
    pub fn penalty(&self, logarithms: &[f64], gradient: &mut [f64]) -> f64 {
        let Some(priors) = &self.priors else {
            return 0.0;
        };
        let lengthscales = self.one_hot.iter().map(|&one_hot| match one_hot {
            true => &priors.one_hot_lengthscale,
            false => &priors.numeric_lengthscale,
        });
        let priors = lengthscales.chain([&priors.signal, &priors.noise]);
        let mut total = 0.0;
        for ((prior, &log_x), slot) in priors.zip(logarithms).zip(gradient) {
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
    use crate::table::encoding::Hyperparameter;

    fn space() -> Space {
        let hyperparameter = |kind| Hyperparameter {
            name: "hp".into(),
            kind,
        };
        let numeric = Kind::Numeric {
            minimum: 0.0,
            maximum: 1.0,
        };
        let levels = vec!["a".into(), "b".into()];
        Space {
            hyperparameters: vec![
                hyperparameter(numeric),
                hyperparameter(Kind::Categorical { levels }),
            ],
        }
    }

    #[test]
    fn the_penalty_is_that_of_the_gamma_densities() {
        // -sum of scipy.stats.gamma.logpdf(x, shape, scale=1/rate), SciPy 1.17, as
        // a difference between two points, which frees it of the constants.
        let model = HyperparameterModel::new(&space(), Hyperprior::Gamma);
        let logarithms = |values: [f64; 5]| values.map(f64::ln);
        let mut gradient = [0.0; 5];
        let one = model.penalty(&logarithms([0.7, 2.0, 5.0, 3.0, 0.05]), &mut gradient);
        let other = model.penalty(&logarithms([0.5, 1.0, 3.0, 1.0, 0.01]), &mut [0.0; 5]);
        assert!(
            (one - other - PENALTY_DIFFERENCE).abs() < 1e-12,
            "{}",
            one - other
        );
        let slopes = [6.0 * 0.7 - 2.0, 0.6 * 2.0 - 2.0, 0.6 * 5.0 - 2.0];
        for (found, expected) in gradient.iter().zip(slopes) {
            assert!((found - expected).abs() < 1e-12, "{gradient:?}");
        }
        let flat = HyperparameterModel::new(&space(), Hyperprior::None);
        assert_eq!(flat.penalty(&logarithms([0.7; 5]), &mut [0.0; 5]), 0.0);
    }

    const PENALTY_DIFFERENCE: f64 = -1.0384461618058172;

    #[test]
    fn the_prior_correlation_of_random_configurations_does_not_fade_with_the_width() {
        // Two uniform points of d coordinates are sqrt(d / 6) apart in root mean square; the mode of the prior
        // is where the penalty has no slope, (shape - 1) / rate.
        let scaled_distance = |width: usize| {
            let model = HyperparameterModel::new(&Space::numeric(width), Hyperprior::Gamma);
            let slope = |lengthscale: f64| {
                let mut gradient = vec![0.0; width + 2];
                model.penalty(&vec![lengthscale.ln(); width + 2], &mut gradient);
                gradient[0]
            };
            let (mut below, mut above) = (1e-2, 10.0);
            for _ in 0..60 {
                let middle = 0.5 * (below + above);
                match slope(middle) < 0.0 {
                    true => below = middle,
                    false => above = middle,
                }
            }
            (width as f64 / 6.0).sqrt() / below
        };
        let widest = scaled_distance(8);
        assert!((widest - 3.0 * (8.0_f64 / 6.0).sqrt()).abs() < 1e-9);
        for width in [9, 20, 40] {
            assert!((scaled_distance(width) - widest).abs() < 1e-9, "{width}");
        }
        assert!(scaled_distance(2) < widest);
    }

    #[test]
    fn the_start_is_inside_the_bounds() {
        let model = HyperparameterModel::new(&space(), Hyperprior::Gamma);
        let (lower, upper) = model.bounds();
        let start = model.start();
        assert_eq!(start.len(), 5);
        assert!((0..5).all(|index| lower[index] < start[index] && start[index] < upper[index]));
    }
}
