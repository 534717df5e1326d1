//! One fit per (table, target task, seed, transform), shared by all methods that
//! use it: in one process by whoever comes first, across workers through the store.

use std::num::NonZeroUsize;
use std::sync::Arc;

use loto_proto::identity::{ContentHasher, Fingerprint};

use super::ParametricPrior;
use super::network::Network;
use super::training::{self, Source};
use crate::WorkerError;
use crate::random::{Purpose, RandomStream};
use crate::runner::Blobs;
use crate::runner::cache::Cache;
use crate::table::{Table, Task};
use crate::transform::Transform;

/// Raised whenever the fit changes, so that no old weights are found.
const VERSION: u64 = 1;

/// Rows predicted at a time.
const PREDICTION_ROWS: usize = 1024;

/// Fitted weights kept in memory: about 30 KB each.
const KEPT: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Transformed sources kept in memory.
const KEPT_TRANSFORMED: NonZeroUsize = NonZeroUsize::new(8).unwrap();

/// Fits priors, or finds them fitted.
pub struct SharedPriors {
    blobs: Arc<dyn Blobs>,
    weights: Cache<String, Vec<f32>>,
    /// Every task's transformed objective, by table and transform.
    transformed: Cache<(Fingerprint, Transform), Vec<Vec<f64>>>,
}

impl SharedPriors {
    /// Shares fitted weights through `blobs`.
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self {
            blobs,
            weights: Cache::new(KEPT),
            transformed: Cache::new(KEPT_TRANSFORMED),
        }
    }

    /// The prior for a target task and seed, fitted to all other tasks of the table.
    ///
    /// # Errors
    /// [`WorkerError::ImpossibleJob`] if there is no source task; those of the store.
    pub fn prior(
        &self,
        table: &Table,
        target: &Task,
        seed: u32,
        transform: Transform,
    ) -> Result<ParametricPrior, WorkerError> {
        let network = Network::new(table.space.width());
        let name = blob_name(table.fingerprint, &target.name, seed, transform);
        let weights = self.weights.get_or_make(&name, || {
            if let Some(bytes) = self.blobs.get(&name)? {
                return decode(&bytes, network.weight_count(), &name);
            }
            let weights = self.fit(table, target, seed, transform)?;
            self.blobs.put(&name, &encode(&weights))?;
            Ok(weights)
        })?;
        Ok(predict(&network, &weights, table, target))
    }

    fn fit(
        &self,
        table: &Table,
        target: &Task,
        seed: u32,
        transform: Transform,
    ) -> Result<Vec<f32>, WorkerError> {
        let key = (table.fingerprint, transform);
        let transformed = self.transformed.get_or_make(&key, || {
            let tasks = table.tasks.iter();
            tasks
                .map(|task| transform_source(task, transform))
                .collect()
        })?;
        let sources: Vec<Source> = table
            .tasks
            .iter()
            .zip(transformed.iter())
            .filter(|(task, _)| task.name != target.name)
            .map(|(task, targets)| Source { task, targets })
            .collect();
        if sources.is_empty() {
            return Err(WorkerError::ImpossibleJob(format!(
                "`{}` is the only task of its table: there is nothing to transfer from",
                target.name
            )));
        }
        let mut random = RandomStream::new(Purpose::Prior, table.fingerprint, &target.name, seed);
        Ok(training::fit(&table.space, &sources, &mut random))
    }
}

fn transform_source(task: &Task, transform: Transform) -> Result<Vec<f64>, WorkerError> {
    if task.rows() < 2 {
        return Err(WorkerError::ImpossibleJob(format!(
            "source task `{}` has 1 row, a prior needs at least 2",
            task.name
        )));
    }
    let mut transformed = Vec::new();
    transform.apply(&task.objective, &mut transformed);
    Ok(transformed)
}

fn predict(network: &Network, weights: &[f32], table: &Table, target: &Task) -> ParametricPrior {
    let width = network.width();
    let mut prior = ParametricPrior {
        means: Vec::with_capacity(target.rows()),
        deviations: Vec::with_capacity(target.rows()),
    };
    let mut point = vec![0.0; width];
    let mut inputs = Vec::new();
    for first in (0..target.rows()).step_by(PREDICTION_ROWS) {
        inputs.clear();
        for row in first..target.rows().min(first + PREDICTION_ROWS) {
            table.space.encode(&target.columns, row, &mut point);
            inputs.extend(point.iter().map(|&coordinate| coordinate as f32));
        }
        for (mean, deviation) in network.predict(weights, &inputs) {
            prior.means.push(mean.into());
            prior.deviations.push(deviation.into());
        }
    }
    prior
}

fn blob_name(table: Fingerprint, task: &str, seed: u32, transform: Transform) -> String {
    let mut hasher = ContentHasher::new("loto prior 1");
    hasher
        .number(VERSION)
        .field(transform.versioned_name().as_bytes())
        .field(&table.0)
        .field(task.as_bytes())
        .number(seed.into());
    format!("prior:{}", Fingerprint(hasher.finish_identifier()))
}

fn encode(weights: &[f32]) -> Vec<u8> {
    weights
        .iter()
        .flat_map(|weight| weight.to_le_bytes())
        .collect()
}

fn decode(bytes: &[u8], count: usize, name: &str) -> Result<Vec<f32>, WorkerError> {
    let weights: Vec<f32> = bytes
        .chunks_exact(4)
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect();
    if bytes.len() != 4 * count || weights.iter().any(|weight| !weight.is_finite()) {
        return Err(WorkerError::CorruptBlob {
            name: name.to_owned(),
            problem: format!("expected {count} finite weights in {} bytes", 4 * count),
        });
    }
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_survive_the_store_and_damage_is_noticed() {
        let weights = vec![1.5, -2.25, 0.0];
        let bytes = encode(&weights);
        assert_eq!(decode(&bytes, 3, "prior:x").unwrap(), weights);
        for damaged in [&bytes[..11], &[255; 12]] {
            let error = decode(damaged, 3, "prior:x").unwrap_err().to_string();
            assert!(error.contains("prior:x"), "{error}");
        }
    }

    #[test]
    fn each_part_of_the_key_names_another_prior() {
        let name = |task, seed, transform| blob_name(Fingerprint([1; 16]), task, seed, transform);
        let base = name("a", 0, Transform::Copula);
        assert_ne!(base, name("b", 0, Transform::Copula));
        assert_ne!(base, name("a", 1, Transform::Copula));
        assert_ne!(base, name("a", 0, Transform::Standardisation));
    }
}
