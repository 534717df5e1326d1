//! What is answered at each address.

use std::str::FromStr;
use std::sync::Arc;

use axum::Extension;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::untrusted_text::escape;
use loto_report::live::Subject;
use maud::{Markup, html};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::broadcasts::{Broadcasts, Watched};
use super::control::{Action, ControlRoom, may_control};
use super::document::{Place, document};
use super::doorkeeper::Visitor;
use super::error::PageError;
use super::fragments::Mark;
use super::report_desk::ReportDesk;
use super::results_address::ResultsAddress;
use super::side_by_side::{self, Question};
use super::{method_jobs, series_page, viewer};
use crate::aggregator::WatchedSweep;

/// What every request may need.
pub(super) struct Pages {
    pub(super) broadcasts: Arc<Broadcasts>,
    pub(super) control: Arc<ControlRoom>,
    pub(super) reports: ReportDesk,
    pub(super) stopping: CancellationToken,
}

pub(super) async fn list(State(pages): State<Arc<Pages>>) -> Response {
    let content = |fragments| html! { h1 { "Sweeps" } (fragments) };
    let place = Place {
        above: Vec::new(),
        events: Some("/events".into()),
    };
    live("Sweeps", place, &pages.broadcasts.list(), content)
}

pub(super) async fn list_events(
    State(pages): State<Arc<Pages>>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Response {
    let watched = pages.broadcasts.list();
    viewer::stream(watched, since.mark(&headers), pages.stopping.clone()).into_response()
}

pub(super) async fn sweep(
    State(pages): State<Arc<Pages>>,
    Extension(visitor): Extension<Visitor>,
    Path(sweep): Path<String>,
    Query(cell): Query<Cell>,
) -> Result<Response, PageError> {
    let id = sweep_id(&sweep)?;
    let followed = pages.broadcasts.sweeps.get(id).await?;
    let plan = followed.plan();
    if let Some(cell) = cell.series {
        let series = series_page::at(plan, &cell)?;
        return Ok(Redirect::to(&format!("/sweeps/{id}/series/{series}")).into_response());
    }
    let watched = pages.broadcasts.sweep(id).await?;
    let name = plan.name.clone();
    let mut blackboxes = plan.blackboxes.iter();
    let compares = blackboxes.any(|blackbox| blackbox.methods.len() > 1);
    // What depends on who looks is no fragment: those are the same for all.
    let content = |fragments| {
        html! {
            h1 { (escape(&name)) }
            p.id { "sweep " (id) }
            p { a href={ "/sweeps/" (id) "/report.html" } { "Report as of now" } ", one file to keep" }
            @if compares {
                details { summary { "Compare two methods on a task" } (side_by_side::forms(id, plan, None)) }
            }
            (pages.control.buttons(id, visitor))
            (fragments)
        }
    };
    let events = format!("/sweeps/{id}/events");
    let place = Place {
        above: Vec::new(),
        events: Some(events),
    };
    Ok(live(&name, place, &watched, content))
}

pub(super) async fn results(
    State(pages): State<Arc<Pages>>,
    Path((sweep, subject, part)): Path<(String, String, String)>,
) -> Result<Response, PageError> {
    let (address, plan) = results_address(&pages, &sweep, &subject, &part).await?;
    let watched = pages.broadcasts.results(address).await?;
    let about = match address.subject {
        Subject::All => "all black boxes",
        Subject::Blackbox(position) => &plan.plan().blackboxes[position].name,
    };
    let heading = address.part.heading();
    let name = &plan.plan().name;
    let others = ResultsAddress::of_sweep(address.sweep, plan.plan());
    let others = others.concat().into_iter();
    let others = others.filter(|other| other.subject == address.subject && *other != address);
    let content = |fragments| {
        html! {
            h1 { (heading) ": " (escape(about)) }
            (fragments)
            p.parts { "Other pages: " @for (number, other) in others.enumerate() {
                @if number > 0 { ", " }
                a href=(other) { (other.part.heading()) }
            } }
        }
    };
    let place = Place {
        above: vec![(name.clone(), format!("/sweeps/{}", address.sweep))],
        events: Some(format!("{address}/events")),
    };
    Ok(live(
        &format!("{heading}: {about}"),
        place,
        &watched,
        content,
    ))
}

pub(super) async fn results_events(
    State(pages): State<Arc<Pages>>,
    Path((sweep, subject, part)): Path<(String, String, String)>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let (address, _) = results_address(&pages, &sweep, &subject, &part).await?;
    let watched = pages.broadcasts.results(address).await?;
    Ok(viewer::stream(watched, since.mark(&headers), pages.stopping.clone()).into_response())
}

async fn results_address(
    pages: &Pages,
    sweep: &str,
    subject: &str,
    part: &str,
) -> Result<(ResultsAddress, Arc<WatchedSweep>), PageError> {
    let id = sweep_id(sweep)?;
    let watched = pages.broadcasts.sweeps.get(id).await?;
    let found = ResultsAddress::find(id, watched.plan(), subject, part);
    let address = found.ok_or(PageError::NoPage("the sweep has no such results"))?;
    Ok((address, watched))
}

pub(super) async fn method_jobs(
    State(pages): State<Arc<Pages>>,
    Path((sweep, blackbox, method)): Path<(String, String, String)>,
    Query(shown): Query<Shown>,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweeps.get(sweep_id(&sweep)?).await?;
    let number = |text: &str| {
        text.parse()
            .map_err(|_| PageError::NoPage("this is no method of a black box"))
    };
    let place = (number(&blackbox)?, number(&method)?);
    let page = method_jobs::page(&watched, place, shown.first().unwrap_or(0)).await?;
    Ok(page.into_response())
}

pub(super) async fn sweep_events(
    State(pages): State<Arc<Pages>>,
    Path(sweep): Path<String>,
    Query(since): Query<Since>,
    headers: HeaderMap,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweep(sweep_id(&sweep)?).await?;
    Ok(viewer::stream(watched, since.mark(&headers), pages.stopping.clone()).into_response())
}

pub(super) async fn series(
    State(pages): State<Arc<Pages>>,
    Path((sweep, series)): Path<(String, String)>,
    Query(shown): Query<Shown>,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweeps.get(sweep_id(&sweep)?).await?;
    let (series, store) = (series_id(&series)?, pages.broadcasts.store());
    let page = series_page::page(&watched, series, shown.first().unwrap_or(0), store).await?;
    Ok(page.into_response())
}

pub(super) async fn job(
    State(pages): State<Arc<Pages>>,
    Path((sweep, series, seed)): Path<(String, String, String)>,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweeps.get(sweep_id(&sweep)?).await?;
    let (series, store) = (series_id(&series)?, pages.broadcasts.store());
    let seed = seed
        .parse()
        .map_err(|_| PageError::NoPage("this is no seed"))?;
    let page = series_page::job_page(&watched, series, seed, store).await?;
    Ok(page.into_response())
}

pub(super) async fn compare(
    State(pages): State<Arc<Pages>>,
    Path(sweep): Path<String>,
    question: Result<Query<Question>, QueryRejection>,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweeps.get(sweep_id(&sweep)?).await?;
    let Query(question) = question
        .map_err(|_| PageError::NoPage("a comparison needs a black box, a task and two methods"))?;
    let store = pages.broadcasts.store();
    let page = side_by_side::page(&watched, &question, store).await?;
    Ok(page.into_response())
}

pub(super) async fn report(
    State(pages): State<Arc<Pages>>,
    Path(sweep): Path<String>,
) -> Result<Response, PageError> {
    let watched = pages.broadcasts.sweeps.get(sweep_id(&sweep)?).await?;
    pages.reports.report(watched.plan().clone()).await
}

pub(super) async fn control(
    action: Action,
    State(pages): State<Arc<Pages>>,
    Extension(visitor): Extension<Visitor>,
    Path(sweep): Path<String>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, PageError> {
    may_control(visitor, &headers, &uri)?;
    let id = sweep_id(&sweep)?;
    let plan = pages.broadcasts.sweeps.get(id).await?.plan().clone();
    let name = plan.name.clone();
    let done = pages.control.perform(action, plan).await?;
    let address = format!("/sweeps/{id}");
    let content = html! {
        h1 { (escape(&name)) }
        @for line in done.lines() { p role="status" { (escape(line)) } }
        p { a href=(address) { "Back to the sweep" } }
    };
    let place = Place {
        above: vec![(name.clone(), address.clone())],
        events: None,
    };
    Ok(document(&name, &place, &content).into_response())
}

fn sweep_id(text: &str) -> Result<SweepId, PageError> {
    text.parse()
        .map_err(|_| PageError::NoPage("this is no id of a sweep"))
}

fn series_id(text: &str) -> Result<SeriesId, PageError> {
    text.parse()
        .map_err(|_| PageError::NoPage("this is no id of a series"))
}

/// A page with its fragments as they stand, and where the browser gets the changes from then on.
fn live(
    title: &str,
    place: Place,
    watched: &Watched,
    content: impl FnOnce(Markup) -> Markup,
) -> Response {
    let (fragments, mark) = {
        let fragments = watched.subscribe();
        let fragments = fragments.borrow();
        (fragments.markup(), fragments.mark())
    };
    let events = place.events.map(|events| format!("{events}?since={mark}"));
    let place = Place { events, ..place };
    document(title, &place, &content(fragments)).into_response()
}

/// The first seed or task that a page is to show.
#[derive(Deserialize)]
pub(super) struct Shown {
    first: Option<String>,
}

impl Shown {
    /// Who sends something that is no number begins at the beginning.
    fn first<Number: FromStr>(&self) -> Option<Number> {
        self.first.as_ref()?.parse().ok()
    }
}

/// The cell of a grid that somebody wants to look behind.
#[derive(Deserialize)]
pub(super) struct Cell {
    /// The position of its series in the sweep: short, because a page has hundreds.
    series: Option<String>,
}

/// What a browser has seen: the page as it was loaded, or the last event.
#[derive(Deserialize)]
pub(super) struct Since {
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
