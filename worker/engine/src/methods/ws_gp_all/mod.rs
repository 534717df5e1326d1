//! `ws-gp-all`: one Gaussian process on the evaluations of all sources and of the target.
//!
//! - `joint_prior`: what the process says of the target's rows, given the sources.

mod joint_prior;

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::strategies::pool_optimisation::PoolOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::prior_pool::PriorPool;
use crate::transform::Transform;
use joint_prior::JointPrior;

pub(super) const WS_GP_ALL: Method = Method {
    id: "ws-gp-all",
    version: 1,
    summary: "gp whose data begin with evaluations of all sources, each standardised by itself; one random first \
              evaluation",
    source: "WS GP all in Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning, \
             Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        let prior = JointPrior::new(setting, transform, parameters.hyperprior())?;
        let noise = prior.noise();
        let initial = Box::new(RandomSearch::new(setting));
        let pool = PriorPool::new(prior, noise);
        Ok(Box::new(PoolOptimisation::new(
            setting, initial, pool, transform,
        )))
    },
};
