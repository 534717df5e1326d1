//! Bayesian optimisation with the sources' processes beside the target's: by a transfer acquisition function
//! (Wistuba, Schilling and Schmidt-Thieme 2018, section 7) or under their ensemble (section 6).

use super::acquisition::{TargetWeight, TransferAcquisition};
use super::ensemble::{Blend, EnsembleImprovement};
use super::experts::{Experts, Weighting, Weights};
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::process::{SourceModel, source_means, source_predictions};
use crate::strategies::greatest_open::greatest_open;
use crate::strategies::random_search::{RandomSearch, random_priority};
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::target::TargetSurrogate;

/// What is made of the sources' predictions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combination {
    /// Their predicted improvements are added to the expected improvement on the target (TAF).
    Improvements,
    /// Their means are averaged with the target's; the standard deviation is the target's, or that of the product
    /// of experts (SGPT).
    Means,
    /// The weighted sum of all processes, with its own standard deviation (RGPE).
    Sum,
}

/// Who chooses the first rows.
pub(super) struct FirstRows {
    /// Evaluations before the target's process has a say, at least 1.
    pub count: usize,
    /// Chooses them; if there is none, the sources do.
    pub search: Option<RandomSearch>,
}

/// Takes the row of greatest transfer acquisition, or of greatest expected improvement under the ensemble.
pub(super) struct EnsembleSearch<'a> {
    first: FirstRows,
    combination: Combination,
    experts: Experts,
    surrogate: TargetSurrogate<'a>,
    pool: CandidatePool,
    priority: Vec<u32>,
}

impl<'a> EnsembleSearch<'a> {
    /// With a process per source and one on the target, all of the same kind.
    ///
    /// Without a search for the first rows the first is the one of least prediction, averaged over the sources, and
    /// what else comes before the target's process is that of greatest predicted improvement.
    ///
    /// # Errors
    /// Those of [`source_means`].
    pub(super) fn new(
        setting: &Setting<'a>,
        model: SourceModel,
        weighting: Weighting,
        combination: Combination,
        first: FirstRows,
    ) -> Result<Self, EngineError> {
        let by_precision = matches!(weighting, Weighting::Precision);
        let predictions = match by_precision || combination == Combination::Sum {
            true => source_predictions(setting, model)?,
            false => source_means(setting, model)?,
        };
        let rows = (0..setting.rows() as u32).collect();
        let surrogate = TargetSurrogate::new(setting, model.transform, model.hyperprior);
        Ok(Self {
            first,
            combination,
            experts: Experts::new(predictions, weighting),
            surrogate: surrogate.with_kernel(model.kernel),
            pool: CandidatePool::new(setting.space(), setting.columns(), rows),
            priority: random_priority(setting),
        })
    }

    /// The row that the sources alone find best.
    fn most_transferred(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let weights = self.experts.weights(observations, &[], &[])?;
        let mut transferred = self.experts.improvements(&weights);
        if weights == Weights::Precision {
            let totals = self.experts.totals(&weights);
            let pairs = transferred.iter_mut().zip(totals);
            pairs.for_each(|(improvement, total)| *improvement /= total);
        }
        greatest_open(observations, &self.priority, |row| transferred[row])
    }

    /// The row that the sources and the target find best.
    fn best_row(&mut self, observations: &Observations) -> Result<Option<u32>, EngineError> {
        self.surrogate.fit(observations)?;
        let weights = match self.experts.hold_the_target_to_account() {
            true => {
                let targets = &self.surrogate.targets;
                let left_out = self.surrogate.process.leave_one_out_means(targets);
                self.experts.weights(observations, &left_out, targets)?
            }
            false => self.experts.weights(observations, &[], &[])?,
        };
        let (process, incumbent) = (&self.surrogate.process, self.surrogate.incumbent);
        let (evaluated, priority) = (&observations.evaluated, &self.priority);
        let (experts, pool) = (&self.experts, &mut self.pool);
        if self.combination == Combination::Improvements {
            let transferred = experts.improvements(&weights);
            let totals;
            let acquisition = TransferAcquisition {
                incumbent,
                target: match &weights {
                    Weights::Everywhere { target, .. } => TargetWeight::Everywhere(*target),
                    Weights::Precision => {
                        totals = experts.totals(&weights);
                        TargetWeight::Precision(&totals)
                    }
                },
                transferred: &transferred,
            };
            return Ok(pool.best_row(process, &acquisition, evaluated, priority));
        }
        let mut means = experts.means(&weights);
        let (totals, variances);
        let blend = match &weights {
            Weights::Everywhere { sources, target } => {
                let total = target + sources.iter().sum::<f64>();
                means.iter_mut().for_each(|mean| *mean /= total);
                variances = experts.variances(sources);
                Blend::Weighted {
                    target: target / total,
                    means: &means,
                    variances: (self.combination == Combination::Sum).then_some(&variances),
                }
            }
            Weights::Precision => {
                totals = experts.totals(&weights);
                Blend::Product {
                    models: experts.count() + 1,
                    means: &means,
                    precisions: &totals,
                }
            }
        };
        let improvement = EnsembleImprovement { incumbent, blend };
        Ok(pool.best_row(process, &improvement, evaluated, priority))
    }
}

impl Search for EnsembleSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let evaluations = observations.rows.len();
        let begins = evaluations < self.first.count;
        if begins && let Some(search) = &mut self.first.search {
            return search.choose(observations);
        }
        self.experts.observe(observations, self.surrogate.transform);
        if begins {
            return self.most_transferred(observations);
        }
        let row = self.best_row(observations)?;
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
