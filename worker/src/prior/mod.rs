//! The parametric prior: a network that predicts, from a configuration alone, the
//! mean and deviation of its transformed objective, fitted to all source tasks
//! (ICML 2020, section 3 and 5).
//!
//! - [`network`]: the multi-layer perceptron, its likelihood and gradient;
//! - [`training`]: ADAM on batches of source rows;
//! - [`sharing`]: one fit per (target task, seed, transform), shared by all methods.

pub mod network;
pub mod sharing;
pub mod training;

/// A fitted prior's predictions for every row of the target task.
#[derive(Debug, Clone, PartialEq)]
pub struct ParametricPrior {
    /// Mean mu of the transformed objective.
    pub means: Vec<f64>,
    /// Standard deviation sigma.
    pub deviations: Vec<f64>,
}
