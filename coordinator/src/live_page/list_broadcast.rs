//! Keeps the list of sweeps up to date.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use loto_proto::identity::SweepId;
use loto_proto::limits::MAX_WATCHED_SWEEPS;
use loto_transport::TransportError;
use loto_transport::store::{Store, recorded};
use tokio::sync::watch;

use super::fragments::Fragments;
use super::listed_sweep::{Content, Listed};
use super::sections::{problems, sweep_list};
use crate::CoordinatorError;
use crate::aggregator::{Marks, Overview, Published, TakenMark, WatchedSweeps, is_same, to_status};

/// Most sweeps on the page: the newest.
const LISTED: usize = 100;

/// Of so many sweeps, the newest, the jobs are counted; of the others it is said only that they are there.
const COUNTED: usize = MAX_WATCHED_SWEEPS / 2;

const INTERVAL: Duration = Duration::from_secs(1);

const LIST: &str = "sweeps";

pub(super) fn fragments() -> Fragments {
    Fragments::new([LIST.to_owned()])
}

/// Why a plan of the list cannot be read, while the others can.
#[derive(Debug, thiserror::Error)]
enum UnreadablePlan {
    /// The sweep was deleted after the store had listed it.
    #[error("the plan is gone from the store")]
    Gone,
    /// The plan is damaged, or of another release.
    #[error(transparent)]
    Store(#[from] TransportError),
}

/// A sweep as the store has it.
struct Entry {
    id: SweepId,
    /// Its name and number of jobs.
    plan: Result<(String, u64), UnreadablePlan>,
    recorded: Option<SystemTime>,
}

/// The newest sweeps, the newest first, and the number of those left out.
struct Entries {
    newest: Vec<Entry>,
    left_out: usize,
}

/// Keeps the list up to date for as long as it is polled.
pub(super) async fn keep_up(
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    sender: watch::Sender<Fragments>,
) {
    let mut followed = Vec::new();
    let mut marks = Marks::default();
    // While nothing changes in the store, its plans are not read again.
    let mut known: Option<(Option<TakenMark>, Entries)> = None;
    loop {
        let mark = marks.take(store.as_ref()).await;
        let is_known = known
            .as_ref()
            .is_some_and(|(before, _)| is_same(before.as_ref(), mark.as_ref()));
        if !is_known {
            known = match read(store.as_ref()).await {
                Ok(entries) => Some((mark, entries)),
                Err(error) => {
                    let problem = problems::failure(&to_status(error));
                    sender.send_if_modified(|fragments| fragments.set(LIST, &problem));
                    None
                }
            };
        }
        if let Some((_, entries)) = &known {
            let listed = listed(entries, &sweeps, &mut followed).await;
            let content = sweep_list::section(&listed, entries.left_out);
            sender.send_if_modified(|fragments| fragments.set(LIST, &content));
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Reads what the store has of its newest sweeps.
async fn read(store: &dyn Store) -> Result<Entries, CoordinatorError> {
    let ids = store.sweeps().await?;
    let mut newest = Vec::new();
    for &id in ids.iter().rev().take(LISTED) {
        let plan = match store.sweep(id).await {
            Ok(Some(sweep)) => Ok((sweep.name.clone(), sweep.job_count())),
            Ok(None) => Err(UnreadablePlan::Gone),
            Err(error) if error.concerns_server() => return Err(error.into()),
            Err(error) => Err(error.into()),
        };
        let recorded = match recorded(store, id).await {
            Ok(time) => time,
            Err(error) if error.concerns_server() => return Err(error.into()),
            // The time of a sweep says nothing about its jobs.
            Err(_) => None,
        };
        newest.push(Entry { id, plan, recorded });
    }
    Ok(Entries {
        left_out: ids.len() - newest.len(),
        newest,
    })
}

/// The sweeps with how far they are.
async fn listed(
    entries: &Entries,
    sweeps: &WatchedSweeps,
    followed: &mut Vec<(SweepId, Published<Overview>)>,
) -> Vec<Listed> {
    let newest = &entries.newest;
    followed.retain(|(id, _)| newest.iter().take(COUNTED).any(|entry| entry.id == *id));
    let mut listed = Vec::new();
    for (position, entry) in newest.iter().enumerate() {
        let content = match &entry.plan {
            Err(problem) => Content::Damaged(problem.to_string()),
            Ok(plan) => content(entry.id, plan, position < COUNTED, sweeps, followed).await,
        };
        listed.push(Listed {
            id: entry.id,
            content,
            recorded: entry.recorded,
        });
    }
    listed
}

async fn content(
    id: SweepId,
    (name, jobs): &(String, u64),
    is_counted: bool,
    sweeps: &WatchedSweeps,
    followed: &mut Vec<(SweepId, Published<Overview>)>,
) -> Content {
    if is_counted && !followed.iter().any(|(known, _)| *known == id) {
        match sweeps.get(id).await {
            Ok(watched) => followed.push((id, watched.watch_overview())),
            Err(error) => return Content::Damaged(error.to_string()),
        }
    }
    let known = followed.iter().find(|(known, _)| *known == id);
    let snapshot = known.and_then(|(_, published)| published.borrow().clone());
    match snapshot.map(|snapshot| snapshot.outcome) {
        Some(Err(status)) => Content::Damaged(status.message().to_owned()),
        other => Content::Sweep {
            name: name.clone(),
            jobs: *jobs,
            overview: other.and_then(Result::ok),
        },
    }
}
