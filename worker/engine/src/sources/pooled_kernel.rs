//! One kernel for all sources: hyperparameters under which all of them together are likely,
//!
//!   argmax over theta of sum_i log p(z_i | X_i, theta),
//!
//! each source with a constant mean of its own (Wang et al. 2024, Pre-trained Gaussian processes for Bayesian
//! optimization, JMLR 25, section 4.2: the negative log likelihood of the data sets).

use super::sample::SourceSample;
use crate::error::EngineError;
use crate::fits::FitName;
use crate::lbfgs::{self, Settings};
use crate::prior::network::Noise;
use crate::prior::parametric::ParametricPrior;
use crate::setting::Setting;
use crate::surrogate::gaussian_process::{self, Posterior};
use crate::surrogate::hyperparameters::{HyperparameterModel, Hyperprior};
use crate::surrogate::kernel::Kernel;
use crate::surrogate::likelihood::{Data, Likelihood};
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 3;

/// Rows of all sources together, at most, and of one of them: a likelihood costs the cube of a source's rows.
const ROWS: usize = 2000;
const ROWS_OF_A_SOURCE: usize = 100;

const FIT: Settings = Settings {
    iterations: 100,
    gradient_tolerance: 1e-2,
    ..gaussian_process::FIT
};

/// What the sources' values are taken as deviations from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PooledMean {
    /// A constant of each source.
    Constant,
    /// The mean of the homoskedastic parametric prior, and a constant of each source.
    Network,
}

impl PooledMean {
    /// Its name in sweep files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Network => "network",
        }
    }
}

/// The kernel of a setting's sources: lengthscales, signal and noise variance, with no data. Their Gamma prior counts once.
///
/// # Errors
/// Those of [`Setting::sources`], of [`ParametricPrior::means_at`] and of the fit.
pub(crate) fn pooled_kernel(
    setting: &Setting,
    transform: Transform,
    mean: PooledMean,
) -> Result<Posterior, EngineError> {
    let width = setting.space().width();
    let name = FitName {
        variant: mean.name(),
        ..setting.fit_name("pooled-kernel", VERSION, transform)
    };
    // Numbers in this order: logarithms of lengthscales, signal, noise.
    let stored = setting.shared().fit(&name, width + 2, || {
        let sources = setting.sources(transform)?;
        let most = (ROWS / sources.iter().count()).clamp(2, ROWS_OF_A_SOURCE);
        let all = sources.iter().map(|source| {
            let sample = SourceSample::new(setting, source, most);
            data(setting, transform, mean, sample)
        });
        let all = all.collect::<Result<Vec<Data>, EngineError>>()?;
        let logarithms = fit(setting, &all, most)?;
        Ok(logarithms.iter().map(|&number| number as f32).collect())
    })?;
    let values: Vec<f64> = stored.iter().map(|&number| number.into()).collect();
    let (lengthscales, variances) = values.split_at(width);
    Ok(Posterior {
        kernel: Kernel::Matern,
        weights: lengthscales.iter().map(|l| libm::exp(-2.0 * l)).collect(),
        signal: libm::exp(variances[0]),
        noise: libm::exp(variances[1]),
        ..Posterior::default()
    })
}

/// A source's rows as the fit sees them.
fn data(
    setting: &Setting,
    transform: Transform,
    mean: PooledMean,
    sample: SourceSample,
) -> Result<Data, EngineError> {
    let SourceSample {
        points,
        mut targets,
    } = sample;
    if mean == PooledMean::Network {
        let noise = Noise::Homoskedastic;
        let means = ParametricPrior::means_at(setting, transform, noise, &points)?;
        for (target, mean) in targets.iter_mut().zip(means) {
            *target -= mean;
        }
    }
    Ok(Data::new(&points, setting.space().width(), targets))
}

/// The logarithms of the hyperparameters.
fn fit(setting: &Setting, all: &[Data], most: usize) -> Result<Vec<f64>, EngineError> {
    let model = HyperparameterModel::new(setting.space(), Hyperprior::Gamma);
    let mut likelihood = Likelihood::new(model.width(), most);
    let (lower, upper) = model.bounds();
    let mut logarithms = model.start();
    lbfgs::minimise(
        |logarithms, gradient| {
            gradient.fill(0.0);
            let penalty = model.penalty(logarithms, gradient);
            likelihood.evaluate_all(all, penalty, logarithms, gradient)
        },
        &mut logarithms,
        (&lower, &upper),
        FIT,
    )?;
    Ok(logarithms)
}
