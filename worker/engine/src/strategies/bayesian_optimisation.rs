//! Bayesian optimisation with a Gaussian process (ICML 2020, algorithm 2).

use super::random_search::random_priority;
use crate::acquisition::belief::Believed;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::target::TargetSurrogate;
use crate::table::encoding::{Column, Space};

/// Evaluations before the first fit (N0 in the papers).
pub(crate) const INITIAL: usize = 5;

/// After some rows of another search: fits the surrogate to all observations and
/// takes the row of greatest expected improvement among all that remain.
pub(crate) struct BayesianOptimisation<'a> {
    initial: Box<dyn Search + 'a>,
    initial_evaluations: usize,
    surrogate: TargetSurrogate<'a>,
    space: &'a Space,
    columns: &'a [Column],
    pool: CandidatePool,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
    belief: Option<Belief>,
}

/// Where the optimum is believed to be.
struct Belief {
    /// The logarithm of the belief in each row.
    logarithms: Vec<f64>,
    /// The power of the belief times the number of evaluations.
    strength: f64,
}

impl<'a> BayesianOptimisation<'a> {
    /// Takes the first [`INITIAL`] rows from `initial`.
    pub(crate) fn new(
        setting: &Setting<'a>,
        initial: Box<dyn Search + 'a>,
        surrogate: TargetSurrogate<'a>,
    ) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        Self {
            initial,
            initial_evaluations: INITIAL,
            surrogate,
            space,
            columns,
            pool: CandidatePool::new(space, columns, rows),
            priority: random_priority(setting),
            belief: None,
        }
    }

    /// Takes the first `evaluations` rows, at least 1, from the initial search.
    pub(crate) fn after(mut self, evaluations: usize) -> Self {
        self.initial_evaluations = evaluations.max(1);
        self
    }

    /// Multiplies expected improvement by a belief in each row, given by its logarithm, to the power
    /// `strength` / t after t evaluations.
    pub(crate) fn believing(self, logarithms: Vec<f64>, strength: f64) -> Self {
        let belief = Some(Belief {
            logarithms,
            strength,
        });
        Self { belief, ..self }
    }

    /// Searches among `rows` until all of them are evaluated, then among all rows.
    pub(crate) fn within(mut self, rows: Vec<u32>) -> Self {
        self.pool = CandidatePool::new(self.space, self.columns, rows);
        self
    }

    fn best_row(&mut self, observations: &Observations) -> Option<u32> {
        let process = &self.surrogate.process;
        let improvement = self.surrogate.log_expected_improvement();
        let (evaluated, priority) = (&observations.evaluated, &self.priority);
        match &self.belief {
            None => self
                .pool
                .best_row(process, &improvement, evaluated, priority),
            Some(belief) => {
                let believed = Believed {
                    acquisition: improvement,
                    log_belief: &belief.logarithms,
                    power: belief.strength / observations.rows.len() as f64,
                };
                self.pool.best_row(process, &believed, evaluated, priority)
            }
        }
    }

    fn widen(&mut self) {
        let rows = (0..self.priority.len() as u32).collect();
        self.pool = CandidatePool::new(self.space, self.columns, rows);
    }
}

impl Search for BayesianOptimisation<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.len() < self.initial_evaluations {
            return self.initial.choose(observations);
        }
        self.surrogate.fit(observations)?;
        if let Some(row) = self.best_row(observations) {
            return Ok(row);
        }
        self.widen();
        let row = self.best_row(observations);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
