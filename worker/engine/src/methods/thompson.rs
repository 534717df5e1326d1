//! `ts`: Thompson sampling from a parametric prior fitted to standardised source tasks.

use super::{Method, Spaces};
use crate::prior::ParametricPrior;
use crate::search::thompson::ThompsonSampling;
use crate::transform::Transform;

pub(super) const METHOD: Method = Method {
    id: "ts",
    version: 1,
    summary: "Thompson sampling from a parametric prior fitted to standardised source tasks",
    source: "TS in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let prior = ParametricPrior::new(setting, Transform::Standardisation)?;
        Ok(Box::new(ThompsonSampling::new(setting, prior)))
    },
};
