//! The Gaussian process surrogate: constant mean (profiled out), Matern-5/2 kernel
//! with a lengthscale per coordinate, Gaussian noise.
//!
//! - [`matern`]: the kernel as a function of the scaled distance;
//! - [`hyperparameters`]: what is fitted, its bounds and priors;
//! - [`pairs`]: squared differences of the observed points;
//! - [`likelihood`]: the objective of the fit and its gradient;
//! - [`gaussian_process`]: the fit;
//! - [`conditioning`]: other data under the same hyperparameters;
//! - [`candidates`]: the best candidate of a whole pool;
//! - `pool_columns`: the pool's configurations, arranged for kernels;
//! - [`target`]: the process of a target task, on its transformed observations.

pub mod candidates;
pub(crate) mod conditioning;
pub mod gaussian_process;
pub mod hyperparameters;
pub(crate) mod likelihood;
pub(crate) mod matern;
pub(crate) mod pairs;
mod pool_columns;
pub(crate) mod target;
