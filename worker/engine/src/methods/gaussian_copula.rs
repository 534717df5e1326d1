//! `gcp`: Gaussian copula process.

use super::parameters::HYPERPRIOR;
use super::{Method, Spaces};
use crate::search::gaussian_process::GaussianProcessSearch;
use crate::search::random::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "gcp",
    version: 2,
    summary: "Gaussian copula process: Gaussian process on Gaussian quantiles of the observations; no transfer",
    source: "GCP in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let initial = RandomSearch::new(setting);
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::new(setting, Transform::Copula, hyperprior);
        Ok(Box::new(GaussianProcessSearch::new(
            setting,
            Box::new(initial),
            surrogate,
        )))
    },
};
