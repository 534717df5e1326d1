//! `cts`: copula Thompson sampling.

use super::{Method, Spaces};
use crate::prior::ParametricPrior;
use crate::search::thompson::ThompsonSampling;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "cts",
    version: 1,
    summary: "copula Thompson sampling: from a parametric prior fitted to Gaussian quantiles of the source tasks",
    source: "CTS: ICML 2020, section 4.1, algorithm 1",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let prior = ParametricPrior::new(setting, Transform::Copula)?;
        Ok(Box::new(ThompsonSampling::new(setting, prior)))
    },
};
