//! Cancels, retries and resumes a sweep from its page.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, Uri, header};
use loto_proto::identity::SweepId;
use loto_proto::sweep::Sweep;
use loto_transport::connection::Access;
use loto_transport::queue;
use loto_transport::store::{Store, StoreIdentity};
use maud::{Markup, html};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::doorkeeper::Visitor;
use super::error::PageError;
use crate::CoordinatorError;
use crate::aggregator::Rights;
use crate::dispatch::{DispatchError, SETTLING, cancel_sweep, resume_sweep, retry_sweep};

/// How long a browser is kept waiting: twice as long as it takes to find lost jobs, and the time to publish some.
const PATIENCE: Duration = Duration::from_secs(2 * SETTLING.as_secs() + 10);

/// What may be asked of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Cancel,
    Retry,
    Resume,
}

impl Action {
    const ALL: [Self; 3] = [Self::Cancel, Self::Resume, Self::Retry];

    /// Its address, below that of the sweep.
    fn word(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Retry => "retry",
            Self::Resume => "resume",
        }
    }

    fn button(self) -> &'static str {
        match self {
            Self::Cancel => "Cancel the sweep",
            Self::Retry => "Retry poisoned jobs",
            Self::Resume => "Resume the sweep",
        }
    }

    fn consequence(self) -> &'static str {
        match self {
            Self::Cancel => {
                "No more jobs are begun; those that run are finished, and traces are kept."
            }
            Self::Retry => {
                "Poisoned jobs are tried again, conflicts are forgotten, and damaged traces are computed again."
            }
            Self::Resume => {
                "A cancelled sweep goes on, and jobs that got lost are published again, which takes 15 seconds to find out."
            }
        }
    }
}

/// Does what may be asked, one thing at a time.
pub(super) struct ControlRoom {
    store: Arc<dyn Store>,
    /// Where jobs are published; nothing can be retried or resumed without it.
    broker: Option<Access>,
    stopping: CancellationToken,
    turn: Arc<Mutex<()>>,
}

impl ControlRoom {
    pub(super) fn new(
        store: Arc<dyn Store>,
        broker: Option<Access>,
        stopping: CancellationToken,
    ) -> Self {
        Self {
            store,
            broker,
            stopping,
            turn: Arc::default(),
        }
    }

    /// The buttons; nothing for who may only look.
    pub(super) fn buttons(&self, id: SweepId, visitor: Visitor) -> Markup {
        html! {
            @if visitor.rights == Rights::Control {
                details.control {
                    summary { "Control this sweep" }
                    @for action in Action::ALL {
                        form method="post" action={ "/sweeps/" (id) "/" (action.word()) } {
                            button { (action.button()) }
                            span.muted { (action.consequence()) }
                        }
                    }
                    @if self.broker.is_none() {
                        p.muted { "To resume and to retry, this server has to be started with " code { "--broker" } "." }
                    }
                }
            }
        }
    }

    /// Does it, also to its end if the browser goes away meanwhile. Returns what a user is told.
    ///
    /// # Errors
    /// [`PageError::Busy`] if another action is under way, [`PageError::NoBroker`] if it needs one,
    /// [`PageError::Control`] if it fails.
    pub(super) async fn perform(
        self: &Arc<Self>,
        action: Action,
        sweep: Sweep,
    ) -> Result<String, PageError> {
        let turn = Arc::clone(&self.turn).try_lock_owned();
        let turn = turn.map_err(|_| PageError::Busy)?;
        let room = Arc::clone(self);
        let runtime = Handle::current();
        // On a thread of its own: traces are inspected in between, which takes time where they are many.
        let mut performing = spawn_blocking(move || {
            let _turn = turn;
            let done = runtime.block_on(room.act(action, &sweep));
            match &done {
                Ok(done) => tracing::info!("{done}; this was asked for on a page"),
                Err(error) => tracing::warn!("{} was not done: {error}", action.word()),
            }
            done
        });
        match tokio::time::timeout(PATIENCE, &mut performing).await {
            Ok(performed) => performed.map_err(|source| CoordinatorError::ThreadDied {
                task: "an action on a sweep",
                source,
            })?,
            Err(_) => Ok(
                "This takes longer and goes on; the log of the server tells its end.".to_owned(),
            ),
        }
    }

    async fn act(&self, action: Action, sweep: &Sweep) -> Result<String, PageError> {
        let (id, store) = (sweep.id(), self.store.as_ref());
        if action == Action::Cancel {
            return Ok(cancel_sweep(id, sweep, store).await?.to_string());
        }
        let broker = self.broker.clone().ok_or(PageError::NoBroker)?;
        let queue = queue::connect(broker).await.map_err(DispatchError::from)?;
        let queue = queue.as_ref();
        if action == Action::Retry {
            return Ok(retry_sweep(id, sweep, store, queue).await?.to_string());
        }
        let identity = StoreIdentity::default();
        let resumed = resume_sweep(id, sweep, store, &identity, queue, &self.stopping).await?;
        Ok(resumed.to_string())
    }
}

/// Refuses to change anything for who may only look, and for a page of others that a browser with our cookie has open.
///
/// # Errors
/// [`PageError::OnlyLooking`], [`PageError::ForeignPage`].
pub(super) fn may_control(
    visitor: Visitor,
    headers: &HeaderMap,
    uri: &Uri,
) -> Result<(), PageError> {
    match visitor.rights {
        Rights::Look => Err(PageError::OnlyLooking),
        // Nobody's browser sends the token in this header by itself.
        Rights::Control if !visitor.by_cookie || is_from_our_page(headers, uri) => Ok(()),
        Rights::Control => Err(PageError::ForeignPage),
    }
}

/// Whether a browser says that one of our own pages sent the request. Old ones, and all of them if the connection is in the
/// clear, only say which host's page it was.
fn is_from_our_page(headers: &HeaderMap, uri: &Uri) -> bool {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(site) = text("sec-fetch-site") {
        return site == "same-origin";
    }
    let host = text(header::HOST.as_str()).or_else(|| Some(uri.authority()?.as_str()));
    let origin = text(header::ORIGIN.as_str()).and_then(|origin| origin.split_once("://"));
    matches!((origin, host), (Some((_, origin)), Some(host)) if origin == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "/sweeps/x/cancel";

    fn uri(text: &'static str) -> Uri {
        Uri::from_static(text)
    }

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let lines = lines
            .iter()
            .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        lines.collect()
    }

    #[test]
    fn only_our_own_pages_use_the_cookie() {
        let allowed = [
            &[("host", "loto:8080"), ("origin", "http://loto:8080")][..],
            &[("sec-fetch-site", "same-origin"), ("origin", "null")],
        ];
        let refused = [
            &[("host", "loto:8080")][..],
            &[("host", "loto:8080"), ("origin", "null")],
            &[("host", "loto:8080"), ("origin", "http://loto:8081")],
            &[("host", "loto:8080"), ("origin", "http://evil")],
            &[
                ("host", "loto:8080"),
                ("origin", "http://loto:8080"),
                ("sec-fetch-site", "same-site"),
            ],
            &[("origin", "http://loto:8080")],
        ];
        for lines in allowed {
            assert!(is_from_our_page(&headers(lines), &uri(OURS)), "{lines:?}");
        }
        for lines in refused {
            assert!(!is_from_our_page(&headers(lines), &uri(OURS)), "{lines:?}");
        }
        // Over HTTP/2 the host is in the address.
        let address = uri("https://loto:8080/sweeps/x/cancel");
        let origin = headers(&[("origin", "https://loto:8080")]);
        assert!(is_from_our_page(&origin, &address));
    }

    #[test]
    fn who_may_only_look_changes_nothing_and_a_token_in_a_header_needs_no_page() {
        let visitor = |rights, by_cookie| Visitor { rights, by_cookie };
        let none = HeaderMap::new();
        for by_cookie in [false, true] {
            let refused = may_control(visitor(Rights::Look, by_cookie), &none, &uri(OURS));
            assert!(matches!(refused, Err(PageError::OnlyLooking)));
        }
        let refused = may_control(visitor(Rights::Control, true), &none, &uri(OURS));
        assert!(matches!(refused, Err(PageError::ForeignPage)));
        may_control(visitor(Rights::Control, false), &none, &uri(OURS)).unwrap();
    }
}
