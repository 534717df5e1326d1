//! The worker's priors, as the store has them: the one place that asks the worker.

use std::sync::Arc;

use loto_engine::EngineError;
use loto_engine::fits::SharedFits;
use loto_engine::prior::accuracy::root_mean_square_error;
use loto_engine::prior::parametric::ParametricPrior;
use loto_engine::setting::Setting;
use loto_engine::table::{Table, Task};
use loto_engine::transform::Transform;
use loto_transport::store::Store;
use loto_worker::consumer::StoreBlobs;
use tokio::runtime::Handle;

use super::FittedPriors;

/// Priors fitted by workers, read from a store.
pub(super) struct StoredPriors {
    fits: SharedFits,
}

impl StoredPriors {
    /// The priors in `store`, whose calls run on `runtime`.
    pub(super) fn new(store: Arc<dyn Store>, runtime: Handle) -> Self {
        Self {
            fits: SharedFits::new(Arc::new(StoreBlobs::new(store, runtime))),
        }
    }
}

impl FittedPriors for StoredPriors {
    fn rmse(&self, table: &Table, task: &Task, seed: u32) -> Result<Option<f64>, EngineError> {
        let Some(target) = table.tasks.iter().position(|other| other.name == task.name) else {
            return Ok(None);
        };
        let setting = Setting::new(table, target, seed, task.rows(), &self.fits);
        let prior = ParametricPrior::find(&setting, Transform::Copula)?;
        let error = |prior| root_mean_square_error(&prior, task, Transform::Copula);
        prior.map(error).transpose()
    }
}
