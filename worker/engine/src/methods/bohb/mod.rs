//! `bohb`: the model of BOHB at its full budget.
//!
//! - `kernel_density`: the density of good, or of other, configurations;
//! - `search`: the choice of each row.

mod kernel_density;
mod search;

use super::method::{Method, Spaces};
use super::parameters::{ParameterDescription, Range};
use search::BohbSearch;

const SAMPLES: ParameterDescription = ParameterDescription {
    name: "samples",
    default: "4",
    range: Range::Whole(1, 1000),
    summary: "number of candidates sampled around good configurations per choice",
};

const MINIMUM_BANDWIDTH: ParameterDescription = ParameterDescription {
    name: "minimum_bandwidth",
    default: "0.3",
    range: Range::Number(0.001, 1.0),
    summary: "least bandwidth of the kernels",
};

pub(super) const BOHB: Method = Method {
    id: "bohb",
    version: 1,
    summary: "BOHB's model at full budget: candidates likely under a density of the good and unlikely under one of the rest; no transfer",
    source: "Falkner, Klein, Hutter 2018 and its code HpBandSter; settings of Dong and Yang 2020; BOHB in ICML 2020, Table 2",
    spaces: Spaces::Categorical,
    parameters: &[SAMPLES, MINIMUM_BANDWIDTH],
    start: |setting, parameters| {
        let samples = parameters.whole(&SAMPLES);
        let minimum_bandwidth = parameters.number(&MINIMUM_BANDWIDTH);
        Ok(Box::new(BohbSearch::new(
            setting,
            samples,
            minimum_bandwidth,
        )))
    },
};
