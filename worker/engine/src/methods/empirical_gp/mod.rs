//! `empirical-gp` and `empirical-gcp`: a Gaussian process whose prior mean and covariance are the moments of the
//! sources' predictions; they differ in the transform of the objectives.
//!
//! - `held_out`: how much the target may differ from them, by what sources say of each other.

mod held_out;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, Parameters};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::pooled_kernel::{PooledMean, pooled_kernel};
use crate::sources::process::{SourceModel, source_means, source_processes};
use crate::strategies::least_prediction::LeastPrediction;
use crate::strategies::pool_optimisation::PoolOptimisation;
use crate::surrogate::kernel_prior::KernelPrior;
use crate::surrogate::moments::Moments;
use crate::surrogate::prior_pool::PriorPool;
use crate::transform::Transform;

pub(super) const EMPIRICAL_GP: Method = Method {
    id: "empirical-gp",
    version: 2,
    summary: "Gaussian process whose prior is the mean and the covariance of the sources' predictions, plus a kernel for \
              what is the target's own; expected improvement from the second row on",
    source: "Wang, Kim and Kaelbling 2018, Regret bounds for meta Bayesian optimization with an unknown Gaussian process \
             prior (NeurIPS), section 4.1, with a kernel added; each source smoothed by a Gaussian process",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Transform::Standardisation),
};

pub(super) const EMPIRICAL_GCP: Method = Method {
    id: "empirical-gcp",
    summary: "empirical-gp on Gaussian quantiles of each task's objective",
    start: |setting, parameters| start(setting, parameters, Transform::Copula),
    ..EMPIRICAL_GP
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let model = SourceModel::matern(transform, parameters.hyperprior());
    let sources = source_processes(setting, model)?;
    let kernel = pooled_kernel(setting, transform, PooledMean::Constant)?;
    let own = held_out::own_variances(setting, transform, &sources, &kernel)?;
    let means = source_means(setting, model)?;
    let functions: Vec<&[f64]> = means.iter().map(|source| &source.means[..]).collect();
    let moments = Moments::of(&functions);
    let first = LeastPrediction::new(setting, moments.means.clone());
    let prior = KernelPrior::new(setting, kernel.with_signal(own.signal), moments);
    let pool = PriorPool::new(prior, own.noise);
    let search = PoolOptimisation::new(setting, Box::new(first), pool, transform);
    Ok(Box::new(search))
}
