//! `pibo`: a Gaussian copula process whose acquisition follows a belief in where the optimum is, learned from the
//! sources.

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::prior::network::Noise;
use crate::prior::parametric::ParametricPrior;
use crate::special::normal;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::thompson_sampling::ThompsonSampling;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

/// The Gaussian quantile of the best tenth of a task's configurations, Phi^-1(0.1).
const BEST_TENTH: f64 = -1.281_551_565_544_600_4;

/// beta: the belief has the power beta / t after t evaluations.
const STRENGTH: f64 = 10.0;

pub(super) const PIBO: Method = Method {
    id: "pibo",
    version: 3,
    summary: "gcp whose expected improvement is multiplied by a belief to the power 10 / t: the probability, under the \
              prior of cts, that a configuration is among the best tenth",
    source: "Hvarfner et al. 2022, pi-BO: Augmenting acquisition functions with user beliefs for Bayesian \
             optimization (ICLR), with a belief learned from the sources",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Copula;
        let prior = ParametricPrior::new(setting, transform, Noise::Heteroskedastic)?;
        let predictions = prior.means.iter().zip(&prior.std_devs);
        let log_belief = predictions
            .map(|(mean, std_dev)| normal::log_cdf((BEST_TENTH - mean) / std_dev))
            .collect();
        let initial = Box::new(ThompsonSampling::new(setting, prior));
        let surrogate = TargetSurrogate::new(setting, transform, parameters.hyperprior());
        let search = BayesianOptimisation::new(setting, initial, surrogate);
        Ok(Box::new(search.believing(log_belief, STRENGTH)))
    },
};
