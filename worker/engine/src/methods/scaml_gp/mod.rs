//! `scaml-gp`: the target as a weighted sum of the sources' Gaussian processes and a process of its own.
//!
//! - `source_covariances`: what each source's process leaves uncertain;
//! - `likelihood`: how likely the observations are under weights and hyperparameters, with its gradient;
//! - `model`: the fitted sum and its predictions;
//! - `search`: the choice of each row.

mod likelihood;
mod model;
mod search;
mod source_covariances;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, TRANSFORM};
use crate::sources::process::SourceModel;
use search::ScamlSearch;

pub(super) const SCAML_GP: Method = Method {
    id: "scaml-gp",
    version: 2,
    summary: "weighted sum of the sources' Gaussian processes and a process of the target's own, all weights and \
              hyperparameters fitted together at each step; expected improvement from the second row on",
    source: "Tighineanu et al. 2024, Scalable meta-learning with Gaussian processes (AISTATS), section 4: ScaML-GP",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR, TRANSFORM],
    start: |setting, parameters| {
        let model = SourceModel::matern(parameters.transform(), parameters.hyperprior());
        Ok(Box::new(ScamlSearch::new(setting, model)?))
    },
};
