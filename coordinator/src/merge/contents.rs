//! What a store has that is to be merged.

use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::store::Store;

use super::error::MergeError;
use crate::follower::Follower;
use crate::results::inspect;

/// A store with what was found in it.
pub(crate) struct StoreContents {
    /// What people call it.
    pub(crate) name: String,
    pub(super) store: Arc<dyn Store>,
    pub(super) sweeps: Vec<SweepContents>,
}

/// A sweep with what is done of it.
pub(super) struct SweepContents {
    pub(super) id: SweepId,
    pub(super) sweep: Sweep,
    pub(super) follower: Follower,
    /// What computed its traces, the most frequent first.
    pub(super) linear_algebra: Vec<String>,
}

impl StoreContents {
    /// Reads all sweeps of a store and checks every trace against its table.
    ///
    /// # Errors
    /// [`MergeError::DamagedTraces`] and [`MergeError::DamagedValues`] if something in it is damaged,
    /// [`MergeError::Transport`] and [`MergeError::Reading`] if it cannot be read.
    pub(crate) async fn read(name: String, store: Arc<dyn Store>) -> Result<Self, MergeError> {
        let mut sweeps = Vec::new();
        for id in store.sweeps().await? {
            let sweep = store.sweep(id).await?;
            let sweep = sweep.ok_or_else(|| MergeError::LostSweep {
                store: name.clone(),
                sweep: id,
            })?;
            let mut follower = Follower::new(&sweep);
            follower.scan(store.as_ref()).await?;
            let inspected = inspect(&follower, store.as_ref()).await?;
            let count = inspected.damaged.len();
            if let Some(first) = inspected.damaged.into_iter().next() {
                return Err(MergeError::DamagedTraces {
                    store: name,
                    count,
                    first: Box::new(first),
                });
            }
            let linear_algebra = inspected.linear_algebra.most_frequent_first();
            sweeps.push(SweepContents {
                id,
                sweep,
                follower,
                linear_algebra: linear_algebra
                    .into_iter()
                    .map(|one| one.description)
                    .collect(),
            });
        }
        let passed_over = store.passed_over();
        if let Some(first) = passed_over.first() {
            return Err(MergeError::DamagedValues {
                store: name,
                count: passed_over.len(),
                first: first.problem.clone(),
            });
        }
        Ok(Self {
            name,
            store,
            sweeps,
        })
    }

    /// Whether there is nothing to merge.
    pub(crate) fn is_empty(&self) -> bool {
        self.sweeps.is_empty()
    }
}
