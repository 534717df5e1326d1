//! `gcp-prior`: Gaussian copula process on residuals of the parametric prior of cts.

use super::parameters::HYPERPRIOR;
use super::{Method, Spaces};
use crate::prior::ParametricPrior;
use crate::search::gaussian_process::GaussianProcessSearch;
use crate::search::thompson::ThompsonSampling;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "gcp-prior",
    version: 2,
    summary: "Gaussian copula process on residuals of the parametric prior of cts",
    source: "GCP + prior: ICML 2020, section 4.2, algorithm 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let prior = ParametricPrior::new(setting, Transform::Copula)?;
        let initial = ThompsonSampling::new(setting, prior.clone());
        let hyperprior = parameters.hyperprior();
        let surrogate =
            TargetSurrogate::on_residuals(setting, Transform::Copula, hyperprior, prior);
        Ok(Box::new(GaussianProcessSearch::new(
            setting,
            Box::new(initial),
            surrogate,
        )))
    },
};
