//! The sweeps that were asked for, each with what was collected of it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use loto_proto::identity::SweepId;
use loto_proto::store::Store;
use loto_proto::sweep::Sweep;
use tokio::sync::OnceCell;

use super::analysis_cache::AnalysisCache;
use crate::CoordinatorError;
use crate::dispatch::conflicts;
use crate::progress::{PoisonedJob, Progress, Tracker};
use crate::results::{Keep, ObjectiveCache, ResultsCollector};

/// Most sweeps kept in memory; the one not asked for the longest goes first.
const MAX_SWEEPS: usize = 16;

/// Most jobs given up that are listed.
const MAX_POISONED_JOBS: usize = 20;

/// Most conflicts that are listed.
const MAX_CONFLICTS: usize = 20;

/// Least time between two looks at a sweep's progress, however many clients watch it.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// The sweeps that were asked for.
pub(super) struct WatchedSweeps {
    store: Arc<dyn Store>,
    tables: Arc<ObjectiveCache>,
    /// The one asked for last is at the end.
    recent: Mutex<Vec<Arc<WatchedSweep>>>,
}

/// One sweep.
pub(super) struct WatchedSweep {
    pub(super) id: SweepId,
    pub(super) sweep: Sweep,
    pub(super) store: Arc<dyn Store>,
    pub(super) analyses: AnalysisCache,
    tables: Arc<ObjectiveCache>,
    results: OnceCell<Arc<ResultsCollector>>,
    progress: tokio::sync::Mutex<FollowedProgress>,
}

/// How far a sweep is, with the jobs that were given up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ProgressSnapshot {
    pub(super) progress: Progress,
    pub(super) poisoned: Vec<PoisonedJob>,
    pub(super) cancelled: bool,
    pub(super) conflicts: Vec<String>,
}

struct FollowedProgress {
    tracker: Tracker,
    last: Option<(Instant, Arc<ProgressSnapshot>)>,
}

impl WatchedSweeps {
    pub(super) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            tables: Arc::default(),
            recent: Mutex::default(),
        }
    }

    /// The sweep of that id.
    pub(super) async fn get(&self, id: SweepId) -> Result<Arc<WatchedSweep>, CoordinatorError> {
        if let Some(sweep) = self.find(id) {
            return Ok(sweep);
        }
        let sweep = self.store.sweep(id).await?;
        let sweep = sweep.ok_or_else(|| CoordinatorError::UnknownSweep {
            wanted: id.to_string(),
            problem: "it is not in the store; ListSweeps tells which are".into(),
        })?;
        let new = Arc::new(WatchedSweep {
            id,
            progress: tokio::sync::Mutex::new(FollowedProgress {
                tracker: Tracker::new(&sweep),
                last: None,
            }),
            sweep,
            store: Arc::clone(&self.store),
            analyses: AnalysisCache::default(),
            tables: Arc::clone(&self.tables),
            results: OnceCell::new(),
        });
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        // Another request may have been faster: all are to share one.
        if let Some(sweep) = recent.iter().find(|sweep| sweep.id == id) {
            return Ok(Arc::clone(sweep));
        }
        if recent.len() == MAX_SWEEPS {
            recent.remove(0);
        }
        recent.push(Arc::clone(&new));
        Ok(new)
    }

    fn find(&self, id: SweepId) -> Option<Arc<WatchedSweep>> {
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        let position = recent.iter().position(|sweep| sweep.id == id)?;
        let sweep = recent.remove(position);
        recent.push(Arc::clone(&sweep));
        Some(sweep)
    }
}

impl WatchedSweep {
    /// The sweep's tables and collected traces, as they are; refreshing is up to the caller.
    pub(super) async fn results(&self) -> Result<&Arc<ResultsCollector>, CoordinatorError> {
        let open = async || {
            let store = Arc::clone(&self.store);
            let sweep = self.sweep.clone();
            let opening = ResultsCollector::open(store, &self.tables, sweep, Keep::BestSoFar);
            opening.await.map(Arc::new)
        };
        self.results.get_or_try_init(open).await
    }

    /// How far the sweep is: at most [`PROGRESS_INTERVAL`] old.
    pub(super) async fn progress(&self) -> Result<Arc<ProgressSnapshot>, CoordinatorError> {
        let mut followed = self.progress.lock().await;
        match &followed.last {
            Some((time, last)) if time.elapsed() < PROGRESS_INTERVAL => {
                return Ok(Arc::clone(last));
            }
            Some(_) => followed.tracker.follow(self.store.as_ref()).await?,
            None => followed.tracker.scan(self.store.as_ref()).await?,
        }
        let store = self.store.as_ref();
        let mut conflicts = conflicts(&followed.tracker, store).await?;
        conflicts.truncate(MAX_CONFLICTS);
        let snapshot = Arc::new(ProgressSnapshot {
            progress: followed.tracker.progress(),
            poisoned: followed
                .tracker
                .poisoned()
                .take(MAX_POISONED_JOBS)
                .collect(),
            cancelled: store.sweep_state(self.id).await?.cancelled,
            conflicts,
        });
        followed.last = Some((Instant::now(), Arc::clone(&snapshot)));
        Ok(snapshot)
    }
}
