//! `gp`: Gaussian process on standardised observations, expected improvement.

use super::parameters::HYPERPRIOR;
use super::{Method, Spaces};
use crate::search::gaussian_process::GaussianProcessSearch;
use crate::search::random::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "gp",
    version: 2,
    summary: "Gaussian process on standardised observations, expected improvement; no transfer",
    source: "GP in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let initial = RandomSearch::new(setting);
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::new(setting, Transform::Standardisation, hyperprior);
        Ok(Box::new(GaussianProcessSearch::new(
            setting,
            Box::new(initial),
            surrogate,
        )))
    },
};
