//! `fmlp`: Bayesian optimisation with factorised multilayer perceptrons on the rows of all tasks.
//!
//! - `network`: the network;
//! - `ensemble`: several of them, fitted to the sources;
//! - `search`: the choice of each row.

mod ensemble;
mod network;
mod search;

use super::method::{Method, Spaces};
use search::FactorisedSearch;

pub(super) const FMLP: Method = Method {
    id: "fmlp",
    version: 1,
    summary: "factorised multilayer perceptrons: five networks on configurations, features of the tasks and the task itself, \
              fitted to the sources and then to the target, too; the sources choose the first row",
    source: "FMLP in Wistuba, Schilling and Schmidt-Thieme 2018, section 8.3; Schilling, Wistuba, Drumond and \
             Schmidt-Thieme 2015, Hyperparameter optimization with factorized multilayer perceptrons (ECML)",
    spaces: Spaces::WithFeatures,
    parameters: &[],
    start: |setting, _| Ok(Box::new(FactorisedSearch::new(setting)?)),
};
