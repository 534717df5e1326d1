//! Rows that are given in an order, before random ones.

use super::random_search::RandomSearch;
use crate::error::EngineError;
use crate::search::{Observations, Search};
use crate::setting::Setting;

/// Visits the rows of a list, then all others in the order of random search.
pub(crate) struct RowList {
    rows: Vec<u32>,
    rest: RandomSearch,
}

impl RowList {
    /// Visits `rows` first.
    pub(crate) fn new(setting: &Setting, rows: Vec<u32>) -> Self {
        Self {
            rows,
            rest: RandomSearch::new(setting),
        }
    }
}

impl Search for RowList {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        let is_open = |row: &&u32| !observations.evaluated[**row as usize];
        match self.rows.iter().find(is_open) {
            Some(&row) => Ok(row),
            None => self.rest.choose(observations),
        }
    }
}
