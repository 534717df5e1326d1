//! What methods are made of: ways to choose the next row.
//!
//! A search sees the configurations of its target, the source tasks, and the
//! values observed so far; it never sees the target's other values.

pub mod bohb;
pub mod configurations;
pub mod evolution;
pub mod gaussian_process;
pub mod kernel_density;
pub mod linear_regression;
pub mod policy;
pub mod random;
pub mod reinforce;
pub mod thompson;
pub mod transfer_acquisition;

use crate::EngineError;
use crate::history::History;

/// Chooses rows of the target, one at a time.
pub trait Search: Send {
    /// The next row to evaluate: one that is not evaluated yet.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if a fit fails.
    fn choose(&mut self, history: &History) -> Result<u32, EngineError>;
}
