//! Reads all finished traces of a sweep to see whether they are sound.

use std::collections::HashMap;

use futures::{StreamExt, stream};
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::linear_algebra::LinearAlgebraCounts;
use super::objectives::ObjectiveCache;
use super::reading::{CONCURRENT_READS, Expected, TRACES_PER_READ, fetch};
use crate::CoordinatorError;
use crate::follower::Follower;
use crate::trace_check::DamagedTrace;

/// What there is to say of all finished traces of a sweep.
#[derive(Debug, Default)]
pub struct Inspected {
    /// Those that are of no use.
    pub damaged: Vec<DamagedTrace>,
    /// What computed the others.
    pub linear_algebra: LinearAlgebraCounts,
}

/// Reads every trace that the follower takes for done, and keeps none. Where a table is not in the store,
/// its traces are read but not compared with it.
///
/// # Errors
/// [`CoordinatorError`] if the store is unavailable, or a table damaged.
pub async fn inspect(
    follower: &Follower,
    store: &dyn Store,
) -> Result<Inspected, CoordinatorError> {
    let cache = ObjectiveCache::default();
    let mut tables = HashMap::new();
    let begun = follower
        .series()
        .iter()
        .filter(|series| series.done_count() > 0);
    for fingerprint in begun.clone().map(|followed| followed.series.table) {
        if tables.contains_key(&fingerprint) {
            continue;
        }
        let table = match cache.table(store, fingerprint, None).await {
            Ok(table) => Some(table),
            Err(CoordinatorError::Transport(TransportError::MissingTable(_))) => None,
            Err(error) => return Err(error),
        };
        tables.insert(fingerprint, table);
    }
    let mut reads = Vec::new();
    for followed in begun {
        let table = tables[&followed.series.table].as_ref();
        let objective = table.and_then(|table| table.of_series(&followed.series));
        let seeds: Vec<u32> = followed.done().collect();
        let chunks = seeds.chunks(TRACES_PER_READ);
        reads.extend(chunks.map(|seeds| (followed, objective.clone(), seeds.to_vec())));
    }
    let mut fetches = stream::iter(reads)
        .map(|(followed, objective, seeds)| async move {
            let expected = Expected {
                id: followed.id,
                series: &followed.series,
                objective: objective.as_ref(),
            };
            fetch(expected, seeds, store).await
        })
        .buffered(CONCURRENT_READS);
    let mut inspected = Inspected::default();
    while let Some(fetched) = fetches.next().await {
        let fetched = fetched?;
        inspected.damaged.extend(fetched.damaged);
        for (_, trace) in &fetched.sound {
            inspected.linear_algebra.count(&trace.linear_algebra);
        }
    }
    Ok(inspected)
}
