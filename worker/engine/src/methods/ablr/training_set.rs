//! The rows that the features are trained on, task by task.

use std::ops::Range;

use crate::error::EngineError;
use crate::setting::Setting;
use crate::sources::sample::SourceSample;
use crate::transform::Transform;

/// Rows of all sources together: what ICML 2020, appendix B, restricts itself to.
const ROWS: usize = 2000;

/// Encoded rows of several tasks with their transformed objective.
#[derive(Clone)]
pub(super) struct TrainingSet {
    /// Encoded configurations, one after the other.
    pub inputs: Vec<f32>,
    /// The transformed objective of each row.
    pub targets: Vec<f64>,
    /// The rows of each task.
    pub tasks: Vec<Range<usize>>,
}

impl TrainingSet {
    /// Samples [`ROWS`] rows of the sources of a setting, about as many of each.
    ///
    /// # Errors
    /// Those of [`Setting::sources`].
    pub(super) fn of_sources(setting: &Setting, transform: Transform) -> Result<Self, EngineError> {
        let sources = setting.sources(transform)?;
        let rows_each = ROWS.div_ceil(sources.iter().count());
        let mut set = Self {
            inputs: Vec::new(),
            targets: Vec::new(),
            tasks: Vec::new(),
        };
        for source in sources.iter() {
            let sample = SourceSample::new(setting, source, rows_each);
            let points = sample.points.iter().map(|&coordinate| coordinate as f32);
            set.add_task(points, sample.targets);
        }
        Ok(set)
    }

    /// Adds a task after the others.
    pub(super) fn add_task(&mut self, inputs: impl Iterator<Item = f32>, targets: Vec<f64>) {
        self.inputs.extend(inputs);
        let first = self.targets.len();
        self.targets.extend(targets);
        self.tasks.push(first..self.targets.len());
    }
}
