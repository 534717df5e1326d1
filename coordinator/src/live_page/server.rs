//! Listens for browsers, and stops cleanly.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::untrusted_text::escape;
use loto_report::live::STYLE;
use loto_transport::store::Store;
use maud::{Markup, html};
use serde::Deserialize;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;

use super::broadcasts::{Broadcasts, Watched};
use super::document::{Place, document};
use super::error::PageError;
use super::fragments::Mark;
use super::{doorkeeper, headers, series_page, viewer};
use crate::CoordinatorError;
use crate::aggregator::{Guard, WatchedSweeps, incoming, serving};

const SCRIPT: &str = include_str!("live.js");
const LIVE_STYLE: &str = include_str!("live.css");

/// What every request may need.
struct Pages {
    broadcasts: Arc<Broadcasts>,
    stopping: CancellationToken,
}

/// Shows the sweeps of `store` to those whom `guard` lets in, until `stopping` is cancelled.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the listener fails.
pub(crate) async fn serve(
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    listener: TcpListener,
    guard: Guard,
    stopping: CancellationToken,
) -> Result<(), CoordinatorError> {
    let address = listener
        .local_addr()
        .map_err(|error| serving("a socket", error))?;
    let mut server = Server::builder().accept_http1(true);
    if let Some(tls) = guard.tls() {
        server = server
            .tls_config(tls)
            .map_err(|error| serving(address, error))?;
    }
    let scheme = if guard.tls().is_some() {
        "https"
    } else {
        "http"
    };
    guard.warn_of_tokens_in_the_clear(address);
    tracing::info!("showing sweeps on {scheme}://{address}");
    let pages = Arc::new(Pages {
        broadcasts: Arc::new(Broadcasts::new(store, sweeps)),
        stopping: stopping.clone(),
    });
    let served = server
        .add_routes(Routes::from(router(pages, Arc::new(guard))))
        .serve_with_incoming_shutdown(incoming(listener), stopping.cancelled_owned());
    served.await.map_err(|error| serving(address, error))
}

fn router(pages: Arc<Pages>, guard: Arc<Guard>) -> Router {
    let checked = middleware::from_fn_with_state(Arc::clone(&guard), doorkeeper::check);
    let guarded = Router::new()
        .route("/", get(list))
        .route("/events", get(list_events))
        .route("/sweeps/{sweep}", get(sweep))
        .route("/sweeps/{sweep}/events", get(sweep_events))
        .route("/sweeps/{sweep}/series/{series}", get(series))
        .with_state(pages)
        .route_layer(checked);
    let signing_in = Router::new()
        .route("/sign-in", post(doorkeeper::sign_in))
        .with_state(guard);
    Router::new()
        .route(
            "/live.js",
            get(|| text("text/javascript; charset=utf-8", SCRIPT)),
        )
        .route("/style.css", get(style))
        // Browsers ask for it whatever a page says.
        .route("/favicon.ico", get(|| async { StatusCode::NO_CONTENT }))
        .merge(signing_in)
        .merge(guarded)
        .fallback(|| async { PageError::NoPage("the address is not one of loto's") })
        .layer(middleware::from_fn(headers::add))
}

async fn text(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn style() -> Response {
    let kind = "text/css; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], [STYLE, LIVE_STYLE].concat()).into_response()
}

async fn list(State(pages): State<Arc<Pages>>) -> Response {
    let content = |fragments| html! { h1 { "Sweeps" } (fragments) };
    live(
        "Sweeps",
        Vec::new(),
        "/events",
        &pages.broadcasts.list(),
        content,
    )
}

async fn list_events(
    State(pages): State<Arc<Pages>>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Response {
    let watched = pages.broadcasts.list();
    viewer::stream(watched, since.mark(&headers), pages.stopping.clone()).into_response()
}

async fn sweep(
    State(pages): State<Arc<Pages>>,
    Path(sweep): Path<String>,
) -> Result<Response, PageError> {
    let id = sweep_id(&sweep)?;
    let watched = pages.broadcasts.sweep(id).await?;
    let plan = pages.broadcasts.sweeps.get(id).await?;
    let name = plan.plan().name.clone();
    let content = |fragments| {
        html! { h1 { (escape(&name)) } p.id { "sweep " (id) } (fragments) }
    };
    let events = format!("/sweeps/{id}/events");
    Ok(live(&name, Vec::new(), &events, &watched, content))
}

async fn sweep_events(
    State(pages): State<Arc<Pages>>,
    Path(sweep): Path<String>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweep(sweep_id(&sweep)?).await?;
    Ok(viewer::stream(watched, since.mark(&headers), pages.stopping.clone()).into_response())
}

async fn series(
    State(pages): State<Arc<Pages>>,
    Path((sweep, series)): Path<(String, String)>,
) -> Result<Response, PageError> {
    let id = sweep_id(&sweep)?;
    let watched = pages.broadcasts.sweeps.get(id).await?;
    let series: SeriesId = series
        .parse()
        .map_err(|_| PageError::NoPage("this is no id of a series"))?;
    let page = series_page::page(watched.plan(), series, pages.broadcasts.store()).await?;
    Ok(page.into_response())
}

fn sweep_id(text: &str) -> Result<SweepId, PageError> {
    text.parse()
        .map_err(|_| PageError::NoPage("this is no id of a sweep"))
}

/// A page with its fragments as they stand, and where the browser gets the changes from then on.
fn live(
    title: &str,
    above: Vec<(String, String)>,
    events: &str,
    watched: &Watched,
    content: impl FnOnce(Markup) -> Markup,
) -> Response {
    let (fragments, mark) = {
        let fragments = watched.subscribe();
        let fragments = fragments.borrow();
        (fragments.markup(), fragments.mark())
    };
    let place = Place {
        above,
        events: Some(format!("{events}?since={mark}")),
    };
    document(title, &place, &content(fragments)).into_response()
}

/// What a browser has seen: the page as it was loaded, or the last event.
#[derive(Deserialize)]
struct Since {
    since: Option<String>,
}

impl Since {
    /// Who sends something that is no mark has seen nothing.
    fn mark(&self, headers: &HeaderMap) -> Option<Mark> {
        let last = headers.get("last-event-id");
        let last = last.and_then(|last| last.to_str().ok()?.parse().ok());
        last.or_else(|| self.since.as_ref()?.parse().ok())
    }
}
