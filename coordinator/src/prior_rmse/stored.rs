//! The worker's priors, as the store has them: the one place that asks the worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use loto_proto::store::Store;
use loto_worker::WorkerError;
use loto_worker::consumer::StoreBlobs;
use loto_worker::prior::sharing::SharedPriors;
use loto_worker::runner::Blobs;
use loto_worker::table::{Table, Task};
use loto_worker::transform::Transform;
use tokio::runtime::Handle;

use super::FittedPriors;

/// Priors fitted by workers, read from a store.
pub(super) struct StoredPriors {
    blobs: Arc<FittedOnly>,
    priors: SharedPriors,
}

impl StoredPriors {
    /// The priors in `store`, whose calls run on `runtime`.
    pub(super) fn new(store: Arc<dyn Store>, runtime: Handle) -> Self {
        let blobs = Arc::new(FittedOnly {
            blobs: StoreBlobs::new(store, runtime),
            is_absent: AtomicBool::new(false),
        });
        Self {
            priors: SharedPriors::new(blobs.clone()),
            blobs,
        }
    }
}

impl FittedPriors for StoredPriors {
    fn rmse(&self, table: &Table, task: &Task, seed: u32) -> Result<Option<f64>, WorkerError> {
        if task.rows() < 2 {
            return Ok(None);
        }
        let prior = match self.priors.prior(table, task, seed, Transform::Copula) {
            Ok(prior) => prior,
            Err(_) if self.blobs.is_absent.swap(false, Ordering::Relaxed) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut transformed = Vec::new();
        Transform::Copula.apply(&task.objective, &mut transformed);
        let errors = transformed.iter().zip(&prior.means);
        let squares: f64 = errors.map(|(z, mean)| (z - mean).powi(2)).sum();
        Ok(Some((squares / transformed.len() as f64).sqrt()))
    }
}

/// Blobs that are there. To ask for another is an error, so that no prior is fitted.
struct FittedOnly {
    blobs: StoreBlobs,
    /// Set by the error of a blob that is not there.
    is_absent: AtomicBool,
}

impl Blobs for FittedOnly {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, WorkerError> {
        let bytes = self.blobs.get(name)?;
        if bytes.is_none() {
            self.is_absent.store(true, Ordering::Relaxed);
            return Err(WorkerError::ImpossibleJob(format!(
                "`{name}` is not in the store"
            )));
        }
        Ok(bytes)
    }

    fn put(&self, name: &str, _: &[u8]) -> Result<(), WorkerError> {
        Err(WorkerError::ImpossibleJob(format!(
            "`{name}` is to be kept by one who only reads"
        )))
    }
}
