//! `ws-gp-all`: one Gaussian process on evaluations of all sources and on those of the target.

use super::method::{Method, Spaces};
use super::parameters::HYPERPRIOR;
use crate::sources::sample::sampled_points;
use crate::strategies::bayesian_optimisation::BayesianOptimisation;
use crate::strategies::random_search::RandomSearch;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

/// Rows of all sources together, at most, if there are not more sources: the process is refitted to them and to the observations
/// at each step, which takes the cube of their number.
const ROWS: usize = 200;

pub(super) const WS_GP_ALL: Method = Method {
    id: "ws-gp-all",
    version: 2,
    summary: "gp whose data begin with evaluations of all sources, each standardised by itself; one random first \
              evaluation",
    source: "WS GP all in Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning, \
             Table 2",
    spaces: Spaces::All,
    parameters: &[HYPERPRIOR],
    start: |setting, parameters| {
        let transform = Transform::Standardisation;
        let warm = sampled_points(setting, transform, ROWS)?;
        let hyperprior = parameters.hyperprior();
        let surrogate = TargetSurrogate::warm_started(setting, transform, hyperprior, &warm);
        let initial = Box::new(RandomSearch::new(setting));
        let search = BayesianOptimisation::new(setting, initial, surrogate);
        Ok(Box::new(search.after(1)))
    },
};
