//! Expected improvement under the weighted sum of processes.

use super::model::ScamlModel;
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::acquisition::maximisation::Maximiser;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::sources::process::{SourceModel, source_processes};
use crate::strategies::least_prediction::LeastPrediction;
use crate::strategies::random_search::random_priority;
use crate::transform::Transform;

/// After the row of least mean over the sources: refits the sum and takes the row of greatest expected improvement.
pub(super) struct ScamlSearch<'a> {
    first: LeastPrediction,
    model: ScamlModel<'a>,
    maximiser: Maximiser,
    transform: Transform,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

impl<'a> ScamlSearch<'a> {
    /// With a process per source of that kind.
    ///
    /// # Errors
    /// Those of [`source_processes`].
    pub(super) fn new(setting: &Setting<'a>, model: SourceModel) -> Result<Self, EngineError> {
        let transform = model.transform;
        let model = ScamlModel::new(setting, &source_processes(setting, model)?)?;
        Ok(Self {
            first: LeastPrediction::new(setting, model.prior_means()),
            model,
            maximiser: Maximiser::new((0..setting.rows() as u32).collect()),
            transform,
            priority: random_priority(setting),
        })
    }
}

impl Search for ScamlSearch<'_> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.is_empty() {
            return self.first.choose(observations);
        }
        for &row in &observations.rows[self.model.count()..] {
            self.model.observe(row as usize);
        }
        let values = observations.transformed(self.transform);
        let incumbent = values.iter().copied().fold(f64::INFINITY, f64::min);
        self.model.fit(&values)?;
        let mut predictions = self.model.predictions()?;
        let improvement = LogExpectedImprovement::new(incumbent, predictions.largest_std_dev());
        let (evaluated, priority) = (&observations.evaluated, &self.priority);
        let row = self
            .maximiser
            .best_row(&mut predictions, &improvement, evaluated, priority);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}

#[cfg(test)]
mod tests;
