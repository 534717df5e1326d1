//! The task that follows a sweep and publishes snapshots of it.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_service::wire;
use loto_transport::store::Store;
use tokio::sync::{Notify, OnceCell, watch};
use tokio::time::{Instant, sleep_until};
use tonic::Status;

use super::marks::{Marks, TakenMark, is_same};
use super::overview::{Found, Onlooker, Overview};
use super::snapshot::{Look, Snapshot};
use super::status::to_status;
use super::{progress, resume_token};
use crate::CoordinatorError;
use crate::dispatch::conflicts;
use crate::metrics;
use crate::progress::Tracker;
use crate::results::{CollectedCurves, ObjectiveCache, PlannedTraces};

/// Least time between two counts of the jobs, however many clients watch them: fast for an eye.
pub(super) const WATCHED_INTERVAL: Duration = Duration::from_millis(200);

/// Time between two looks at a sweep that nobody asks about, so that there is little to read when
/// somebody does; also after a look that failed, so that a server that starts is left alone.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// Counting takes at most one part in so many of the time, unless [`LONGEST_INTERVAL`] is shorter: the last attempts at all
/// unfinished jobs are read each time.
const COUNTING_SHARE: u32 = 10;

/// Longest time from the end of a count to the next: that a count waited for the store is not a reason to wait longer.
const LONGEST_INTERVAL: Duration = Duration::from_secs(10);

/// Time between two looks at what changes although nothing is stored: rates, and workers that fall silent.
const STANDING_INTERVAL: Duration = Duration::from_secs(2);

/// A sweep that is followed, as requests and the task share it.
pub(super) struct FollowedSweep {
    pub(super) id: SweepId,
    pub(super) sweep: Sweep,
    pub(super) store: Arc<dyn Store>,
    tables: Arc<ObjectiveCache>,
    planned: OnceCell<Arc<PlannedTraces>>,
    wants_curves: AtomicBool,
    asked: Notify,
}

/// Where the task publishes what it finds.
pub(super) struct Publishers {
    pub(super) progress: watch::Sender<Option<Snapshot<wire::Progress>>>,
    pub(super) curves: watch::Sender<Option<Snapshot<CollectedCurves>>>,
    /// Sent to only while somebody else than the sweep itself receives it.
    pub(super) overview: watch::Sender<Option<Snapshot<Overview>>>,
}

impl FollowedSweep {
    /// The sweep of this id: to compute the id anew takes a hash for each job.
    pub(super) fn new(
        id: SweepId,
        sweep: Sweep,
        store: Arc<dyn Store>,
        tables: Arc<ObjectiveCache>,
    ) -> Self {
        Self {
            id,
            sweep,
            store,
            tables,
            planned: OnceCell::new(),
            wants_curves: AtomicBool::new(false),
            asked: Notify::new(),
        }
    }

    /// The plan with its tables, which are read when they are first asked for.
    pub(super) async fn planned(&self) -> Result<&Arc<PlannedTraces>, CoordinatorError> {
        let open = async || {
            let sweep = self.sweep.clone();
            let planned = PlannedTraces::open(self.store.as_ref(), &self.tables, sweep);
            planned.await.map(Arc::new)
        };
        self.planned.get_or_try_init(open).await
    }

    /// Has the task look at the store soon.
    pub(super) fn ask(&self) {
        self.asked.notify_one();
    }

    /// Has the task collect traces from now on.
    pub(super) fn want_curves(&self) {
        self.wants_curves.store(true, Ordering::Relaxed);
    }
}

/// Follows a sweep for as long as it is polled.
pub(super) async fn follow(
    sweep: Arc<FollowedSweep>,
    Publishers {
        progress,
        curves,
        overview,
    }: Publishers,
) {
    let mut counting = Counting {
        tracker: Tracker::new(&sweep.sweep),
        sweep: Arc::clone(&sweep),
        progress,
        overview,
        onlooker: None,
        last: None,
        marks: Marks::default(),
        counted: None,
        passed_over: 0,
        stood: Instant::now(),
    };
    let mut collected = None;
    let mut collected_at = None;
    loop {
        let begun = Instant::now();
        if sweep.wants_curves.load(Ordering::Relaxed) {
            let look = Look::begin();
            let mark = counting.marks.take(sweep.store.as_ref()).await;
            if is_same(collected_at.as_ref(), mark.as_ref()) {
                // All that was stored by now is in the last snapshot.
                curves.send_if_modified(|last| {
                    last.iter_mut().for_each(|snapshot| snapshot.look = look);
                    last.is_some()
                });
            } else {
                let outcome = collect(&mut collected, &mut counting).await;
                let last = curves
                    .borrow()
                    .as_ref()
                    .and_then(|last| last.outcome.clone().ok());
                let outcome = outcome.map(|collected| match last {
                    Some(last) if last.done() == collected.done() => last,
                    _ => Arc::new(collected.clone()),
                });
                let outcome = outcome.map_err(to_status);
                collected_at = outcome.is_ok().then_some(mark).flatten();
                curves.send_replace(Some(Snapshot { look, outcome }));
            }
        }
        if counting.due() <= Instant::now() {
            counting.count().await;
        }
        tokio::select! {
            biased;
            () = sleep_until(counting.due().min(begun + IDLE_INTERVAL)) => {}
            () = sweep.asked.notified() => {}
        }
    }
}

/// Reads the traces that are finished by now. Where they are many, jobs are counted meanwhile.
async fn collect<'a>(
    collected: &'a mut Option<CollectedCurves>,
    counting: &mut Counting,
) -> Result<&'a CollectedCurves, CoordinatorError> {
    let sweep = Arc::clone(&counting.sweep);
    let planned = sweep.planned().await?;
    let collected = collected.get_or_insert_with(|| CollectedCurves::new(Arc::clone(planned)));
    let follower = counting.tracker.follow_done(sweep.store.as_ref()).await?;
    let unread = collected.unread(follower);
    {
        let mut reading = pin!(collected.read(unread, sweep.store.as_ref()));
        loop {
            let counted = async {
                sleep_until(counting.due()).await;
                counting.count().await;
            };
            tokio::select! {
                biased;
                read = &mut reading => break read?,
                () = counted => {}
            }
        }
    }
    metrics::traces_folded(&sweep.sweep.name, collected.done());
    Ok(collected)
}

/// Counts the jobs of the sweep.
struct Counting {
    sweep: Arc<FollowedSweep>,
    tracker: Tracker,
    progress: watch::Sender<Option<Snapshot<wire::Progress>>>,
    overview: watch::Sender<Option<Snapshot<Overview>>>,
    /// There while the overview is received.
    onlooker: Option<Onlooker>,
    /// When the last count began, and the least time from then to the next.
    last: Option<(Instant, Duration)>,
    marks: Marks,
    /// The mark before the last count, if that found out everything.
    counted: Option<TakenMark>,
    /// How many damaged entries the store had passed over before that count.
    passed_over: usize,
    /// When the overview was last made.
    stood: Instant,
}

impl Counting {
    /// When to count next.
    fn due(&self) -> Instant {
        let is_watched = is_watched(&self.progress) || is_watched(&self.overview);
        let interval = if is_watched {
            WATCHED_INTERVAL
        } else {
            IDLE_INTERVAL
        };
        self.last
            .map_or_else(Instant::now, |(begun, least)| begun + interval.max(least))
    }

    async fn count(&mut self) {
        let look = Look::begin();
        let mark = self.marks.take(self.sweep.store.as_ref()).await;
        let passed_over = self.sweep.store.passed_over().len();
        let shows_all = is_watched(&self.overview) == self.onlooker.is_some()
            && passed_over == self.passed_over;
        if shows_all && is_same(self.counted.as_ref(), mark.as_ref()) {
            return self.confirm(look).await;
        }
        let found = self.current().await;
        let least = match &found {
            Ok(_) => {
                let taken = look.begun.elapsed();
                (taken * COUNTING_SHARE).min(taken + LONGEST_INTERVAL)
            }
            Err(_) => IDLE_INTERVAL,
        };
        self.last = Some((look.begun, least));
        let found = found.map_err(to_status);
        let progress = found
            .as_ref()
            .map(|found| Arc::new(self.message(found, look.as_of_milliseconds)));
        let outcome = progress.map_err(Status::clone);
        let mut is_all = outcome.is_ok();
        if is_watched(&self.overview) {
            let overview = match found {
                Ok(found) => self.overview(found).await.map_err(to_status),
                Err(status) => Err(status),
            };
            let measured = self.onlooker.as_ref().is_some_and(Onlooker::has_measured);
            is_all &= overview.is_ok() && measured;
            let outcome = overview.map(Arc::new);
            self.overview.send_replace(Some(Snapshot { look, outcome }));
            self.stood = Instant::now();
        } else {
            self.onlooker = None;
        }
        self.counted = is_all.then_some(mark).flatten();
        self.passed_over = passed_over;
        self.progress.send_replace(Some(Snapshot { look, outcome }));
    }

    /// Publishes what the last count found as the state of now: nothing was stored since.
    async fn confirm(&mut self, look: Look) {
        self.last = Some((look.begun, Duration::ZERO));
        self.progress.send_if_modified(|last| {
            let Some(Snapshot {
                look: known,
                outcome: Ok(progress),
            }) = last
            else {
                return false;
            };
            *known = look;
            Arc::make_mut(progress).as_of_milliseconds = look.as_of_milliseconds;
            true
        });
        if self.stood.elapsed() < STANDING_INTERVAL {
            return;
        }
        let last = self.overview.borrow().clone();
        let last = last.and_then(|last| last.outcome.ok());
        if let (Some(onlooker), Some(last)) = (&mut self.onlooker, last) {
            let again = onlooker.look_again(&last, self.sweep.store.as_ref()).await;
            if again.is_err() {
                self.counted = None;
            }
            let outcome = again.map(Arc::new).map_err(|error| to_status(error.into()));
            self.overview.send_replace(Some(Snapshot { look, outcome }));
            self.stood = Instant::now();
        }
    }

    async fn overview(&mut self, found: Found) -> Result<Overview, CoordinatorError> {
        let onlooker = self.onlooker.get_or_insert_with(Onlooker::new);
        let store = self.sweep.store.as_ref();
        Ok(onlooker.look(&mut self.tracker, found, store).await?)
    }

    async fn current(&mut self) -> Result<Found, CoordinatorError> {
        let Self { sweep, tracker, .. } = self;
        let store = sweep.store.as_ref();
        tracker.follow(store).await?;
        Ok(Found {
            sweep: sweep.id,
            conflicts: conflicts(tracker, store).await?,
            cancelled: store.sweep_state(sweep.id).await?.cancelled,
        })
    }

    /// What clients are told that ask for the progress.
    fn message(&self, found: &Found, as_of_milliseconds: u64) -> wire::Progress {
        let Self { sweep, tracker, .. } = self;
        let without_token = wire::Progress {
            sweep_id: sweep.id.to_string(),
            name: sweep.sweep.name.clone(),
            cancelled: found.cancelled,
            passed_over: progress::passed_over(sweep.store.as_ref()),
            ..progress::to_wire(tracker, &found.conflicts)
        };
        // The token stands for all that the message tells but its time.
        wire::Progress {
            resume_token: resume_token::of_progress(&without_token),
            as_of_milliseconds,
            ..without_token
        }
    }
}

/// Whether anybody but the sweep itself, which keeps one receiver, sees what is sent.
fn is_watched<Value>(sender: &watch::Sender<Value>) -> bool {
    sender.receiver_count() > 1
}
