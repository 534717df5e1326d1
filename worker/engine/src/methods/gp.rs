//! `gp` and `gcp`: Bayesian optimisation with a Gaussian process on the target's
//! observations alone; the two differ in the transform of the observations.

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, Parameters};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const GP: Method = Method {
    id: "gp",
    version: 3,
    summary: "Gaussian process on standardised observations, expected improvement; no transfer",
    source: "GP in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Transform::Standardisation),
};

pub(super) const GCP: Method = Method {
    id: "gcp",
    version: 3,
    summary: "Gaussian copula process: Gaussian process on Gaussian quantiles of the observations; no transfer",
    source: "GCP in ICML 2020, Table 2",
    start: |setting, parameters| start(setting, parameters, Transform::Copula),
    ..GP
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let initial = Box::new(RandomSearch::new(setting));
    let surrogate = TargetSurrogate::new(setting, transform, parameters.hyperprior());
    let search = BayesianOptimisation::new(setting, initial, surrogate);
    Ok(Box::new(search))
}
