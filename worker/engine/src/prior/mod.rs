//! The parametric prior: a network that predicts, from a configuration alone, the
//! mean and standard deviation of its transformed objective, fitted to all source tasks
//! (ICML 2020, section 3 and 5).
//!
//! - [`network`]: the multi-layer perceptron, its likelihood and gradient;
//! - [`training`]: ADAM on batches of source rows;
//! - [`parametric`]: the fitted prior of a setting;
//! - [`accuracy`]: how well it predicts the target;
//! - [`simple_estimators`]: how well a linear model and nearest neighbours do.

pub mod accuracy;
pub mod network;
pub mod parametric;
pub mod simple_estimators;
pub mod training;
