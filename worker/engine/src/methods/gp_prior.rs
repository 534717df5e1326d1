//! `gp-prior` and `gcp-prior`: Bayesian optimisation with a Gaussian process on
//! residuals of the parametric prior; the two differ in the transform of the objectives.

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, Parameters};
use crate::error::EngineError;
use crate::prior::parametric::ParametricPrior;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::thompson_sampling::ThompsonSampling;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const GP_PRIOR: Method = Method {
    id: "gp-prior",
    version: 3,
    summary: "Gaussian process on residuals of the parametric prior of ts",
    source: "GP + prior in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Transform::Standardisation),
};

pub(super) const GCP_PRIOR: Method = Method {
    id: "gcp-prior",
    version: 3,
    summary: "Gaussian copula process on residuals of the parametric prior of cts",
    source: "GCP + prior: ICML 2020, section 4.2, algorithm 2",
    start: |setting, parameters| start(setting, parameters, Transform::Copula),
    ..GP_PRIOR
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let prior = ParametricPrior::new(setting, transform)?;
    let initial = Box::new(ThompsonSampling::new(setting, prior.clone()));
    let hyperprior = parameters.hyperprior();
    let surrogate = TargetSurrogate::on_residuals(setting, transform, hyperprior, prior);
    let search = BayesianOptimisation::new(setting, initial, surrogate);
    Ok(Box::new(search))
}
