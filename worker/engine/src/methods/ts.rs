//! `ts`, `cts` and `cts-ho`: Thompson sampling from the parametric prior; they differ in the
//! transform of the sources' objectives and in what the prior says of the noise.

use super::method::{Method, Spaces};
use crate::error::EngineError;
use crate::prior::network::Noise;
use crate::prior::parametric::ParametricPrior;
use crate::search::Search;
use crate::setting::Setting;
use crate::strategies::thompson_sampling::ThompsonSampling;
use crate::transform::Transform;

pub(super) const TS: Method = Method {
    id: "ts",
    version: 3,
    summary: "Thompson sampling from a parametric prior fitted to standardised source tasks",
    source: "TS in ICML 2020, Table 2",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| start(setting, Transform::Standardisation, Noise::Heteroskedastic),
};

pub(super) const CTS: Method = Method {
    id: "cts",
    version: 2,
    summary: "copula Thompson sampling: from a parametric prior fitted to Gaussian quantiles of the source tasks",
    source: "CTS: ICML 2020, section 4.1, algorithm 1",
    start: |setting, _| start(setting, Transform::Copula, Noise::Heteroskedastic),
    ..TS
};

pub(super) const CTS_HO: Method = Method {
    id: "cts-ho",
    version: 2,
    summary: "cts with one standard deviation for all configurations",
    source: "CTS Ho in Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning, \
             Table 2",
    start: |setting, _| start(setting, Transform::Copula, Noise::Homoskedastic),
    ..TS
};

fn start<'a>(
    setting: &Setting<'a>,
    transform: Transform,
    noise: Noise,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let prior = ParametricPrior::new(setting, transform, noise)?;
    Ok(Box::new(ThompsonSampling::new(setting, prior)))
}
