//! Uniform search without replacement.

use super::{History, Search, Setting};
use crate::WorkerError;
use crate::random::Purpose;

/// Visits the rows in a random order that all methods of a job's setting share.
pub struct RandomSearch {
    order: Vec<u32>,
}

impl RandomSearch {
    /// Draws the order.
    pub fn new(setting: &Setting) -> Self {
        Self {
            order: random_order(setting),
        }
    }
}

/// The order in which random search visits the target's rows.
pub fn random_order(setting: &Setting) -> Vec<u32> {
    setting
        .random(Purpose::RandomSearch)
        .permutation(setting.rows() as u32)
}

impl Search for RandomSearch {
    fn choose(&mut self, history: &History) -> Result<u32, WorkerError> {
        let mut unvisited = self
            .order
            .iter()
            .filter(|&&row| !history.evaluated[row as usize]);
        let exhausted = || WorkerError::ImpossibleJob("every row is evaluated".into());
        unvisited.next().copied().ok_or_else(exhausted)
    }
}
