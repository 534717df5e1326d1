//! Whether a store is the same as when it was last read, for a task that would otherwise read it again and again.

use std::time::Duration;

use loto_transport::TransportError;
use loto_transport::store::{ChangeMark, Store};
use tokio::time::Instant;

/// After so long everything is read anew, whatever the store tells of changes: a mark is only as good as the server.
const TRUSTED: Duration = Duration::from_secs(300);

/// What a store told of its changes, and when.
#[derive(Debug, Clone)]
pub(crate) struct TakenMark {
    mark: ChangeMark,
    at: Instant,
}

/// Takes the marks of a store.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Whether the store has none, or may not be asked.
    are_unknown: bool,
}

impl Marks {
    /// The mark of now, if there is one. What is read of the store after this call is at least as new.
    pub(crate) async fn take(&mut self, store: &dyn Store) -> Option<TakenMark> {
        if self.are_unknown {
            return None;
        }
        let at = Instant::now();
        match store.change_mark().await {
            Ok(Some(mark)) => Some(TakenMark { mark, at }),
            Ok(None) | Err(TransportError::Refused { .. }) => {
                self.are_unknown = true;
                None
            }
            // The reading that follows fails as well, and tells why.
            Err(_) => None,
        }
    }
}

/// Whether nothing changed between the two marks.
pub(crate) fn is_same(before: Option<&TakenMark>, now: Option<&TakenMark>) -> bool {
    match (before, now) {
        (Some(before), Some(now)) => {
            before.mark == now.mark && now.at.duration_since(before.at) < TRUSTED
        }
        _ => false,
    }
}
