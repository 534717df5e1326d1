//! Bayesian linear regression on features that a network learns from all source
//! tasks: adaptive Bayesian linear regression (Perrone, Jenatton, Seeger and
//! Archambeau 2018, Scalable hyperparameter transfer learning).
//!
//! - [`evidence`]: one task's regression, its marginal likelihood and gradient;
//! - [`features`]: the network;
//! - [`training`]: the network's fit to the sources, shared by the jobs of a target and seed;
//! - [`candidates`]: the best candidate of a pool.

pub mod candidates;
pub mod evidence;
pub mod features;
pub mod training;
