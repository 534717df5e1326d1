//! `ws-gp`: a Gaussian process that has seen the best configuration of every source.

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::sources::best_configurations::best_points;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

pub(super) const WS_GP: Method = Method {
    id: "ws-gp",
    version: 3,
    summary: "gp whose data begin with the best configuration of every source; one random \
              first evaluation",
    source: "WS GP in ICML 2020, Table 2 and appendix B; after Feurer et al. 2015, \
             Initializing Bayesian hyperparameter optimization via meta-learning",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        let best = best_points(setting, transform)?;
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::warm_started(setting, transform, hyperprior, &best);
        let initial = Box::new(RandomSearch::new(setting));
        let search = BayesianOptimisation::new(setting, initial, surrogate);
        Ok(Box::new(search.after(1)))
    },
};
