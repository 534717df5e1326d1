//! `hyperbo` and `hyperbo-plus`: a Gaussian process that is learned from the sources: all of it, or the priors on its
//! hyperparameters.
//!
//! - `learned_priors`: the distributions that `hyperbo-plus` learns.

mod learned_priors;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, ParameterDescription, Range, TRANSFORM};
use crate::prior::network::Noise;
use crate::prior::parametric::ParametricPrior;
use crate::search::Search;
use crate::sources::pooled_kernel::{PooledMean, pooled_kernel};
use crate::sources::process::{SourceModel, source_processes};
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::least_prediction::LeastPrediction;
use crate::strategies::pool_optimisation::PoolOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::kernel_prior::KernelPrior;
use crate::surrogate::moments::Moments;
use crate::surrogate::prior_pool::PriorPool;
use crate::surrogate::target::TargetSurrogate;
use learned_priors::learned_priors;

pub(super) const HYPERBO: Method = Method {
    id: "hyperbo",
    version: 3,
    summary: "Gaussian process whose mean and kernel are learned from the sources and then fixed; expected improvement from \
              the second row on",
    source: "Wang et al. 2024, Pre-trained Gaussian processes for Bayesian optimization (JMLR 25), section 4.2: HyperBO \
             with the likelihood as its objective",
    spaces: Spaces::All,
    parameters: &[MEAN, TRANSFORM],
    start: |setting, parameters| {
        let transform = parameters.transform();
        let (mean, means) = match parameters.word(&MEAN) {
            "constant" => (PooledMean::Constant, vec![0.0; setting.rows()]),
            _ => {
                let prior = ParametricPrior::new(setting, transform, Noise::Homoskedastic)?;
                (PooledMean::Network, prior.means)
            }
        };
        let first: Box<dyn Search> = match mean {
            PooledMean::Constant => Box::new(RandomSearch::new(setting)),
            PooledMean::Network => Box::new(LeastPrediction::new(setting, means.clone())),
        };
        let kernel = pooled_kernel(setting, transform, mean)?;
        let noise = kernel.noise;
        let deviations = Vec::new();
        let prior = KernelPrior::new(setting, kernel, Moments { means, deviations });
        let pool = PriorPool::new(prior, noise);
        Ok(Box::new(PoolOptimisation::new(
            setting, first, pool, transform,
        )))
    },
};

pub(super) const HYPERBO_PLUS: Method = Method {
    id: "hyperbo-plus",
    version: 2,
    summary: "gp whose priors on lengthscales, signal and noise are Gamma distributions that fit those of the sources' \
              processes; no value is transferred",
    source: "Fan et al. 2022, HyperBO+: Pre-training a universal prior for Bayesian optimization with hierarchical \
             Gaussian processes (arXiv 2212.10538), in two steps; MPHD of 2024 without its network",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR, TRANSFORM],
    start: |setting, parameters| {
        let model = SourceModel::matern(parameters.transform(), parameters.hyperprior());
        let priors = learned_priors(setting.space(), &source_processes(setting, model)?);
        let surrogate = TargetSurrogate::new(setting, model.transform, model.hyperprior);
        let initial = Box::new(RandomSearch::new(setting));
        let search = BayesianOptimisation::new(setting, initial, surrogate.with_priors(priors));
        Ok(Box::new(search))
    },
};

/// What the target's values are taken as deviations from.
const MEAN: ParameterDescription = ParameterDescription {
    name: "mean",
    default: "network",
    range: Range::Words(&["network", "constant"]),
    summary: "mean of the process: a network of the configuration, as in the paper, or a constant, which transfers \
              the kernel alone and begins with a random row",
};
