//! The pages that somebody looks at, each with the task that keeps it up to date.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_transport::store::Store;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::error::PageError;
use super::fragments::Fragments;
use super::results_address::ResultsAddress;
use super::{list_broadcast, results_broadcast, sweep_broadcast};
use crate::aggregator::WatchedSweeps;

/// How long a page is kept up to date after the last viewer left, who may only have gone to another page.
const LINGER: Duration = Duration::from_secs(30);

/// Which page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Page {
    Sweeps,
    Sweep(SweepId),
    Results(ResultsAddress),
}

/// All pages that somebody looks at, or did lately.
pub(super) struct Broadcasts {
    store: Arc<dyn Store>,
    pub(super) sweeps: Arc<WatchedSweeps>,
    pages: Mutex<HashMap<Page, Watched>>,
}

/// A page, which is kept up to date as long as somebody holds it.
#[derive(Clone)]
pub(super) struct Watched {
    fragments: watch::Receiver<Fragments>,
    ends_the_task: Arc<DropGuard>,
}

impl Watched {
    /// Starts the task that keeps the page up to date.
    fn start<Task: Future<Output = ()> + Send + 'static>(
        fragments: Fragments,
        task: impl FnOnce(watch::Sender<Fragments>) -> Task,
    ) -> Self {
        let (sender, receiver) = watch::channel(fragments);
        let ended = CancellationToken::new();
        tokio::spawn(ended.clone().run_until_cancelled_owned(task(sender)));
        Self {
            fragments: receiver,
            ends_the_task: Arc::new(ended.drop_guard()),
        }
    }

    /// Sees all changes from now on.
    pub(super) fn subscribe(&self) -> watch::Receiver<Fragments> {
        self.fragments.clone()
    }

    /// Whether the task is there: it would end only by a panic.
    fn is_kept_up(&self) -> bool {
        self.fragments.has_changed().is_ok()
    }

    /// Whether only the list of pages holds it.
    fn is_unwatched(&self) -> bool {
        Arc::strong_count(&self.ends_the_task) == 1
    }
}

impl Broadcasts {
    pub(super) fn new(store: Arc<dyn Store>, sweeps: Arc<WatchedSweeps>) -> Self {
        Self {
            store,
            sweeps,
            pages: Mutex::default(),
        }
    }

    pub(super) fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// The list of sweeps.
    pub(super) fn list(self: &Arc<Self>) -> Watched {
        let (store, sweeps) = (Arc::clone(&self.store), Arc::clone(&self.sweeps));
        self.page(Page::Sweeps, || {
            Watched::start(list_broadcast::fragments(), |sender| {
                list_broadcast::keep_up(store, sweeps, sender)
            })
        })
    }

    /// The page of a sweep.
    ///
    /// # Errors
    /// [`PageError`] if there is no such sweep, or it cannot be read.
    pub(super) async fn sweep(self: &Arc<Self>, id: SweepId) -> Result<Watched, PageError> {
        let sweep = self.sweeps.get(id).await?;
        Ok(self.page(Page::Sweep(id), || {
            let fragments = sweep_broadcast::fragments(sweep.plan());
            Watched::start(fragments, |sender| sweep_broadcast::keep_up(sweep, sender))
        }))
    }

    /// The page of a part of the results of a sweep.
    ///
    /// # Errors
    /// As [`Self::sweep`].
    pub(super) async fn results(
        self: &Arc<Self>,
        address: ResultsAddress,
    ) -> Result<Watched, PageError> {
        let sweep = self.sweeps.get(address.sweep).await?;
        Ok(self.page(Page::Results(address), || {
            let fragments = results_broadcast::part_fragments();
            Watched::start(fragments, |sender| {
                results_broadcast::keep_up_part(sweep, address, sender)
            })
        }))
    }

    /// The page, which is started if nobody looked at it lately.
    fn page(self: &Arc<Self>, page: Page, start: impl FnOnce() -> Watched) -> Watched {
        let mut pages = self.pages.lock();
        if let Some(watched) = pages.get(&page).filter(|watched| watched.is_kept_up()) {
            return watched.clone();
        }
        let watched = start();
        pages.insert(page, watched.clone());
        tokio::spawn(Arc::clone(self).forget_when_unwatched(page));
        watched
    }

    /// Ends the task of a page once nobody has looked at it for a while.
    async fn forget_when_unwatched(self: Arc<Self>, page: Page) {
        let mut was_unwatched = false;
        loop {
            tokio::time::sleep(LINGER / 2).await;
            let mut pages = self.pages.lock();
            let is_unwatched = pages.get(&page).is_none_or(Watched::is_unwatched);
            if is_unwatched && was_unwatched {
                pages.remove(&page);
                return;
            }
            was_unwatched = is_unwatched;
        }
    }
}
