//! Which sweep of a store the user means.

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::store::Store;

use crate::CoordinatorError;

/// The sweep whose id begins with `wanted`, or whose name is `wanted`.
///
/// # Errors
/// [`CoordinatorError::UnknownSweep`] if there is none or more than one.
pub(super) async fn find_sweep(
    store: &dyn Store,
    wanted: &str,
) -> Result<(SweepId, Sweep), CoordinatorError> {
    let all = store.sweeps().await?;
    let prefix = wanted.to_ascii_lowercase();
    let by_id = all.iter().filter(|id| id.to_string().starts_with(&prefix));
    let by_id: Vec<SweepId> = by_id.copied().collect();
    match by_id.as_slice() {
        [id] => return Ok((*id, read(store, *id).await?)),
        [] => {}
        several => return Err(ambiguous(wanted, "begin with it", several)),
    }
    let mut by_name = Vec::new();
    for id in &all {
        let sweep = read(store, *id).await?;
        if sweep.name == wanted {
            by_name.push((*id, sweep));
        }
    }
    if by_name.len() > 1 {
        let ids: Vec<SweepId> = by_name.iter().map(|(id, _)| *id).collect();
        return Err(ambiguous(wanted, "have this name", &ids));
    }
    by_name.pop().ok_or_else(|| CoordinatorError::UnknownSweep {
        wanted: wanted.to_owned(),
        problem: format!(
            "no sweep of this id or name among the {} in the store; `loto status` lists them",
            all.len()
        ),
    })
}

/// Reads a sweep that the store lists.
///
/// # Errors
/// [`CoordinatorError::LostSweep`], [`CoordinatorError::Transport`].
pub(super) async fn read(store: &dyn Store, id: SweepId) -> Result<Sweep, CoordinatorError> {
    let sweep = store.sweep(id).await?;
    sweep.ok_or(CoordinatorError::LostSweep(id))
}

fn ambiguous(wanted: &str, how: &str, ids: &[SweepId]) -> CoordinatorError {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    CoordinatorError::UnknownSweep {
        wanted: wanted.to_owned(),
        problem: format!(
            "{} sweeps {how}, say which one by its id: {}",
            ids.len(),
            ids.join(", ")
        ),
    }
}
