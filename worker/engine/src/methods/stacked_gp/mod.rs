//! `stacked-gp`: Gaussian processes on each other's residuals, source after source, the target's last.
//!
//! - `stack`: the sources' processes and their summed means.

mod stack;

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::error::{EngineError, ImpossibleJob};
use crate::prior::parametric::ParametricPrior;
use crate::search::{Observations, Search};
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::random_search::random_priority;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const STACKED_GP: Method = Method {
    id: "stacked-gp",
    version: 1,
    summary: "stack of Gaussian processes: each source's is on the residuals to the sum of those before, the target's \
              on the residuals to all",
    source: "Golovin et al. 2017, Google Vizier: a service for black-box optimization (KDD), section 3.3, with the \
             standard deviation of the target's process alone (MHGP of Tighineanu et al. 2022)",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let (transform, hyperprior) = (Transform::Standardisation, parameters.hyperprior());
        let means = stack::summed_means(setting, transform, hyperprior)?;
        let first = LeastPrediction {
            means: means.clone(),
            priority: random_priority(setting),
        };
        let prior = ParametricPrior {
            std_devs: vec![1.0; means.len()],
            means,
        };
        let surrogate = TargetSurrogate::on_residuals(setting, transform, hyperprior, prior);
        let search = BayesianOptimisation::new(setting, Box::new(first), surrogate);
        Ok(Box::new(search.after(1)))
    },
};

/// Takes the rows in the order of what is predicted for them.
struct LeastPrediction {
    means: Vec<f64>,
    priority: Vec<u32>,
}

impl Search for LeastPrediction {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let open = (0..self.means.len()).filter(|&row| !observations.evaluated[row]);
        let least = open.min_by(|&left, &right| {
            let by_mean = self.means[left].total_cmp(&self.means[right]);
            by_mean.then(self.priority[left].cmp(&self.priority[right]))
        });
        let row = least.map(|row| row as u32);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
