//! `gp-prior`, `gcp-prior` and `gcp-prior-ho`: Bayesian optimisation with a Gaussian process on
//! residuals of the parametric prior; they differ in the transform of the objectives and in what the
//! prior says of the noise.

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, Parameters};
use crate::error::EngineError;
use crate::prior::network::Noise;
use crate::prior::parametric::ParametricPrior;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::thompson_sampling::ThompsonSampling;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const GP_PRIOR: Method = Method {
    id: "gp-prior",
    version: 5,
    summary: "Gaussian process on residuals of the parametric prior of ts",
    source: "GP + prior in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        start(setting, parameters, transform, Noise::Heteroskedastic)
    },
};

pub(super) const GCP_PRIOR: Method = Method {
    id: "gcp-prior",
    version: 5,
    summary: "Gaussian copula process on residuals of the parametric prior of cts",
    source: "GCP + prior: ICML 2020, section 4.2, algorithm 2",
    start: |setting, parameters| {
        let transform = Transform::Copula;
        start(setting, parameters, transform, Noise::Heteroskedastic)
    },
    ..GP_PRIOR
};

pub(super) const GCP_PRIOR_HO: Method = Method {
    id: "gcp-prior-ho",
    version: 3,
    summary: "Gaussian copula process on residuals of the parametric prior of cts-ho",
    source: "CGP Ho in Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning, \
             Table 2",
    start: |setting, parameters| {
        start(setting, parameters, Transform::Copula, Noise::Homoskedastic)
    },
    ..GP_PRIOR
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    transform: Transform,
    noise: Noise,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let prior = ParametricPrior::new(setting, transform, noise)?;
    let initial = Box::new(ThompsonSampling::new(setting, prior.clone()));
    let hyperprior = parameters.hyperprior();
    let surrogate = TargetSurrogate::on_residuals(setting, transform, hyperprior, prior);
    let search = BayesianOptimisation::new(setting, initial, surrogate);
    Ok(Box::new(search))
}
