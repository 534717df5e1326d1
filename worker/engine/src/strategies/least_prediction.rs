//! The row for which the least is predicted.

use super::greatest_open::greatest_open;
use super::random_search::random_priority;
use crate::error::EngineError;
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
        greatest_open(observations, &self.priority, |row| -self.means[row])
    }
}
