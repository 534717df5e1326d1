//! What is sent to one browser: every fragment that changed since it last got one.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use futures::Stream;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::broadcasts::Watched;
use super::fragments::{Fragments, Mark};

/// Time after which something is sent if nothing changes, so that a browser that is gone is noticed.
const KEEPALIVE: Duration = Duration::from_secs(15);

/// Sends what changes after `seen`, until `stopping` is cancelled.
pub(super) fn stream(
    watched: Watched,
    seen: Option<Mark>,
    stopping: CancellationToken,
) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let viewer = Viewer {
        receiver: watched.subscribe(),
        seen,
        unsent: VecDeque::new(),
        stopping,
        _watched: watched,
    };
    let events = futures::stream::unfold(viewer, |mut viewer| async move {
        let event = viewer.next().await?;
        Some((Ok(event), viewer))
    });
    Sse::new(events).keep_alive(KeepAlive::new().interval(KEEPALIVE))
}

/// One browser.
struct Viewer {
    receiver: watch::Receiver<Fragments>,
    seen: Option<Mark>,
    /// Shared texts, at most one for each fragment of the page.
    unsent: VecDeque<(Mark, Arc<str>)>,
    stopping: CancellationToken,
    _watched: Watched,
}

impl Viewer {
    /// The next change; `None` when there will be none.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((mark, html)) = self.unsent.pop_front() {
                self.seen = Some(mark);
                let event = Event::default().event("fragment").id(mark.to_string());
                return Some(event.data(html));
            }
            self.unsent = self.receiver.borrow_and_update().since(self.seen).into();
            if self.unsent.is_empty() {
                tokio::select! {
                    biased;
                    () = self.stopping.cancelled() => return None,
                    changed = self.receiver.changed() => changed.ok()?,
                }
            }
        }
    }
}
