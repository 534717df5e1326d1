//! The sweeps that were asked for, each with what was collected of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_proto::limits::{MAX_LISTED_CONFLICTS, MAX_LISTED_POISONED_JOBS, MAX_WATCHED_SWEEPS};
use loto_proto::sweep::Sweep;
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tonic::Status;

use super::analysis_cache::AnalysisCache;
use super::one_at_a_time::{OneAtATime, PATIENCE};
use super::status::to_status;
use crate::CoordinatorError;
use crate::dispatch::conflicts;
use crate::metrics;
use crate::progress::{PoisonedJob, Progress, Tracker};
use crate::results::{Keep, ObjectiveCache, ResultsCollector};

/// Least time between two looks at a sweep's progress, however many clients watch it.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(200);

/// A look that takes less is waited for.
const QUICK_LOOK: Duration = Duration::from_millis(5);

/// A look this long ago is told only if the next one takes too long.
const PROGRESS_AGE: Duration = Duration::from_secs(2);

/// Reading so many traces is waited for by whoever asks about them.
const FEW_TRACES: usize = 1000;

/// Looks at a sweep's progress take at most one part in so many of the time.
const PROGRESS_SHARE: u32 = 10;

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
    collecting: OneAtATime,
    /// Whether everything that was finished at some moment was collected.
    collected: Arc<AtomicBool>,
    looking: OneAtATime,
    progress: Arc<FollowedProgress>,
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
    id: SweepId,
    tracker: tokio::sync::Mutex<Tracker>,
    last: Mutex<Option<Look>>,
}

/// A look at a sweep's progress.
#[derive(Clone)]
struct Look {
    snapshot: Arc<ProgressSnapshot>,
    ended: Instant,
    took: Duration,
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
        let sweep = sweep.ok_or(CoordinatorError::UnknownSweep(id))?;
        let new = Arc::new(WatchedSweep {
            id,
            progress: Arc::new(FollowedProgress {
                id,
                tracker: tokio::sync::Mutex::new(Tracker::new(&sweep)),
                last: Mutex::default(),
            }),
            looking: OneAtATime::default(),
            collecting: OneAtATime::default(),
            collected: Arc::default(),
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
        if recent.len() == MAX_WATCHED_SWEEPS {
            recent.remove(0);
        }
        recent.push(Arc::clone(&new));
        Ok(new)
    }

    /// All of them, the one asked for last at the end.
    pub(super) fn all(&self) -> Vec<Arc<WatchedSweep>> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.clone()
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

    /// Collects what is finished by now, and waits for that, unless there is much to read and
    /// some was collected before: then it goes on in the background.
    pub(super) async fn refresh(&self) -> Result<&Arc<ResultsCollector>, Status> {
        let collector = self.results().await.map_err(to_status)?;
        let may_wait = self.collected.load(Ordering::Relaxed);
        loop {
            let deadline = may_wait.then(|| Instant::now() + PATIENCE);
            let work = self.read_news(collector);
            let read = self.collecting.run(deadline, work).await?;
            if read.is_some() || collector.backlog() > FEW_TRACES {
                return Ok(collector);
            }
        }
    }

    /// As [`Self::refresh`], for answers that are late anyway: waits only for the first time.
    pub(super) async fn refresh_in_background(&self) -> Result<&Arc<ResultsCollector>, Status> {
        if !self.collected.load(Ordering::Relaxed) {
            return self.refresh().await;
        }
        let collector = self.results().await.map_err(to_status)?;
        let work = self.read_news(collector);
        self.collecting.run(Some(Instant::now()), work).await?;
        Ok(collector)
    }

    fn read_news(
        &self,
        collector: &Arc<ResultsCollector>,
    ) -> impl Future<Output = Result<(), Status>> + Send + 'static {
        let (collector, collected) = (Arc::clone(collector), Arc::clone(&self.collected));
        async move {
            collector.refresh().await.map_err(to_status)?;
            metrics::traces_folded(&collector.sweep().name, collector.done());
            collected.store(true, Ordering::Relaxed);
            Ok(())
        }
    }

    /// What was collected, if anybody asked for it yet.
    pub(super) fn collected_results(&self) -> Option<&Arc<ResultsCollector>> {
        self.results.get()
    }

    /// True if every trace of the sweep was collected.
    pub(super) fn is_complete(&self) -> bool {
        let collector = self.collected_results();
        collector.is_some_and(|collector| collector.done() == self.sweep.job_count())
    }

    /// How far the sweep is: at most [`PROGRESS_INTERVAL`] old, or, where a look takes long, so old that
    /// looks take a tenth of the time.
    pub(super) async fn progress(&self) -> Result<Arc<ProgressSnapshot>, Status> {
        let last = self.progress.last();
        if let Some(look) = &last
            && look.ended.elapsed() < PROGRESS_INTERVAL.max(look.took * PROGRESS_SHARE)
        {
            return Ok(Arc::clone(&look.snapshot));
        }
        // A look that takes long is not waited for, if the last one was a moment ago.
        let deadline = last.as_ref().map(|last| {
            let waits = last.took < QUICK_LOOK || last.ended.elapsed() > PROGRESS_AGE;
            Instant::now() + if waits { PATIENCE } else { Duration::ZERO }
        });
        let work = look(Arc::clone(&self.progress), Arc::clone(&self.store));
        match (self.looking.run(deadline, work).await?, last) {
            (Some(snapshot), _) => Ok(snapshot),
            (None, Some(last)) => Ok(last.snapshot),
            (None, None) => Err(Status::internal("a look at the progress had no end")),
        }
    }
}

/// Looks how far a sweep is.
async fn look(
    followed: Arc<FollowedProgress>,
    store: Arc<dyn Store>,
) -> Result<Arc<ProgressSnapshot>, Status> {
    let last = followed.last();
    if let Some(look) = last.filter(|look| look.ended.elapsed() < PROGRESS_INTERVAL) {
        return Ok(look.snapshot);
    }
    let begin = Instant::now();
    let mut tracker = followed.tracker.lock().await;
    let looked = if followed.last().is_some() {
        tracker.follow(store.as_ref()).await
    } else {
        tracker.scan(store.as_ref()).await
    };
    let (conflicts, state) = async {
        looked?;
        let conflicts = conflicts(&tracker, store.as_ref()).await?;
        Ok((conflicts, store.sweep_state(followed.id).await?))
    }
    .await
    .map_err(|error: TransportError| to_status(error.into()))?;
    let snapshot = Arc::new(ProgressSnapshot {
        progress: tracker.progress(),
        poisoned: tracker.poisoned().take(MAX_LISTED_POISONED_JOBS).collect(),
        cancelled: state.cancelled,
        conflicts: conflicts
            .into_iter()
            .map(|conflict| conflict.problem)
            .take(MAX_LISTED_CONFLICTS)
            .collect(),
    });
    *followed.place() = Some(Look {
        snapshot: Arc::clone(&snapshot),
        ended: Instant::now(),
        took: begin.elapsed(),
    });
    Ok(snapshot)
}

impl FollowedProgress {
    fn last(&self) -> Option<Look> {
        self.place().clone()
    }

    fn place(&self) -> std::sync::MutexGuard<'_, Option<Look>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
