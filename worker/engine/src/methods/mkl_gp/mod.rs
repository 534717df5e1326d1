//! `mkl-gp` and `sqe-gp`: one Gaussian process on rows of the sources and of the target, whose kernel compares tasks by their
//! features; they differ in the kernel.
//!
//! - `perturbed`: a search some of whose choices are changed in one element.

mod perturbed;

use super::method::{Method, Spaces};
use super::parameters::{HYPERPRIOR, ParameterDescription, Parameters, Range};
use crate::error::EngineError;
use crate::search::Search;
use crate::setting::Setting;
use crate::sources::coupled::points::{Coupling, SourcePoints};
use crate::sources::coupled::prior::CoupledPrior;
use crate::strategies::least_prediction::LeastPrediction;
use crate::strategies::pool_optimisation::PoolOptimisation;
use crate::surrogate::prior_pool::{PriorPool, RowPrior};
use crate::transform::Transform;
use perturbed::Perturbed;

pub(super) const MKL_GP: Method = Method {
    id: "mkl-gp",
    version: 3,
    summary: "one Gaussian process on the target and its 20 nearest sources, by features of the tasks: the sum of a kernel \
              of each task and of one that all of them share; the sources choose the first row",
    source: "Yogatama and Mann 2014, Efficient transfer learning method for automatic hyperparameter tuning, section 3 \
             (MKL); MKL-GP in Wistuba, Schilling and Schmidt-Thieme 2018, section 8.3",
    spaces: Spaces::WithFeatures,
    parameters: &[PERTURB, HYPERPRIOR],
    start: |setting, parameters| start(setting, parameters, Coupling::Neighbours),
};

pub(super) const SQE_GP: Method = Method {
    id: "sqe-gp",
    version: 2,
    summary: "one Gaussian process on the target and all sources, with a squared exponential kernel on configurations and \
              features of the tasks together; the sources choose the first row",
    source: "Yogatama and Mann 2014, Efficient transfer learning method for automatic hyperparameter tuning, section 4.2 \
             (SQE)",
    start: |setting, parameters| start(setting, parameters, Coupling::Features),
    ..MKL_GP
};

const PERTURB: ParameterDescription = ParameterDescription {
    name: "perturb",
    default: "0",
    range: Range::Number(0.0, 1.0),
    summary: "probability with which one element of the chosen configuration is drawn anew; 0.25 in Yogatama and Mann 2014",
};

fn start<'a>(
    setting: &Setting<'a>,
    parameters: &Parameters,
    coupling: Coupling,
) -> Result<Box<dyn Search + 'a>, EngineError> {
    let transform = Transform::Standardisation;
    let points = SourcePoints::new(setting, transform, coupling)?;
    let hyperprior = parameters.hyperprior();
    let kind = "coupled-process";
    let prior = CoupledPrior::new(
        setting,
        kind,
        coupling,
        hyperprior,
        &points,
        &points.targets,
    )?;
    let noise = prior.noise();
    let initial = Box::new(LeastPrediction::new(setting, prior.means().to_vec()));
    let pool = PriorPool::new(prior, noise);
    let search = PoolOptimisation::new(setting, initial, pool, transform);
    let perturb = parameters.number(&PERTURB);
    Ok(match perturb > 0.0 {
        true => Box::new(Perturbed::new(setting, Box::new(search), perturb)),
        false => Box::new(search),
    })
}
