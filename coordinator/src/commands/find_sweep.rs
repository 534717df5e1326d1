//! Finds the sweep of a store that the user means.

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::Store;

use super::error::CommandError;
use crate::progress::Tracker;

/// The sweep whose id begins with `wanted`, or whose name is `wanted`.
///
/// # Errors
/// [`CommandError::UnknownSweep`], or [`CommandError::AmbiguousSweep`] if there is more than one.
pub(super) async fn find_sweep(
    store: &dyn Store,
    wanted: &str,
) -> Result<(SweepId, Sweep), CommandError> {
    let all = store.sweeps().await?;
    let prefix = wanted.to_ascii_lowercase();
    let mut by_id = all.clone();
    by_id.retain(|id| id.to_string().starts_with(&prefix));
    match by_id.as_slice() {
        [id] => return Ok((*id, read(store, *id).await?)),
        [] => {}
        _ => return Err(ambiguous(wanted, "begin with it", by_id)),
    }
    let mut by_name = Vec::new();
    for id in &all {
        let sweep = read(store, *id).await?;
        if sweep.name == wanted {
            by_name.push((*id, sweep));
        }
    }
    if by_name.len() > 1 {
        let ids = by_name.iter().map(|(id, _)| *id).collect();
        return Err(ambiguous(wanted, "have this name", ids));
    }
    by_name.pop().ok_or_else(|| CommandError::UnknownSweep {
        wanted: wanted.to_owned(),
        known: all.len(),
    })
}

/// Reads a sweep that the store lists.
///
/// # Errors
/// [`CommandError::LostSweep`], [`CommandError::Transport`].
pub(super) async fn read(store: &dyn Store, id: SweepId) -> Result<Sweep, CommandError> {
    let sweep = store.sweep(id).await?;
    sweep.ok_or(CommandError::LostSweep(id))
}

/// How far a sweep is now.
pub(super) async fn scanned(sweep: &Sweep, store: &dyn Store) -> Result<Tracker, TransportError> {
    let mut tracker = Tracker::new(sweep);
    tracker.scan(store).await?;
    Ok(tracker)
}

fn ambiguous(wanted: &str, have: &'static str, ids: Vec<SweepId>) -> CommandError {
    let wanted = wanted.to_owned();
    CommandError::AmbiguousSweep { wanted, have, ids }
}
