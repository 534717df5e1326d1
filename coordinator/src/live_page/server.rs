//! Listens for browsers, and stops cleanly.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Router, middleware};
use loto_report::live::STYLE;
use loto_transport::connection::Access;
use loto_transport::store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;

use super::answers::{self, Pages};
use super::broadcasts::Broadcasts;
use super::control::{Action, ControlRoom};
use super::error::PageError;
use super::report_desk::ReportDesk;
use super::{compression, doorkeeper, headers, own_name};
use crate::CoordinatorError;
use crate::aggregator::{Guard, WatchedSweeps, incoming, secured, serving};

const SCRIPT: &str = include_str!("live.js");
const LIVE_STYLE: &str = include_str!("live.css");

/// Shows the sweeps of `store` to those whom `guard` lets in, until `stopping` is cancelled. Who may control them has their jobs
/// published at `broker`.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the listener fails.
pub(crate) async fn serve(
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    listener: TcpListener,
    guard: Guard,
    broker: Option<Access>,
    stopping: CancellationToken,
) -> Result<(), CoordinatorError> {
    let (address, server) = secured(&guard, &listener)?;
    let scheme = if guard.tls().is_some() {
        "https"
    } else {
        "http"
    };
    tracing::info!("showing sweeps on {scheme}://{address}");
    let control = ControlRoom::new(Arc::clone(&store), broker, stopping.clone());
    let reports = ReportDesk::new(Arc::clone(&store));
    let pages = Arc::new(Pages {
        broadcasts: Arc::new(Broadcasts::new(store, sweeps)),
        control: Arc::new(control),
        reports,
        stopping: stopping.clone(),
    });
    let is_open = !guard.knows_clients();
    let mut router = router(pages, Arc::new(guard));
    if is_open && address.ip().is_loopback() {
        router = router.layer(middleware::from_fn(own_name::check));
    }
    let served = server
        .accept_http1(true)
        .add_routes(Routes::from(router))
        .serve_with_incoming_shutdown(incoming(listener), stopping.cancelled_owned());
    served.await.map_err(|error| serving(address, error))
}

fn router(pages: Arc<Pages>, guard: Arc<Guard>) -> Router {
    let checked = middleware::from_fn_with_state(Arc::clone(&guard), doorkeeper::check);
    // The parts of a request come one by one, so that each action has an address of its own.
    let control = |action| {
        post(move |pages, visitor, sweep, headers, uri| {
            answers::control(action, pages, visitor, sweep, headers, uri)
        })
    };
    let guarded = Router::new()
        .route("/", get(answers::list))
        .route("/events", get(answers::list_events))
        .route("/sweeps/{sweep}", get(answers::sweep))
        .route("/sweeps/{sweep}/events", get(answers::sweep_events))
        .route("/sweeps/{sweep}/series/{series}", get(answers::series))
        .route(
            "/sweeps/{sweep}/series/{series}/seeds/{seed}",
            get(answers::job),
        )
        .route(
            "/sweeps/{sweep}/results/{subject}/{part}",
            get(answers::results),
        )
        .route(
            "/sweeps/{sweep}/results/{subject}/{part}/events",
            get(answers::results_events),
        )
        .route(
            "/sweeps/{sweep}/jobs/{blackbox}/{method}",
            get(answers::method_jobs),
        )
        .route("/sweeps/{sweep}/compare", get(answers::compare))
        .route("/sweeps/{sweep}/report.html", get(answers::report))
        .route("/sweeps/{sweep}/cancel", control(Action::Cancel))
        .route("/sweeps/{sweep}/retry", control(Action::Retry))
        .route("/sweeps/{sweep}/resume", control(Action::Resume))
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
        .layer(middleware::from_fn(compression::add))
        .layer(middleware::from_fn(headers::add))
}

async fn text(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn style() -> Response {
    let kind = "text/css; charset=utf-8";
    ([(header::CONTENT_TYPE, kind)], [STYLE, LIVE_STYLE].concat()).into_response()
}
