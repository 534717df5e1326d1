//! `gp`, `gcp` and `i-gp`: Bayesian optimisation with a Gaussian process on the target's
//! observations alone; they differ in the transform of the observations, in the kernel and in the number of random
//! rows.

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, Parameters};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::{BayesianOptimisation, INITIAL};
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::kernel::Kernel;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const GP: Method = Method {
    id: "gp",
    version: 3,
    summary: "Gaussian process on standardised observations, expected improvement; no transfer",
    source: "GP in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        start(setting, parameters, transform, Kernel::Matern, INITIAL)
    },
};

pub(super) const GCP: Method = Method {
    id: "gcp",
    version: 3,
    summary: "Gaussian copula process: Gaussian process on Gaussian quantiles of the observations; no transfer",
    source: "GCP in ICML 2020, Table 2",
    start: |setting, parameters| {
        start(
            setting,
            parameters,
            Transform::Copula,
            Kernel::Matern,
            INITIAL,
        )
    },
    ..GP
};

pub(super) const I_GP: Method = Method {
    id: "i-gp",
    version: 1,
    summary: "gp with a squared exponential kernel and one random first row; no transfer",
    source: "I-GP in Wistuba, Schilling and Schmidt-Thieme 2018, Scalable Gaussian process-based transfer \
             surrogates, section 8.3",
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        start(
            setting,
            parameters,
            transform,
            Kernel::SquaredExponential,
            1,
        )
    },
    ..GP
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
    kernel: Kernel,
    initial_evaluations: usize,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let initial = Box::new(RandomSearch::new(setting));
    let surrogate = TargetSurrogate::new(setting, transform, parameters.hyperprior());
    let search = BayesianOptimisation::new(setting, initial, surrogate.with_kernel(kernel));
    Ok(Box::new(search.after(initial_evaluations)))
}
