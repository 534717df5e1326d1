//! Joins stores: the traces of several runs become those of one.
//!
//! Everything is read, checked and compared before anything is written:
//!
//! - [`StoreContents`] is what one store has, every trace of it compared with its table;
//! - `conflicts` finds jobs of which two stores have different traces;
//! - [`add`] puts into one store what another one has.

mod conflicts;
mod contents;
mod error;

use std::sync::Arc;

use loto_proto::job::Job;
use loto_transport::store::{Store, Stored};

pub(crate) use conflicts::refuse_conflicts;
pub(crate) use contents::StoreContents;
pub(crate) use error::MergeError;

use crate::dispatch::Inventory;
use crate::prior_rmse;

/// How many traces [`add`] found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Added {
    /// Traces that were not there before.
    pub(crate) new: usize,
    /// Traces that were there already.
    pub(crate) already: usize,
}

/// Puts all sweeps of a store into another one, with their tables, programs, traces and the errors of their priors. What is
/// there already stays. Fits are left out: they are made again where they are needed.
///
/// # Errors
/// [`MergeError::Transport`] and [`MergeError::Reading`] if a store fails. What was added by then stays; doing it again
/// adds the rest.
pub(crate) async fn add(
    contents: &StoreContents,
    into: &Arc<dyn Store>,
) -> Result<Added, MergeError> {
    let mut added = Added::default();
    let from = &contents.store;
    for kept in &contents.sweeps {
        let inventory = Inventory::read(kept.id, &kept.sweep, from.as_ref()).await?;
        inventory.record(into.as_ref()).await?;
        for followed in kept.follower.series() {
            let seeds: Vec<u32> = followed.done().collect();
            for (seed, trace) in from.traces_of(followed.id, &seeds).await? {
                let series = followed.series.clone();
                match into.put_trace(&Job { series, seed }, &trace).await? {
                    Stored::New => added.new += 1,
                    Stored::Already => added.already += 1,
                }
            }
        }
        prior_rmse::copy(&kept.sweep, &kept.linear_algebra, from, into).await?;
    }
    Ok(added)
}
