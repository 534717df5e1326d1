//! `scot` and `scot-mkl`: surrogate collaborative tuning, a Gaussian process on what a ranking of all tasks' rows says of each
//! row; they differ in how the process couples tasks.
//!
//! - `inputs`: what the ranker's scores are linear in;
//! - `ranker`: a function that orders the rows of every task;
//! - `search`: the process on its scores, and the choice of each row.

mod inputs;
mod ranker;
mod search;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, ParameterDescription, Parameters, Range};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::coupled::points::Coupling;
use inputs::RankerKernel;
use search::CollaborativeTuning;

pub(super) const SCOT: Method = Method {
    id: "scot",
    version: 2,
    summary: "surrogate collaborative tuning: a support vector machine ranks the rows of all tasks, and a Gaussian process on \
              configurations and features of the tasks smooths its scores",
    source: "Bardenet, Brendel, Kegl and Sebag 2013, Collaborative hyperparameter tuning (ICML); SCoT in Wistuba, Schilling \
             and Schmidt-Thieme 2018, section 8.2, with ranker = \"linear\"",
    spaces: Spaces::WithFeatures,
    parameters: &[RANKER, HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Coupling::Features),
};

pub(super) const SCOT_MKL: Method = Method {
    id: "scot-mkl",
    version: 3,
    summary: "scot with the kernel of mkl-gp",
    source: "Bardenet et al. 2013 with the kernel of Yogatama and Mann 2014, section 4.2, whose ranker is linear",
    start: |setting, parameters| start(setting, parameters, Coupling::Neighbours),
    ..SCOT
};

/// What the ranker can express.
const RANKER: ParameterDescription = ParameterDescription {
    name: "ranker",
    default: "rbf",
    range: Range::Words(&["rbf", "linear"]),
    summary: "kernel of the ranker: rbf, on configurations and features of the tasks, as in the first paper; linear, as later \
              papers have it to save time: one direction in the space of configurations, the same for all tasks",
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    coupling: Coupling,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let kernel = match parameters.word(&RANKER) {
        "linear" => RankerKernel::Linear,
        _ => RankerKernel::SquaredExponential,
    };
    let search = CollaborativeTuning::new(setting, kernel, coupling, parameters.hyperprior())?;
    Ok(Box::new(search))
}
