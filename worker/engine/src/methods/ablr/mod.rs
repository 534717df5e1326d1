//! `ablr` and `ablr-copula`: adaptive Bayesian linear regression on features that a
//! network learns from all source tasks (Perrone, Jenatton, Seeger and Archambeau 2018,
//! Scalable hyperparameter transfer learning); the two differ in the transform of the
//! objectives.
//!
//! - `features`: the network;
//! - `evidence`: the regression of one task, its marginal likelihood and gradient;
//! - `training_set`: the rows of all tasks;
//! - `joint_likelihood`: the likelihood of all tasks, and its minimisation;
//! - `source_fit`: the network's fit to the sources, shared by the jobs of a target and seed;
//! - `bounds`: what a regression predicts at most, in single precision;
//! - `candidates`: the best candidate of a pool;
//! - `search`: the choice of each row.

mod bounds;
mod candidates;
mod evidence;
mod features;
mod joint_likelihood;
mod search;
mod source_fit;
mod training_set;

use super::method::{Method, Spaces};
use crate::transform::Transform;
use search::LinearRegressionSearch;

pub(super) const ABLR: Method = Method {
    id: "ablr",
    version: 6,
    summary: "Bayesian linear regression on features that a network learns from the sources",
    source: "ABLR in ICML 2020, Table 2 and appendix B: Perrone et al. 2018, Scalable \
             hyperparameter transfer learning",
    spaces: Spaces::All,
    parameters: &[],
    start: |setting, _| {
        let search = LinearRegressionSearch::new(setting, Transform::Standardisation)?;
        Ok(Box::new(search))
    },
};

pub(super) const ABLR_COPULA: Method = Method {
    id: "ablr-copula",
    summary: "ablr on Gaussian quantiles of each task's objective",
    source: "ABLR Copula in ICML 2020, Table 2 and section 5.2",
    start: |setting, _| {
        let search = LinearRegressionSearch::new(setting, Transform::Copula)?;
        Ok(Box::new(search))
    },
    ..ABLR
};
