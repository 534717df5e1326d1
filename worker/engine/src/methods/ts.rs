//! `ts` and `cts`: Thompson sampling from the parametric prior; the two differ in the
//! transform of the sources' objectives.

use super::method::{Method, Spaces};
use crate::error::EngineError;
use crate::prior::parametric::ParametricPrior;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::thompson_sampling::ThompsonSampling;
use crate::transform::Transform;

pub(super) const TS: Method = Method {
    id: "ts",
    version: 2,
    summary: "Thompson sampling from a parametric prior fitted to standardised source tasks",
    source: "TS in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| start(setting, Transform::Standardisation),
};

pub(super) const CTS: Method = Method {
    id: "cts",
    version: 1,
    summary: "copula Thompson sampling: from a parametric prior fitted to Gaussian quantiles of the source tasks",
    source: "CTS: ICML 2020, section 4.1, algorithm 1",
    start: |setting, _| start(setting, Transform::Copula),
    ..TS
};

fn start<'a>(
    setting: &Setting<'a>,
    transform: Transform,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let prior = ParametricPrior::new(setting, transform)?;
    Ok(Box::new(ThompsonSampling::new(setting, prior)))
}
