//! `stacked-gp`: Gaussian processes on each other's residuals, source after source, the target's last.
//!
//! - `stack`: the sources' processes and their summed means.

mod stack;

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::prior::parametric::ParametricPrior;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::least_prediction::LeastPrediction;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const STACKED_GP: Method = Method {
    id: "stacked-gp",
    version: 2,
    summary: "stack of Gaussian processes: each source's is on the residuals to the sum of those before, the target's \
              on the residuals to all",
    source: "Golovin et al. 2017, Google Vizier: a service for black-box optimization (KDD), section 3.3, with the \
             standard deviation of the target's process alone (MHGP of Tighineanu et al. 2022)",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let (transform, hyperprior) = (Transform::Standardisation, parameters.hyperprior());
        let means = stack::summed_means(setting, transform, hyperprior)?;
        let first = LeastPrediction::new(setting, means.clone());
        let prior = ParametricPrior {
            std_devs: vec![1.0; means.len()],
            means,
        };
        let surrogate = TargetSurrogate::on_residuals(setting, transform, hyperprior, prior);
        let search = BayesianOptimisation::new(setting, Box::new(first), surrogate);
        Ok(Box::new(search.after(1)))
    },
};
