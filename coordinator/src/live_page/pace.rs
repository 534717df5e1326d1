//! How often a page may change, with so many who look at it.

use std::time::Duration;

use tokio::sync::watch;

use super::fragments::{Fragments, Mark};

/// Bytes that are sent in a second to all who look at a page, at most: with many viewers, a large page changes less often.
const BYTES_PER_SECOND: f64 = 30e6;

/// How long it takes to send all who look what changed since `before`.
pub(super) fn sending_time(sender: &watch::Sender<Fragments>, before: Mark) -> Duration {
    let changed = sender.borrow().since(Some(before));
    let bytes: usize = changed.iter().map(|(_, html)| html.len()).sum();
    Duration::from_secs_f64((bytes * sender.receiver_count()) as f64 / BYTES_PER_SECOND)
}
