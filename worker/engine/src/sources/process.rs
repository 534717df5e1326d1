//! A Gaussian process per source task, as transfer acquisition functions and ensembles use them
//! (Wistuba, Schilling and Schmidt-Thieme 2018, section 5; ICML 2020, appendix B).

use std::sync::Arc;

use super::sample::SourceSample;
use crate::error::EngineError;
use crate::fits::{FitName, Predicted};
use crate::setting::{Setting, Source};
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::{GaussianProcess, Posterior};
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel::Kernel;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 2;

/// Rows of a source that its process is conditioned on, at most.
const ROWS: usize = 1000;

/// Rows that its hyperparameters are fitted to, at most. A likelihood of 1000 rows
/// costs 40 times as much, and its optimum is nearly the same. Standard deviations are
/// those given these rows, too.
const FITTED_ROWS: usize = 300;

/// The least standard deviation, as a share of the root of the signal variance: a source that happens to have a row at
/// a configuration is not certain of it.
const LEAST_STD_DEV: f64 = 1e-3;

/// The model of a source task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceModel {
    /// How its objective is transformed.
    pub transform: Transform,
    /// The prior on its hyperparameters.
    pub hyperprior: Hyperprior,
    /// Its kernel.
    pub kernel: Kernel,
}

impl SourceModel {
    /// With the kernel of `gp`.
    pub(crate) fn matern(transform: Transform, hyperprior: Hyperprior) -> Self {
        Self {
            transform,
            hyperprior,
            kernel: Kernel::Matern,
        }
    }
}

/// What a source's process predicts for each row of the target, in units of the source's transformed objective. Targets with
/// the same configurations share it.
#[derive(Debug, Clone)]
pub(crate) struct SourcePrediction {
    /// Means.
    pub means: Arc<Vec<f64>>,
    /// Standard deviations without observation noise; empty if they were not asked for.
    pub std_devs: Arc<Vec<f64>>,
}

/// The mean of every source's process at each row of the target.
///
/// The processes belong to (source, seed): all targets share them.
///
/// # Errors
/// Those of [`Setting::sources`] and of the fits.
pub(crate) fn source_means(
    setting: &Setting,
    model: SourceModel,
) -> Result<Vec<SourcePrediction>, EngineError> {
    predictions(setting, model, false)
}

/// As [`source_means`], with standard deviations: they cost a triangular solve per source.
///
/// # Errors
/// Those of [`source_means`].
pub(crate) fn source_predictions(
    setting: &Setting,
    model: SourceModel,
) -> Result<Vec<SourcePrediction>, EngineError> {
    predictions(setting, model, true)
}

/// A source's process, with the rows that it is conditioned on.
pub(crate) struct SourceProcess {
    /// Hyperparameters, mean and weights of the rows.
    pub posterior: Posterior,
    /// Encoded configurations of the rows, one after the other; the first ones are those that the hyperparameters are
    /// fitted to.
    pub points: Vec<f64>,
}

/// The process of every source, in the order of the table: fitted, or found fitted.
///
/// # Errors
/// Those of [`Setting::sources`] and of the fits.
pub(crate) fn source_processes(
    setting: &Setting,
    model: SourceModel,
) -> Result<Vec<SourceProcess>, EngineError> {
    let sources = setting.sources(model.transform)?;
    let processes = sources
        .iter()
        .map(|source| source_process(setting, model, source));
    processes.collect()
}

fn source_process(
    setting: &Setting,
    model: SourceModel,
    source: Source,
) -> Result<SourceProcess, EngineError> {
    let sample = SourceSample::new(setting, source, ROWS);
    Ok(SourceProcess {
        posterior: posterior(setting, model, source, &sample)?,
        points: sample.points,
    })
}

impl SourceProcess {
    /// The points that standard deviations and covariances are those given of.
    pub(crate) fn fitted_points(&self) -> &[f64] {
        let most = FITTED_ROWS * self.posterior.weights.len();
        &self.points[..most.min(self.points.len())]
    }
}

fn predictions(
    setting: &Setting,
    model: SourceModel,
    with_std_devs: bool,
) -> Result<Vec<SourcePrediction>, EngineError> {
    // Arranging a large pool costs more than all else where predictions are found.
    let arrange = || {
        let rows = (0..setting.rows() as u32).collect();
        CandidatePool::new(setting.space(), setting.columns(), rows)
    };
    let mut arranged = None;
    let target = (setting.table(), setting.target());
    let sources = setting.sources(model.transform)?;
    let predictions = sources.iter().map(|source| {
        let (name, shared) = (fit_name(setting, model, source), setting.shared());
        let means = shared.predictions(&name, Predicted::Means, target, || {
            let process = source_process(setting, model, source)?;
            let pool = arranged.get_or_insert_with(arrange);
            Ok(pool.means(&process.posterior, &process.points))
        })?;
        if !with_std_devs {
            let std_devs = Arc::default();
            return Ok(SourcePrediction { means, std_devs });
        }
        let std_devs = shared.predictions(&name, Predicted::StdDevs, target, || {
            let process = source_process(setting, model, source)?;
            let posterior = &process.posterior;
            let pool = arranged.get_or_insert_with(arrange);
            let mut std_devs = pool.std_devs(posterior, process.fitted_points())?;
            let least = LEAST_STD_DEV * posterior.signal.sqrt();
            std_devs
                .iter_mut()
                .for_each(|std_dev| *std_dev = std_dev.max(least));
            Ok(std_devs)
        })?;
        Ok(SourcePrediction { means, std_devs })
    });
    predictions.collect()
}

/// The options of the model as a part of the name of a fit: those of the Matern kernel are older and do not name it.
fn variant(model: SourceModel) -> &'static str {
    match (model.kernel, model.hyperprior) {
        (Kernel::Matern, hyperprior) => hyperprior.name(),
        (Kernel::SquaredExponential, Hyperprior::Gamma) => "gamma, se",
        (Kernel::SquaredExponential, Hyperprior::None) => "none, se",
    }
}

/// Names the fit of a source's process: it is the same for all targets.
fn fit_name<'a>(setting: &Setting<'a>, model: SourceModel, source: Source<'a>) -> FitName<'a> {
    FitName {
        variant: variant(model),
        ..setting.fit_name_of_task("source-process", VERSION, model.transform, source.task)
    }
}

/// The process of a source on its sample, hyperparameters and all: fitted, or found fitted.
fn posterior(
    setting: &Setting,
    model: SourceModel,
    source: Source,
    sample: &SourceSample,
) -> Result<Posterior, EngineError> {
    let width = setting.space().width();
    let name = fit_name(setting, model, source);
    let count = width + 3 + sample.targets.len();
    let stored = setting.shared().fit(&name, count, || {
        fitted_numbers(setting, model, &sample.points, &sample.targets, FITTED_ROWS)
    })?;
    Ok(posterior_of(&stored, width, model.kernel))
}

/// The numbers of the process on `points`, which lie one after the other, with a target each: weights, signal, noise, mean, alpha. Its
/// hyperparameters are fitted to the first points, at most that many.
///
/// # Errors
/// [`EngineError::LinearAlgebra`] if a kernel matrix cannot be factorised.
pub(crate) fn fitted_numbers(
    setting: &Setting,
    model: SourceModel,
    points: &[f64],
    targets: &[f64],
    most: usize,
) -> Result<Vec<f32>, EngineError> {
    let fitted = most.min(targets.len());
    let process = GaussianProcess::new(setting.space(), fitted, model.hyperprior);
    let mut process = process.with_kernel(model.kernel);
    for point in points.chunks_exact(setting.space().width()).take(fitted) {
        process.observe(point);
    }
    process.fit(&targets[..fitted])?;
    // The buffers of the fit go before the matrix of all points comes: both are large.
    let fit = process.into_posterior();
    let posterior = fit.conditioned_on(points, targets)?;
    let scalars = [posterior.signal, posterior.noise, posterior.mean];
    let numbers = [&posterior.weights[..], &scalars, &posterior.alpha].concat();
    Ok(numbers.into_iter().map(|number| number as f32).collect())
}

/// The process with these [`fitted_numbers`].
pub(crate) fn posterior_of(numbers: &[f32], width: usize, kernel: Kernel) -> Posterior {
    let numbers: Vec<f64> = numbers.iter().map(|&number| number.into()).collect();
    let (weights, rest) = numbers.split_at(width);
    Posterior {
        kernel,
        weights: weights.to_vec(),
        signal: rest[0],
        noise: rest[1],
        mean: rest[2],
        alpha: rest[3..].to_vec(),
    }
}

#[cfg(test)]
mod tests;
