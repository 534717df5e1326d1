//! The row for which the least is predicted.

use super::random_search::random_priority;
use crate::error::{EngineError, ImpossibleJob};
use crate::search::{Observations, Search};
use crate::setting::Setting;

/// Takes the rows in the order of what is predicted for them.
pub(crate) struct LeastPrediction {
    means: Vec<f64>,
    /// Breaks ties: the row's place in a random order.
    priority: Vec<u32>,
}

impl LeastPrediction {
    /// By a prediction for every row.
    pub(crate) fn new(setting: &Setting, means: Vec<f64>) -> Self {
        Self {
            means,
            priority: random_priority(setting),
        }
    }
}

impl Search for LeastPrediction {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let open = (0..self.means.len()).filter(|&row| !observations.evaluated[row]);
        let least = open.min_by(|&left, &right| {
            let by_mean = self.means[left].total_cmp(&self.means[right]);
            by_mean.then(self.priority[left].cmp(&self.priority[right]))
        });
        let row = least.map(|row| row as u32);
        row.ok_or_else(|| ImpossibleJob::NoRow("every row is evaluated").into())
    }
}
