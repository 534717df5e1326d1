//! What methods are made of: ways to choose the next row.
//!
//! A search sees the configurations of its target, the source tasks, and the
//! values observed so far; it never sees the target's other values.

pub mod bohb;
pub mod configurations;
pub mod evolution;
pub mod gaussian_process;
pub mod kernel_density;
pub mod policy;
pub mod random;
pub mod reinforce;
pub mod thompson;

use loto_proto::identity::Fingerprint;

use crate::WorkerError;
use crate::prior::ParametricPrior;
use crate::prior::sharing::SharedPriors;
use crate::random::{Purpose, RandomStream};
use crate::table::Table;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

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

/// What a method starts from: the job without its method.
pub struct Setting<'a> {
    table: &'a Table,
    target: usize,
    /// Seed of the job.
    seed: u32,
    /// Number of evaluations to come.
    pub iterations: usize,
    priors: &'a SharedPriors,
}

impl<'a> Setting<'a> {
    /// The setting of a job on the task at position `target` of the table.
    pub fn new(
        table: &'a Table,
        target: usize,
        seed: u32,
        iterations: usize,
        priors: &'a SharedPriors,
    ) -> Self {
        Self {
            table,
            target,
            seed,
            iterations,
            priors,
        }
    }

    /// The hyperparameters.
    pub fn space(&self) -> &'a Space {
        &self.table.space
    }

    /// The configurations of the target's rows.
    pub fn columns(&self) -> &'a [Column] {
        &self.table.tasks[self.target].columns
    }

    /// Number of rows of the target.
    pub fn rows(&self) -> usize {
        self.table.tasks[self.target].rows()
    }

    /// The job's random stream of that purpose.
    pub fn random(&self, purpose: Purpose) -> RandomStream {
        let table: Fingerprint = self.table.fingerprint;
        RandomStream::new(
            purpose,
            table,
            &self.table.tasks[self.target].name,
            self.seed,
        )
    }

    /// The parametric prior of the job's target and seed.
    ///
    /// # Errors
    /// Those of [`SharedPriors::prior`].
    pub fn prior(&self, transform: Transform) -> Result<ParametricPrior, WorkerError> {
        let target = &self.table.tasks[self.target];
        self.priors.prior(self.table, target, self.seed, transform)
    }
}
