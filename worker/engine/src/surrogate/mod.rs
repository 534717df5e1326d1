//! The Gaussian process surrogate: constant mean (profiled out), Matern-5/2 or squared exponential
//! kernel with a lengthscale per coordinate, Gaussian noise.
//!
//! - [`kernel`]: the kernels as functions of the scaled distance: `matern`, `squared_exponential`;
//! - [`hyperparameters`]: what is fitted, its bounds and priors;
//! - [`pairs`]: squared differences of the observed points;
//! - [`likelihood`]: the objective of the fit and its gradient;
//! - [`gaussian_process`]: the fit;
//! - [`conditioning`]: other data under the same hyperparameters;
//! - `covariances`: those of unobserved points;
//! - [`candidates`]: the best candidate of a whole pool;
//! - `pool_columns`: the pool's configurations, arranged for kernels: `pool_groups` of categorical ones, `pool_distances`
//!   to an observed point;
//! - `single_precision`: bounds on the predictions for a pool, which leave few to compute; `grid_bounds`: the same for a full
//!   grid at once; `pool_bounds`: the ones or the others; `joint_bounds`: tighter ones for what is left, given half of the
//!   observations (`spread_half`) and given all;
//! - [`prior_pool`]: a process on a target's rows with a prior from elsewhere;
//! - [`kernel_prior`]: such a prior of a known kernel and the `moments` of known functions;
//! - [`target`]: the process of a target task, on its transformed observations.

pub mod candidates;
pub(crate) mod conditioning;
mod covariances;
pub mod gaussian_process;
mod grid_bounds;
pub mod hyperparameters;
pub(crate) mod joint_bounds;
pub mod kernel;
pub(crate) mod kernel_prior;
pub(crate) mod likelihood;
pub(crate) mod matern;
pub(crate) mod moments;
pub(crate) mod pairs;
mod pool_bounds;
mod pool_columns;
mod pool_distances;
mod pool_groups;
pub(crate) mod prior_pool;
pub(crate) mod single_precision;
mod spread_half;
mod squared_exponential;
pub(crate) mod target;
