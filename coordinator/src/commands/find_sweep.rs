//! Finds the sweep of a store that the user means.

use loto_proto::excerpt::{excerpt, list};
use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::{Store, recorded};

use super::error::CommandError;
use crate::date::describe_date;
use crate::progress::Tracker;

/// Which sweep is meant by a name that several have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SameName {
    Newest,
    None,
}

/// The sweep whose id begins with `wanted`, or the newest one whose name is `wanted`: one with more seeds is a
/// sweep of its own.
///
/// # Errors
/// [`CommandError::UnknownSweep`], or [`CommandError::AmbiguousSweep`] if several ids begin so.
pub(super) async fn find_sweep(
    store: &dyn Store,
    wanted: &str,
) -> Result<(SweepId, Sweep), CommandError> {
    find(store, wanted, SameName::Newest).await
}

/// As [`find_sweep`]; a name that several sweeps have stands for none.
///
/// # Errors
/// [`CommandError::UnknownSweep`], or [`CommandError::AmbiguousSweep`] if there is more than one.
pub(super) async fn find_only_sweep(
    store: &dyn Store,
    wanted: &str,
) -> Result<(SweepId, Sweep), CommandError> {
    find(store, wanted, SameName::None).await
}

async fn find(
    store: &dyn Store,
    wanted: &str,
    same_name: SameName,
) -> Result<(SweepId, Sweep), CommandError> {
    let prefix = wanted.to_ascii_lowercase();
    // With the whole id, a damaged list is in nobody's way.
    if let Ok(id) = prefix.parse()
        && let Some(sweep) = store.sweep(id).await?
    {
        return Ok((id, sweep));
    }
    let all = store.sweeps().await?;
    let mut by_id = all.clone();
    // Every id begins with nothing, which is what a variable that is not set stands for.
    by_id.retain(|id| !prefix.is_empty() && id.to_string().starts_with(&prefix));
    match by_id.as_slice() {
        [id] => return Ok((*id, read(store, *id).await?)),
        [] => {}
        _ => return Err(ambiguous(wanted, "begin with it", by_id)),
    }
    let mut by_name = Vec::new();
    let mut others = Vec::new();
    let mut damaged = None;
    for id in &all {
        match read(store, *id).await {
            Ok(sweep) if sweep.name == wanted => by_name.push((*id, sweep)),
            Ok(other) => others.push(other.name),
            Err(CommandError::Transport(error)) if error.concerns_server() => {
                return Err(error.into());
            }
            Err(error) => damaged = Some(error),
        }
    }
    if by_name.len() > 1 {
        let ids: Vec<SweepId> = by_name.iter().map(|(id, _)| *id).collect();
        match same_name {
            SameName::None => return Err(ambiguous(wanted, "have this name", ids)),
            SameName::Newest => tell_of_older(store, wanted, &ids).await?,
        }
    }
    let unknown = || CommandError::UnknownSweep {
        wanted: wanted.to_owned(),
        known: all.len(),
        listed: list(others.iter().map(String::as_str)),
    };
    // The damaged one may be the one that is wanted.
    by_name.pop().ok_or_else(|| damaged.unwrap_or_else(unknown))
}

/// Says which of the sweeps of a name is meant: the last one.
async fn tell_of_older(
    store: &dyn Store,
    wanted: &str,
    ids: &[SweepId],
) -> Result<(), TransportError> {
    let mut described = Vec::new();
    for &id in ids.iter().rev() {
        described.push(match recorded_date(store, id).await? {
            Some(date) => format!("{id} of {date}"),
            None => id.to_string(),
        });
    }
    if let [newest, older @ ..] = described.as_slice() {
        tracing::info!(
            "{} sweeps have the name {}: this is the newest, {newest}; the others go by their ids: {}",
            ids.len(),
            excerpt(wanted),
            list(older.iter().map(String::as_str))
        );
    }
    Ok(())
}

/// The date when a sweep was recorded, as far as it is known.
pub(super) async fn recorded_date(
    store: &dyn Store,
    id: SweepId,
) -> Result<Option<String>, TransportError> {
    match recorded(store, id).await {
        Ok(time) => Ok(time.map(describe_date)),
        Err(error) if error.concerns_server() => Err(error),
        Err(error) => {
            tracing::warn!("{error}; the date is left out");
            Ok(None)
        }
    }
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

#[cfg(test)]
mod tests {
    use loto_transport::store::{EmbeddedStore, Sweeps};

    use crate::dispatch::record;
    use crate::plan::{Plan, SweepSource};

    use super::*;

    #[tokio::test]
    async fn of_several_sweeps_of_a_name_the_last_one_is_meant() {
        let store = EmbeddedStore::in_memory().await.unwrap();
        let mut plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
        let mut ids = Vec::new();
        for seeds in [5, 7, 6] {
            plan.sweep.seeds = seeds;
            ids.push(record(&plan, &store).await.unwrap());
        }
        // To run an older one again makes it no newer.
        plan.sweep.seeds = 5;
        assert_eq!(record(&plan, &store).await.unwrap(), ids[0]);
        let name = plan.sweep.name.clone();
        let (newest, sweep) = find_sweep(&store, &name).await.unwrap();
        assert_eq!((newest, sweep.seeds), (ids[2], 6));
        let (older, _) = find_sweep(&store, &ids[0].to_string()[..9]).await.unwrap();
        assert_eq!(older, ids[0]);
        let error = find_only_sweep(&store, &name)
            .await
            .unwrap_err()
            .to_string();
        assert!(
            ids.iter().all(|id| error.contains(&id.to_string())),
            "{error}"
        );
        let today = describe_date(std::time::SystemTime::now());
        let date = recorded_date(&store, newest).await.unwrap().unwrap();
        assert_eq!(date[..10], today[..10]);
        // A store of an earlier release has no dates.
        let old = EmbeddedStore::in_memory().await.unwrap();
        old.put_sweep(&plan.sweep).await.unwrap();
        assert_eq!(recorded_date(&old, ids[0]).await.unwrap(), None);
        // Nothing names no sweep, not even the only one.
        let error = find_sweep(&old, "").await.unwrap_err();
        assert!(
            matches!(error, CommandError::UnknownSweep { .. }),
            "{error}"
        );
    }
}
