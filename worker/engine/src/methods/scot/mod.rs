//! `scot` and `scot-mkl`: surrogate collaborative tuning, a Gaussian process on what a ranking of all tasks' rows says of each
//! row; they differ in how the process couples tasks.
//!
//! - `ranker`: a linear function that orders the rows of every task;
//! - `search`: the process on its scores, and the choice of each row.

mod ranker;
mod search;

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::sources::coupled::points::Coupling;
use search::CollaborativeTuning;

pub(super) const SCOT: Method = Method {
    id: "scot",
    version: 1,
    summary: "surrogate collaborative tuning: a linear function ranks the rows of all tasks, and a Gaussian process on \
              configurations and features of the tasks smooths its scores",
    source: "Bardenet, Brendel, Kegl and Sebag 2013, Collaborative hyperparameter tuning (ICML), with the linear ranker of \
             Yogatama and Mann 2014, section 4.2; SCoT in Wistuba, Schilling and Schmidt-Thieme 2018, section 8.3",
    spaces: Spaces::WithFeatures,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let hyperprior = parameters.hyperprior();
        let search = CollaborativeTuning::new(setting, Coupling::Features, hyperprior)?;
        Ok(Box::new(search))
    },
};

pub(super) const SCOT_MKL: Method = Method {
    id: "scot-mkl",
    summary: "scot with the kernel of mkl-gp",
    source: "Bardenet et al. 2013 with the kernel of Yogatama and Mann 2014, section 4.2",
    start: |setting, parameters| {
        let hyperprior = parameters.hyperprior();
        let search = CollaborativeTuning::new(setting, Coupling::Neighbours, hyperprior)?;
        Ok(Box::new(search))
    },
    ..SCOT
};
