//! `rea`: regularised evolution.

use super::parameters::{ParameterDescription, Range};
use super::{Method, Spaces};
use crate::search::evolution::RegularisedEvolution;

const POPULATION: ParameterDescription = ParameterDescription {
    name: "population",
    default: "10",
    range: Range::Whole(1, 1000),
    summary: "number of members; the first ones are random search's rows",
};

const SAMPLE: ParameterDescription = ParameterDescription {
    name: "sample",
    default: "3",
    range: Range::Whole(1, 1000),
    summary: "number of members drawn, with replacement, of which the best is the parent",
};

pub(super) const METHOD: Method = Method {
    id: "rea",
    version: 1,
    summary: "regularised evolution: a good member gets a child with one hyperparameter changed, the oldest dies; no transfer",
    source: "Real, Aggarwal, Huang, Le 2019, algorithm 1; settings of Dong and Yang 2020; R-EA in ICML 2020, Table 2",
    spaces: Spaces::Categorical,
    parameters: &[POPULATION, SAMPLE],
    start: |setting, parameters| {
        Ok(Box::new(RegularisedEvolution::new(
            setting,
            parameters.whole(&POPULATION),
            parameters.whole(&SAMPLE),
        )))
    },
};
