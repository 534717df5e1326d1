//! Searches that several methods are built from, and what they share.
//!
//! - [`random_search`]: rows in random order; the first rows of most other searches;
//! - [`thompson_sampling`]: draws from the parametric prior;
//! - [`bayesian_optimisation`]: expected improvement under a Gaussian process;
//! - [`pool_optimisation`]: expected improvement under a process whose prior the sources give;
//! - [`row_list`]: rows that are given, then random ones;
//! - [`greatest_open`]: the row of greatest score among those not evaluated;
//! - [`greatest_improvement`]: the row of greatest expected improvement under cheap predictions;
//! - [`least_prediction`]: the row for which the least is predicted;
//! - [`configurations`]: configurations as level numbers, for categorical spaces.

pub(crate) mod bayesian_optimisation;
pub(crate) mod configurations;
pub(crate) mod greatest_improvement;
pub(crate) mod greatest_open;
pub(crate) mod least_prediction;
pub(crate) mod pool_optimisation;
pub(crate) mod random_search;
pub(crate) mod row_list;
pub(crate) mod thompson_sampling;
