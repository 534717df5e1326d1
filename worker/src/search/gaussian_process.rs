//! Bayesian optimisation with a Gaussian process on transformed values, optionally
//! on residuals of the parametric prior (ICML 2020, algorithm 2).

use super::random::random_order;
use super::{History, Search, Setting};
use crate::WorkerError;
use crate::acquisition::expected_improvement::best_candidate;
use crate::prior::ParametricPrior;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::table::encoding::{Column, Space};
use crate::transform::Transform;

/// Evaluations before the first fit (N0 in the papers).
const INITIAL: usize = 5;

/// After [`INITIAL`] rows of another search: fits the process to all observations
/// and takes the row of greatest expected improvement among all that remain.
pub struct GaussianProcessSearch<'a> {
    initial: Box<dyn Search + 'a>,
    transform: Transform,
    prior: Option<ParametricPrior>,
    space: &'a Space,
    columns: &'a [Column],
    process: GaussianProcess,
    pool: CandidatePool,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
    targets: Vec<f64>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl<'a> GaussianProcessSearch<'a> {
    /// With `prior`, the process is on residuals (z - mu) / sigma and predictions
    /// are mapped back; without, on the transformed values z themselves.
    pub fn new(
        setting: &Setting<'a>,
        initial: Box<dyn Search + 'a>,
        transform: Transform,
        prior: Option<ParametricPrior>,
        hyperprior: Hyperprior,
    ) -> Self {
        let mut priority = vec![0; setting.rows()];
        for (place, &row) in random_order(setting).iter().enumerate() {
            priority[row as usize] = place as u32;
        }
        let space = setting.space();
        Self {
            initial,
            transform,
            prior,
            space,
            columns: setting.columns(),
            process: GaussianProcess::new(space, setting.iterations, hyperprior),
            pool: CandidatePool::new(space, setting.columns()),
            priority,
            targets: Vec::new(),
            means: Vec::new(),
            deviations: Vec::new(),
        }
    }

    /// Adds the rows evaluated since the last call to the process.
    fn observe(&mut self, history: &History) {
        let mut point = vec![0.0; self.space.width()];
        for &row in &history.rows[self.process.count()..] {
            self.space.encode(self.columns, row as usize, &mut point);
            self.process.observe(&point);
        }
    }

    /// Fits the process to the observations and predicts the transformed objective
    /// of every row; returns the least transformed observation.
    fn predict(&mut self, history: &History) -> Result<f64, WorkerError> {
        self.observe(history);
        self.transform.apply(&history.values, &mut self.targets);
        let incumbent = self.targets.iter().copied().fold(f64::INFINITY, f64::min);
        if let Some(prior) = &self.prior {
            for (target, &row) in self.targets.iter_mut().zip(&history.rows) {
                let row = row as usize;
                *target = (*target - prior.means[row]) / prior.deviations[row];
            }
        }
        self.process.fit(&self.targets)?;
        self.pool
            .predict(&self.process, &mut self.means, &mut self.deviations);
        if let Some(prior) = &self.prior {
            let predictions = self.means.iter_mut().zip(&mut self.deviations);
            let prior = prior.means.iter().zip(&prior.deviations);
            for ((mean, deviation), (prior_mean, prior_deviation)) in predictions.zip(prior) {
                *mean = *mean * prior_deviation + prior_mean;
                *deviation *= prior_deviation;
            }
        }
        Ok(incumbent)
    }
}

impl Search for GaussianProcessSearch<'_> {
    fn choose(&mut self, history: &History) -> Result<u32, WorkerError> {
        if history.rows.len() < INITIAL {
            return self.initial.choose(history);
        }
        let incumbent = self.predict(history)?;
        let row = best_candidate(
            &self.means,
            &self.deviations,
            incumbent,
            &history.evaluated,
            &self.priority,
        );
        row.map(|row| row as u32)
            .ok_or_else(|| WorkerError::ImpossibleJob("every row is evaluated".into()))
    }
}
