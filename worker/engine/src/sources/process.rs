//! A Gaussian process per source task, as transfer acquisition functions use them
//! (Wistuba, Schilling and Schmidt-Thieme 2018, section 5; ICML 2020, appendix B).

use super::sample::SourceSample;
use crate::error::EngineError;
use crate::fits::FitName;
use crate::setting::{Setting, Source};
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::{GaussianProcess, Posterior};
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel::Kernel;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 1;

/// Rows of a source that its process is conditioned on, at most.
const ROWS: usize = 1000;

/// Rows that its hyperparameters are fitted to, at most. A likelihood of 1000 rows
/// costs 40 times as much, and its optimum is nearly the same.
const FITTED_ROWS: usize = 300;

/// The mean of every source's process at each row of the target, in units of the
/// source's transformed objective.
///
/// The processes belong to (source, seed): all targets share them.
///
/// # Errors
/// Those of [`Setting::sources`] and of the fits.
pub(crate) fn source_means(
    setting: &Setting,
    transform: Transform,
    hyperprior: Hyperprior,
) -> Result<Vec<Vec<f64>>, EngineError> {
    let rows = (0..setting.rows() as u32).collect();
    let mut pool = CandidatePool::new(setting.space(), setting.columns(), rows);
    let sources = setting.sources(transform)?;
    let means = sources.iter().map(|source| {
        let sample = SourceSample::new(setting, source, ROWS);
        let posterior = posterior(setting, transform, hyperprior, source, &sample)?;
        Ok(pool.means(&posterior, &sample.points))
    });
    means.collect()
}

/// The process of a source on its sample, hyperparameters and all: fitted, or found fitted.
fn posterior(
    setting: &Setting,
    transform: Transform,
    hyperprior: Hyperprior,
    source: Source,
    sample: &SourceSample,
) -> Result<Posterior, EngineError> {
    let width = setting.space().width();
    let name = FitName {
        variant: hyperprior.name(),
        ..setting.fit_name_of_task("source-process", VERSION, transform, source.task)
    };
    // Numbers in this order: weights, signal, noise, mean, alpha.
    let count = width + 3 + sample.targets.len();
    let stored = setting.shared().fit(&name, count, || {
        let fitted = FITTED_ROWS.min(sample.targets.len());
        let mut process = GaussianProcess::new(setting.space(), fitted, hyperprior);
        for point in sample.points.chunks_exact(width).take(fitted) {
            process.observe(point);
        }
        process.fit(&sample.targets[..fitted])?;
        let fit = process.posterior();
        let posterior = fit.conditioned_on(&sample.points, &sample.targets)?;
        let scalars = [posterior.signal, posterior.noise, posterior.mean];
        let numbers = [&posterior.weights[..], &scalars, &posterior.alpha].concat();
        Ok(numbers.into_iter().map(|number| number as f32).collect())
    })?;
    let numbers: Vec<f64> = stored.iter().map(|&number| number.into()).collect();
    let (weights, rest) = numbers.split_at(width);
    Ok(Posterior {
        kernel: Kernel::Matern,
        weights: weights.to_vec(),
        signal: rest[0],
        noise: rest[1],
        mean: rest[2],
        alpha: rest[3..].to_vec(),
    })
}
