//! Bayesian optimisation under a process whose prior the sources give.

use super::greatest_improvement::greatest_improvement;
use super::random_search::random_priority;
use crate::error::EngineError;
use crate::search::{Observations, Search};
use crate::setting::Setting;
use crate::surrogate::prior_pool::{PriorPool, RowPrior};
use crate::transform::Transform;

/// After a row of another search: takes the row of greatest expected improvement under the process.
pub(crate) struct PoolOptimisation<'a, P> {
    initial: Box<dyn Search + 'a>,
    pool: PriorPool<P>,
    transform: Transform,
    /// Breaks ties of the acquisition: the row's place in a random order.
    priority: Vec<u32>,
}

impl<'a, P: RowPrior> PoolOptimisation<'a, P> {
    /// The target's observations are transformed anew at each step.
    pub(crate) fn new(
        setting: &Setting<'a>,
        initial: Box<dyn Search + 'a>,
        pool: PriorPool<P>,
        transform: Transform,
    ) -> Self {
        Self {
            initial,
            pool,
            transform,
            priority: random_priority(setting),
        }
    }
}

impl<P: RowPrior> Search for PoolOptimisation<'_, P> {
    fn choose(&mut self, observations: &Observations) -> Result<u32, EngineError> {
        if observations.rows.is_empty() {
            return self.initial.choose(observations);
        }
        for &row in &observations.rows[self.pool.count()..] {
            self.pool.observe(row as usize);
        }
        let values = observations.transformed(self.transform);
        let means = self.pool.means(&values);
        greatest_improvement(observations, &values, &self.priority, |row| {
            (means[row], self.pool.std_dev(row))
        })
    }
}
