//! Keeps the list of sweeps up to date.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_proto::limits::MAX_WATCHED_SWEEPS;
use loto_transport::TransportError;
use loto_transport::store::{Store, recorded};
use tokio::sync::watch;

use super::fragments::Fragments;
use super::listed_sweep::{Content, Listed};
use super::sections::{problems, sweep_list};
use crate::CoordinatorError;
use crate::aggregator::{Overview, Published, WatchedSweeps, to_status};

/// Most sweeps on the page: the newest.
const LISTED: usize = 100;

/// Of so many sweeps, the newest, the jobs are counted; of the others it is said only that they are there.
const COUNTED: usize = MAX_WATCHED_SWEEPS / 2;

const INTERVAL: Duration = Duration::from_secs(1);

const LIST: &str = "sweeps";

pub(super) fn fragments() -> Fragments {
    Fragments::new([LIST.to_owned()])
}

/// Keeps the list up to date for as long as it is polled.
pub(super) async fn keep_up(
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    sender: watch::Sender<Fragments>,
) {
    let mut followed = Vec::new();
    loop {
        let content = match list(store.as_ref(), &sweeps, &mut followed).await {
            Ok((listed, left_out)) => sweep_list::section(&listed, left_out),
            Err(error) => problems::failure(&to_status(error)),
        };
        sender.send_if_modified(|fragments| fragments.set(LIST, &content));
        tokio::time::sleep(INTERVAL).await;
    }
}

/// The newest sweeps, the newest first, and the number of those left out.
async fn list(
    store: &dyn Store,
    sweeps: &WatchedSweeps,
    followed: &mut Vec<(SweepId, Published<Overview>)>,
) -> Result<(Vec<Listed>, usize), CoordinatorError> {
    let ids = store.sweeps().await?;
    let left_out = ids.len().saturating_sub(LISTED);
    followed.retain(|(id, _)| ids.contains(id));
    let mut listed = Vec::new();
    for (position, &id) in ids.iter().rev().take(LISTED).enumerate() {
        let content = content(store, sweeps, followed, id, position < COUNTED).await?;
        let recorded = match recorded(store, id).await {
            Ok(time) => time,
            Err(error) if error.concerns_server() => return Err(error.into()),
            // The time of a sweep says nothing about its jobs.
            Err(_) => None,
        };
        listed.push(Listed {
            id,
            content,
            recorded,
        });
    }
    Ok((listed, left_out))
}

async fn content(
    store: &dyn Store,
    sweeps: &WatchedSweeps,
    followed: &mut Vec<(SweepId, Published<Overview>)>,
    id: SweepId,
    is_counted: bool,
) -> Result<Content, TransportError> {
    let sweep = match store.sweep(id).await {
        Ok(Some(sweep)) => sweep,
        Ok(None) => return Ok(Content::Damaged("the plan is gone from the store".into())),
        Err(error) if error.concerns_server() => return Err(error),
        Err(error) => return Ok(Content::Damaged(error.to_string())),
    };
    if is_counted && !followed.iter().any(|(known, _)| *known == id) {
        match sweeps.get(id).await {
            Ok(watched) => followed.push((id, watched.watch_overview())),
            Err(error) => return Ok(Content::Damaged(error.to_string())),
        }
    }
    let known = followed.iter().find(|(known, _)| *known == id);
    let snapshot = known.and_then(|(_, published)| published.borrow().clone());
    Ok(match snapshot.map(|snapshot| snapshot.outcome) {
        Some(Err(status)) => Content::Damaged(status.message().to_owned()),
        other => Content::Sweep {
            name: sweep.name.clone(),
            jobs: sweep.job_count(),
            overview: other.and_then(Result::ok),
        },
    })
}
