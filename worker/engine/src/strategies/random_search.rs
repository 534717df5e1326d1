//! Uniform search without replacement.

use crate::error::{EngineError, ImpossibleJob};
use crate::random::StreamName;
use crate::search::{Observations, Search};
use crate::setting::Setting;

/// The order in which random search visits the rows.
const ORDER: StreamName = StreamName::new("random search", "order of rows");

/// Visits the rows in a random order that all methods of a job's setting share.
pub(crate) struct RandomSearch {
    order: Vec<u32>,
}

impl RandomSearch {
    /// Draws the order.
    pub(crate) fn new(setting: &Setting) -> Self {
        Self {
            order: random_order(setting),
        }
    }

    /// Visits the rows that are `preferred` before all others.
    pub(crate) fn preferring(setting: &Setting, preferred: impl Fn(u32) -> bool) -> Self {
        let mut order = random_order(setting);
        order.sort_by_key(|&row| !preferred(row));
        Self { order }
    }
}

/// The order in which random search visits the target's rows.
pub(crate) fn random_order(setting: &Setting) -> Vec<u32> {
    setting.random(ORDER).permutation(setting.rows() as u32)
}

/// Each row's place in the order of random search: breaks ties at random.
pub(crate) fn random_priority(setting: &Setting) -> Vec<u32> {
    let mut priority = vec![0; setting.rows()];
    for (place, &row) in random_order(setting).iter().enumerate() {
        priority[row as usize] = place as u32;
    }
    priority
}

impl Search for RandomSearch {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let mut unvisited = self
            .order
            .iter()
            .filter(|&&row| !observations.evaluated[row as usize]);
        let exhausted = || ImpossibleJob::NoRow("every row is evaluated").into();
        unvisited.next().copied().ok_or_else(exhausted)
    }
}
