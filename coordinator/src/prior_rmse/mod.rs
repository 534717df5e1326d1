//! How hard it is to transfer to each task: the root mean square error of the copula
//! prior on the task's own rows (ICML 2020, section 5.1 and figure 4),
//!
//! RMSE = sqrt(1/N sum_i (z_i - mu(x_i))^2), z = psi(y),
//!
//! over the N rows of the task, averaged over those of the first 10 seeds whose prior is in
//! the store. A prior that knows nothing, mu = 0, has about 1. No prior is fitted for
//! this: a sweep whose methods fit none has no RMSE. Beside it are those of a linear model and of nearest neighbours, which
//! cost little and are computed here.

use std::collections::HashMap;
use std::sync::Arc;

use loto_engine::EngineError;
use loto_engine::blobs::{BlobError, Blobs};
use loto_engine::prior::accuracy::copula_prior_error;
use loto_engine::prior::simple_estimators::{SimpleErrors, simple_prior_errors};
use loto_engine::table::Table;
use loto_proto::identity::Fingerprint;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::TableSpec;
use loto_transport::store::Store;
use loto_worker::threads::StoreBlobs;
use tokio::runtime::Handle;

use crate::CoordinatorError;
use loto_statistics::analysis::SweepAnalysis;

/// Most seeds that are averaged over: seeds differ little, and in a store that older
/// workers filled each costs a prediction of every row.
const MOST_SEEDS: u32 = 10;

/// Fills in the RMSE of every task of a sweep whose copula prior is in the store, computed with the linear
/// algebra of one of its traces.
///
/// # Errors
/// [`CoordinatorError::Transport`] if the store fails, [`CoordinatorError::Engine`] if a table
/// or a prior in it is damaged.
pub async fn fill_in(
    analysis: &mut SweepAnalysis,
    sweep: &Sweep,
    store: Arc<dyn Store>,
) -> Result<(), CoordinatorError> {
    let mut errors: HashMap<(String, String), Errors> = HashMap::new();
    for blackbox in &sweep.blackboxes {
        let name = blackbox.table.blob_name();
        let Some(blob) = store.blob(&name).await? else {
            continue;
        };
        let blobs = StoreBlobs::new(Arc::clone(&store), Handle::current());
        let linear_algebra = analysis.linear_algebra.iter();
        let linear_algebra = linear_algebra.map(|one| one.description.clone()).collect();
        let found = all_of_blackbox(Arc::new(blobs), blob, blackbox, sweep.seeds, linear_algebra);
        errors.extend(
            found
                .await?
                .into_iter()
                .map(|(task, error)| ((blackbox.name.clone(), task), error)),
        );
    }
    for blackbox in &mut analysis.blackboxes {
        for task in &mut blackbox.tasks {
            let key = (blackbox.name.clone(), task.name.clone());
            let Some(found) = errors.get(&key) else {
                continue;
            };
            task.prior_rmse = Some(found.prior);
            task.linear_prior_rmse = found.simple.map(|simple| simple.linear);
            task.nearest_neighbours_prior_rmse =
                found.simple.and_then(|simple| simple.nearest_neighbours);
        }
    }
    Ok(())
}

/// Copies what [`fill_in`] reads for a sweep from one store to another, whose reports then have the same errors. `linear_algebra`
/// is what computed the traces.
///
/// # Errors
/// As [`fill_in`].
pub(crate) async fn copy(
    sweep: &Sweep,
    linear_algebra: &[String],
    from: &Arc<dyn Store>,
    to: &Arc<dyn Store>,
) -> Result<(), CoordinatorError> {
    for blackbox in &sweep.blackboxes {
        if let Some(blob) = from.blob(&blackbox.table.blob_name()).await? {
            let blobs = CopyingBlobs {
                from: StoreBlobs::new(Arc::clone(from), Handle::current()),
                to: StoreBlobs::new(Arc::clone(to), Handle::current()),
            };
            let linear_algebra = linear_algebra.to_vec();
            all_of_blackbox(Arc::new(blobs), blob, blackbox, sweep.seeds, linear_algebra).await?;
        }
    }
    Ok(())
}

/// The RMSE of what predicts a task.
struct Errors {
    prior: f64,
    simple: Option<SimpleErrors>,
}

/// Blobs of one store, which are copied to another one as they are read.
struct CopyingBlobs {
    from: StoreBlobs,
    to: StoreBlobs,
}

impl Blobs for CopyingBlobs {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let bytes = self.from.get(name)?;
        if let Some(bytes) = &bytes {
            self.to.put(name, bytes)?;
        }
        Ok(bytes)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError> {
        self.to.put(name, bytes)
    }
}

/// The RMSE of each target of a black box that has one; `blob` is its table.
async fn all_of_blackbox(
    blobs: Arc<dyn Blobs>,
    blob: Vec<u8>,
    blackbox: &Blackbox,
    seeds: u32,
    linear_algebra: Vec<String>,
) -> Result<Vec<(String, Errors)>, CoordinatorError> {
    let (table, targets) = (blackbox.table, blackbox.targets.clone());
    // Predictions keep a thread busy, and reading the store from it blocks.
    let computing = tokio::task::spawn_blocking(move || {
        let linear_algebra: Vec<_> = linear_algebra.iter().map(String::as_str).collect();
        all_of_table(&blobs, &blob, table, &targets, seeds, &linear_algebra)
    });
    let task = "computing the errors of priors";
    let died = |source| CoordinatorError::ThreadDied { task, source };
    computing.await.map_err(died)?
}

/// The RMSE of each of a table's targets that has one.
fn all_of_table(
    blobs: &Arc<dyn Blobs>,
    blob: &[u8],
    fingerprint: Fingerprint,
    targets: &[String],
    seeds: u32,
    linear_algebra: &[&str],
) -> Result<Vec<(String, Errors)>, CoordinatorError> {
    let (spec, file) = TableSpec::decode(blob, fingerprint)?;
    let table = Table::read(&file, &spec, &format!("{fingerprint} in the store"))
        .map_err(EngineError::from)?;
    let mut found = Vec::new();
    for task in targets.iter().filter_map(|target| table.task(target)) {
        let of_seed = |seed| copula_prior_error(blobs, &table, &task.name, seed, linear_algebra);
        if let Some(error) = mean_of_seeds(seeds, of_seed)? {
            let simple = simple_prior_errors(&table, &task.name)?;
            let errors = Errors {
                prior: error,
                simple,
            };
            found.push((task.name.clone(), errors));
        }
    }
    Ok(found)
}

/// The mean error over those of the first seeds for which there is one.
fn mean_of_seeds(
    seeds: u32,
    error_of_seed: impl Fn(u32) -> Result<Option<f64>, EngineError>,
) -> Result<Option<f64>, EngineError> {
    let (mut sum, mut count) = (0.0, 0.0);
    for seed in 0..seeds.min(MOST_SEEDS) {
        if let Some(error) = error_of_seed(seed)? {
            sum += error;
            count += 1.0;
        }
    }
    Ok((count > 0.0).then(|| sum / count))
}

#[cfg(test)]
mod tests;
