//! `reinforce`: policy gradient.
//!
//! - `policy`: the distribution over configurations that is learnt;
//! - `search`: the choice of each row.

mod policy;
mod search;

use super::method::{Method, Spaces};
use super::parameters::{ParameterDescription, Range};
use search::ReinforceSearch;

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

pub(super) const REINFORCE: Method = Method {
    id: "reinforce",
    version: 1,
    summary: "policy gradient: draws from a softmax policy that learns which levels give rewards above a moving average; no transfer",
    source: "Williams 1992; settings of Dong and Yang 2020; REINFORCE in ICML 2020, Table 2",
    spaces: Spaces::Categorical,
    parameters: &[LEARNING_RATE, BASELINE_MOMENTUM],
    start: |setting, parameters| {
        let learning_rate = parameters.number(&LEARNING_RATE);
        let baseline_momentum = parameters.number(&BASELINE_MOMENTUM);
        Ok(Box::new(ReinforceSearch::new(
            setting,
            learning_rate,
            baseline_momentum,
        )))
    },
};
