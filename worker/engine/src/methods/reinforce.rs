//! `reinforce`: policy gradient.

use super::parameters::{ParameterDescription, Range};
use super::{Method, Spaces};
use crate::search::reinforce::Reinforce;

const LEARNING_RATE: ParameterDescription = ParameterDescription {
    name: "learning_rate",
    default: "0.001",
    range: Range::Number(0.0, 10.0),
    summary: "learning rate of ADAM on the policy's logits",
};

const BASELINE_MOMENTUM: ParameterDescription = ParameterDescription {
    name: "baseline_momentum",
    default: "0.9",
    range: Range::Number(0.0, 0.9999),
    summary: "share of its past that the moving average of the rewards keeps at each reward",
};

pub(super) const METHOD: Method = Method {
    id: "reinforce",
    version: 1,
    summary: "policy gradient: draws from a softmax policy that learns which levels give rewards above a moving average; no transfer",
    source: "Williams 1992; settings of Dong and Yang 2020; REINFORCE in ICML 2020, Table 2",
    spaces: Spaces::Categorical,
    parameters: &[LEARNING_RATE, BASELINE_MOMENTUM],
    start: |setting, parameters| {
        Ok(Box::new(Reinforce::new(
            setting,
            parameters.number(&LEARNING_RATE),
            parameters.number(&BASELINE_MOMENTUM),
        )))
    },
};
