//! `gp-prior`: Gaussian process on residuals of the parametric prior of ts.

use super::parameters::HYPERPRIOR;
use super::{Method, Spaces};
use crate::search::gaussian_process::GaussianProcessSearch;
use crate::search::thompson::ThompsonSampling;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "gp-prior",
    version: 1,
    summary: "Gaussian process on residuals of the parametric prior of ts",
    source: "GP + prior in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let prior = setting.prior(Transform::Standardisation)?;
        Ok(Box::new(GaussianProcessSearch::new(
            setting,
            Box::new(ThompsonSampling::new(setting, prior.clone())),
            Transform::Standardisation,
            Some(prior),
            parameters.hyperprior(),
        )))
    },
};
