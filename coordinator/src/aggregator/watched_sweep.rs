//! A sweep that was asked for: what requests see of the task that follows it.

use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_service::wire;
use loto_statistics::analysis::{AnalysisOptions, SweepAnalysis};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::Status;

use super::analyses::{Analyses, is_small};
use super::followed_sweep::{FollowedSweep, Publishers, WATCHED_INTERVAL, follow};
use super::overview::Overview;
use super::snapshot::{Published, Snapshot, newest};
use crate::CoordinatorError;
use crate::results::{CollectedCurves, PlannedTraces, Selection};

/// The jobs of so many series are counted within milliseconds: that is waited for.
const SMALL_SERIES: u64 = 1000;

/// One sweep with what is published of it.
pub(crate) struct WatchedSweep {
    pub(super) followed: Arc<FollowedSweep>,
    progress: Published<wire::Progress>,
    curves: Published<CollectedCurves>,
    overview: Published<Overview>,
    analyses: Analyses,
    _ends_the_task: DropGuard,
}

impl WatchedSweep {
    /// Starts to follow a sweep, until this is dropped.
    pub(super) fn start(followed: FollowedSweep) -> Self {
        let followed = Arc::new(followed);
        let (progress_sender, progress) = watch::channel(None);
        let (curves_sender, curves) = watch::channel(None);
        let (overview_sender, overview) = watch::channel(None);
        let ended = CancellationToken::new();
        let publishers = Publishers {
            progress: progress_sender,
            curves: curves_sender,
            overview: overview_sender,
        };
        let following = follow(Arc::clone(&followed), publishers);
        tokio::spawn(ended.clone().run_until_cancelled_owned(following));
        Self {
            followed,
            progress,
            analyses: Analyses::new(curves.clone()),
            curves,
            overview,
            _ends_the_task: ended.drop_guard(),
        }
    }

    pub(crate) fn id(&self) -> SweepId {
        self.followed.id
    }

    pub(crate) fn plan(&self) -> &Sweep {
        &self.followed.sweep
    }

    /// The plan with its tables, which are read when they are first asked for.
    ///
    /// # Errors
    /// As [`PlannedTraces::open`].
    pub(crate) async fn planned(&self) -> Result<&Arc<PlannedTraces>, CoordinatorError> {
        self.followed.planned().await
    }

    /// Whether the task is there: it would end only by a panic.
    pub(super) fn is_followed(&self) -> bool {
        self.progress.has_changed().is_ok()
    }

    /// How far the sweep is. In a sweep that is small enough, not longer ago than clients
    /// that watch are told.
    pub(super) async fn progress(&self) -> Result<Arc<wire::Progress>, Status> {
        let now = Instant::now();
        let oldest = now.checked_sub(WATCHED_INTERVAL).unwrap_or(now);
        let exact = self.plan().series_count() <= SMALL_SERIES;
        self.ask(&self.progress, |snapshot| snapshot.answers(oldest, exact))
            .await?
            .outcome
    }

    /// How far the sweep is, whenever that is looked at.
    pub(super) fn watch_progress(&self) -> Published<wire::Progress> {
        let published = self.progress.clone();
        self.followed.ask();
        published
    }

    /// What pages show of the sweep, whenever that is looked at. It is looked at as long as somebody
    /// holds what this returns.
    pub(crate) fn watch_overview(&self) -> Published<Overview> {
        let published = self.overview.clone();
        self.followed.ask();
        published
    }

    /// An analysis of all that is finished by now where that is little, of the newest snapshot that there
    /// is an analysis of where it is much.
    pub(crate) async fn analysis(
        &self,
        selection: Selection,
        options: AnalysisOptions,
    ) -> Result<(Arc<SweepAnalysis>, u64), Status> {
        self.followed.want_curves();
        let now = Instant::now();
        let is_exact = |curves: &Snapshot<CollectedCurves>| {
            curves.outcome.as_ref().is_ok_and(|curves| is_small(curves))
        };
        let fits = |snapshot: &Snapshot<_>| snapshot.answers(now, is_exact(snapshot));
        let Snapshot { look, outcome } = self.ask(&self.curves, fits).await?;
        let exact = is_small(&*outcome?);
        let answer = self
            .analyses
            .answer(look, exact, selection, options)
            .await?;
        Ok((answer.outcome?, answer.look.as_of_milliseconds))
    }

    /// The newest snapshot that fits; the task is asked for another one if this one does not.
    async fn ask<Value>(
        &self,
        published: &Published<Value>,
        fits: impl Fn(&Snapshot<Value>) -> bool,
    ) -> Result<Snapshot<Value>, Status> {
        let published = published.clone();
        if !published.borrow().as_ref().is_some_and(&fits) {
            self.followed.ask();
        }
        newest(published, fits).await
    }
}
