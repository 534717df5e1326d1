//! `gp-prior`: Gaussian process on residuals of the parametric prior of ts.

use super::parameters::HYPERPRIOR;
use super::{Method, Spaces};
use crate::prior::ParametricPrior;
use crate::search::gaussian_process::GaussianProcessSearch;
use crate::search::thompson::ThompsonSampling;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "gp-prior",
    version: 2,
    summary: "Gaussian process on residuals of the parametric prior of ts",
    source: "GP + prior in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let prior = ParametricPrior::new(setting, Transform::Standardisation)?;
        let initial = ThompsonSampling::new(setting, prior.clone());
        let hyperprior = parameters.hyperprior();
        let surrogate =
            TargetSurrogate::on_residuals(setting, Transform::Standardisation, hyperprior, prior);
        Ok(Box::new(GaussianProcessSearch::new(
            setting,
            Box::new(initial),
            surrogate,
        )))
    },
};
