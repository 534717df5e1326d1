//! Acquisition functions: how promising a candidate is, given its prediction.
//!
//! - [`function`]: what such a function is;
//! - [`expected_improvement`]: the one of most methods;
//! - [`maximisation`]: the best candidate of a pool.

pub mod expected_improvement;
pub(crate) mod function;
pub(crate) mod maximisation;
