//! Acquisition functions: how promising a candidate is, given its prediction.
//!
//! - [`function`]: what such a function is;
//! - [`expected_improvement`]: the one of most methods;
//! - `front`: those for two objectives;
//! - `belief`: an acquisition function times a belief in where the optimum is;
//! - [`maximisation`]: the best candidate of a pool.

pub(crate) mod belief;
pub mod expected_improvement;
pub(crate) mod front;
pub(crate) mod function;
pub(crate) mod maximisation;
