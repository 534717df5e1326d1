//! What is known of a sweep as of a time.

use std::sync::Arc;
use std::time::SystemTime;

use tokio::sync::watch;
use tokio::time::Instant;
use tonic::Status;

/// When the store was looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// What was in the store by then is seen.
    pub(super) begun: Instant,
    /// The same for clients, since 1970.
    pub(crate) as_of_milliseconds: u64,
}

/// A state of a watched sweep that does not change any more, or why it could not be found out.
#[derive(Debug)]
pub(crate) struct Snapshot<Value> {
    pub(crate) look: Look,
    pub(crate) outcome: Result<Arc<Value>, Status>,
}

/// Where snapshots are published; `None` before the first one.
pub(crate) type Published<Value> = watch::Receiver<Option<Snapshot<Value>>>;

impl Look {
    /// A look that begins now.
    pub(super) fn begin() -> Self {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        Self {
            begun: Instant::now(),
            as_of_milliseconds: since_1970.map_or(0, |time| time.as_millis() as u64),
        }
    }
}

impl<Value> Snapshot<Value> {
    /// Whether it answers a question that looks back to `oldest` if `exact`, and else is content
    /// with the newest state that could be found out.
    pub(super) fn answers(&self, oldest: Instant, exact: bool) -> bool {
        self.look.begun >= oldest || (self.outcome.is_ok() && !exact)
    }
}

impl<Value> Clone for Snapshot<Value> {
    fn clone(&self) -> Self {
        Self {
            look: self.look,
            outcome: self.outcome.clone(),
        }
    }
}

/// The newest snapshot, as soon as it `fits`.
pub(super) async fn newest<Value>(
    mut published: Published<Value>,
    mut fits: impl FnMut(&Snapshot<Value>) -> bool,
) -> Result<Snapshot<Value>, Status> {
    let found = published.wait_for(|snapshot| snapshot.as_ref().is_some_and(&mut fits));
    let snapshot = found.await.ok().and_then(|snapshot| snapshot.clone());
    snapshot.ok_or_else(|| Status::internal("what computes the answer has stopped; ask again"))
}
