//! The rows that the features are trained on, task by task.

use crate::error::EngineError;
use crate::setting::Setting;
use crate::sources::sample::SourceSample;
use crate::transform::Transform;

/// Rows of all sources together: what ICML 2020, appendix B, restricts itself to.
const ROWS: usize = 2000;

/// One of so many rows is in a sample of a task.
const ROWS_PER_SAMPLED: usize = 4;

/// Encoded rows of a task with their transformed objective.
pub(super) struct TrainingTask {
    /// Encoded configurations, one after the other.
    pub inputs: Vec<f32>,
    /// The transformed objective of each row.
    pub targets: Vec<f64>,
}

impl TrainingTask {
    /// Samples [`ROWS`] rows of the sources of a setting, about as many of each.
    ///
    /// # Errors
    /// Those of [`Setting::sources`].
    pub(super) fn of_sources(
        setting: &Setting,
        transform: Transform,
    ) -> Result<Vec<Self>, EngineError> {
        let sources = setting.sources(transform)?;
        let rows_each = ROWS.div_ceil(sources.iter().count());
        let sampled = sources.iter().map(|source| {
            let sample = SourceSample::new(setting, source, rows_each);
            let points = sample.points.iter().map(|&coordinate| coordinate as f32);
            Self {
                inputs: points.collect(),
                targets: sample.targets,
            }
        });
        Ok(sampled.collect())
    }

    /// A quarter of the rows, rounded up, which are in random order.
    pub(super) fn sample(&self) -> Self {
        let rows = self.targets.len().div_ceil(ROWS_PER_SAMPLED);
        let width = self.inputs.len() / self.targets.len();
        Self {
            inputs: self.inputs[..rows * width].to_vec(),
            targets: self.targets[..rows].to_vec(),
        }
    }
}
