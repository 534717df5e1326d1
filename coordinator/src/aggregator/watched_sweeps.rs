//! The sweeps that were asked for lately, each with the task that follows it.

use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_proto::limits::MAX_WATCHED_SWEEPS;
use loto_transport::store::Store;
use parking_lot::Mutex;

use super::followed_sweep::FollowedSweep;
use super::watched_sweep::WatchedSweep;
use crate::CoordinatorError;
use crate::results::ObjectiveCache;

/// The sweeps of a store that were asked for lately, which are followed for all who ask.
pub struct WatchedSweeps {
    store: Arc<dyn Store>,
    tables: Arc<ObjectiveCache>,
    /// The one asked for last is at the end.
    recent: Mutex<Vec<Arc<WatchedSweep>>>,
}

impl WatchedSweeps {
    /// None as yet of the sweeps of `store`.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            tables: Arc::default(),
            recent: Mutex::default(),
        }
    }

    /// The sweep of that id.
    pub(crate) async fn get(&self, id: SweepId) -> Result<Arc<WatchedSweep>, CoordinatorError> {
        if let Some(sweep) = find(&mut self.recent.lock(), id) {
            return Ok(sweep);
        }
        let sweep = self.store.sweep(id).await?;
        let sweep = sweep.ok_or(CoordinatorError::UnknownSweep(id))?;
        let mut recent = self.recent.lock();
        // Another request may have been faster: all are to share one.
        if let Some(sweep) = find(&mut recent, id) {
            return Ok(sweep);
        }
        if recent.len() == MAX_WATCHED_SWEEPS {
            recent.remove(0);
        }
        let (store, tables) = (Arc::clone(&self.store), Arc::clone(&self.tables));
        let followed = FollowedSweep::new(id, sweep, store, tables);
        recent.push(Arc::new(WatchedSweep::start(followed)));
        Ok(Arc::clone(&recent[recent.len() - 1]))
    }
}

/// Finds a sweep and notes that it was asked for.
fn find(recent: &mut Vec<Arc<WatchedSweep>>, id: SweepId) -> Option<Arc<WatchedSweep>> {
    recent.retain(|sweep| sweep.is_followed());
    let position = recent.iter().position(|sweep| sweep.followed.id == id)?;
    let sweep = recent.remove(position);
    recent.push(Arc::clone(&sweep));
    Some(sweep)
}
