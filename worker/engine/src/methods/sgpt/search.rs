//! Bayesian optimisation by a transfer acquisition function (Wistuba, Schilling and
//! Schmidt-Thieme 2018, section 7).

use super::acquisition::TransferAcquisition;
use super::experts::Experts;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::process::source_means;
use crate::strategies::bayesian_optimisation::INITIAL;
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::target::TargetSurrogate;
use crate::transform::Transform;

/// After [`INITIAL`] rows, takes the row of greatest transfer acquisition.
pub(super) struct TransferAcquisitionSearch<'a> {
    /// Chooses the first rows; if there is none, the sources do.
    initial: Option<RandomSearch>,
    experts: Experts,
    surrogate: TargetSurrogate<'a>,
    pool: CandidatePool,
    priority: Vec<u32>,
    /// Weighted predicted improvement of the sources at every row.
    transferred: Vec<f64>,
}

impl<'a> TransferAcquisitionSearch<'a> {
    /// With a process per source and one on the target, all on objectives as `transform`
    /// maps them, and the `bandwidth` of the sources' weights.
    ///
    /// The first rows are those of `initial`. Without it the first is the one of least
    /// prediction summed over the sources, the next are those of greatest predicted
    /// improvement.
    ///
    /// # Errors
    /// Those of [`source_means`].
    pub(super) fn new(
        setting: &Setting<'a>,
        initial: Option<RandomSearch>,
        transform: Transform,
        hyperprior: Hyperprior,
        bandwidth: f64,
    ) -> Result<Self, EngineError> {
        let means = source_means(setting, transform, hyperprior)?;
        let rows = (0..setting.rows() as u32).collect();
        Ok(Self {
            initial,
            experts: Experts::new(means, bandwidth),
            surrogate: TargetSurrogate::new(setting, transform, hyperprior),
            pool: CandidatePool::new(setting.space(), setting.columns(), rows),
            priority: random_priority(setting),
            transferred: vec![0.0; setting.rows()],
        })
    }

    /// The row that the sources alone find best.
    fn most_transferred(&self, observations: &Observations) -> Option<u32> {
        let open = (0..self.priority.len()).filter(|&row| !observations.evaluated[row]);
        let best = open.max_by(|&left, &right| {
            let by_value = self.transferred[left].total_cmp(&self.transferred[right]);
            by_value.then(self.priority[right].cmp(&self.priority[left]))
        });
        best.map(|row| row as u32)
    }
}

impl Search for TransferAcquisitionSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.len() < INITIAL
            && let Some(initial) = &mut self.initial
        {
            return initial.choose(observations);
        }
        self.experts.transfer(observations, &mut self.transferred);
        let row = if observations.rows.len() < INITIAL {
            self.most_transferred(observations)
        } else {
            self.surrogate.fit(observations)?;
            let acquisition = TransferAcquisition {
                incumbent: self.surrogate.incumbent(),
                target_weight: self.experts.target_weight(),
                transferred: &self.transferred,
            };
            let process = self.surrogate.process();
            self.pool.best_row(
                process,
                &acquisition,
                &observations.evaluated,
                &self.priority,
            )
        };
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
