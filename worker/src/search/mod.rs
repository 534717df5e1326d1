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

use crate::WorkerError;

/// Chooses rows of the target, one at a time.
pub trait Search: Send {
    /// The next row to evaluate: one that is not evaluated yet.
    ///
    /// # Errors
    /// [`WorkerError::LinearAlgebra`] if a fit fails.
    fn choose(&mut self, history: &History) -> Result<u32, WorkerError>;
}

/// The rows evaluated so far, with their values.
pub struct History {
    /// In order of evaluation.
    pub rows: Vec<u32>,
    /// Objective values of those rows.
    pub values: Vec<f64>,
    /// Whether each row of the target is evaluated.
    pub evaluated: Vec<bool>,
}

impl History {
    /// Nothing is evaluated yet, of a target with `rows` rows.
    pub fn new(rows: usize) -> Self {
        Self {
            rows: Vec::new(),
            values: Vec::new(),
            evaluated: vec![false; rows],
        }
    }

    /// Records an evaluation.
    pub fn record(&mut self, row: u32, value: f64) {
        self.rows.push(row);
        self.values.push(value);
        self.evaluated[row as usize] = true;
    }
}
