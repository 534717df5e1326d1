//! Finds jobs of which two stores have different traces.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::identity::SeriesId;
use loto_proto::job::{Job, Series};
use loto_proto::trace::Trace;

use super::contents::StoreContents;
use super::error::{MergeConflict, MergeError};

/// A series, and which of its seeds each store has, by the store's position.
type Holdings<'a> = BTreeMap<SeriesId, (&'a Series, BTreeMap<usize, BTreeSet<u32>>)>;

/// Compares the traces of all jobs that more than one of the stores has done.
///
/// # Errors
/// [`MergeError::Conflicts`] if any of them differ, [`MergeError::Transport`] if a store fails.
pub(crate) async fn refuse_conflicts(stores: &[StoreContents]) -> Result<(), MergeError> {
    let mut conflicts = Vec::new();
    for (id, (series, holders)) in holdings(stores) {
        if holders.len() < 2 {
            continue;
        }
        let mut known: BTreeMap<u32, (usize, Trace)> = BTreeMap::new();
        for (position, seeds) in holders {
            let seeds: Vec<u32> = seeds.into_iter().collect();
            for (seed, trace) in stores[position].store.traces_of(id, &seeds).await? {
                let Some((first, known)) = known.get(&seed) else {
                    known.insert(seed, (position, trace));
                    continue;
                };
                if let Some(iteration) = known.first_difference(&trace) {
                    let job = Job {
                        series: series.clone(),
                        seed,
                    };
                    conflicts.push(MergeConflict {
                        job: Box::new(job),
                        iteration,
                        stores: [*first, position].map(|position| stores[position].name.clone()),
                        linear_algebra: [known.linear_algebra.clone(), trace.linear_algebra],
                    });
                }
            }
        }
    }
    if conflicts.is_empty() {
        return Ok(());
    }
    Err(MergeError::Conflicts(conflicts))
}

fn holdings(stores: &[StoreContents]) -> Holdings<'_> {
    let mut holdings = Holdings::new();
    for (position, contents) in stores.iter().enumerate() {
        for kept in &contents.sweeps {
            for followed in kept.follower.series() {
                let (_, holders) = holdings
                    .entry(followed.id)
                    .or_insert_with(|| (&followed.series, BTreeMap::new()));
                // Several sweeps of a store may have the same series.
                holders.entry(position).or_default().extend(followed.done());
            }
        }
    }
    holdings
}
