//! The jobs of one series, seed by seed: their states, errors and traces.

use std::collections::BTreeMap;

use axum::response::Html;
use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::SeriesId;
use loto_proto::job::Series;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::trace::Trace;
use loto_proto::untrusted_text::{escape, escape_lines};
use loto_report::numbers;
use loto_transport::store::Store;
use maud::{Markup, html};

use super::document::{Place, document};
use super::error::PageError;
use super::sections::state::State;

/// Most seeds whose traces are shown.
const SHOWN_SEEDS: u32 = 100;

/// The page as of now.
pub(super) async fn page(
    plan: &Sweep,
    id: SeriesId,
    store: &dyn Store,
) -> Result<Html<String>, PageError> {
    let (blackbox, series) =
        find(plan, id).ok_or(PageError::NoPage("the sweep has no such series"))?;
    let attempts = store.attempts(&[id]).await?;
    let attempts: BTreeMap<u32, Attempt> = attempts.into_iter().flatten().collect();
    let conflicts = store.conflicts().await?;
    let mut jobs = Vec::new();
    for seed in 0..plan.seeds.min(SHOWN_SEEDS) {
        let of_job = |conflict: &&loto_transport::store::Conflict| {
            conflict.series == id && conflict.seed == seed
        };
        let trace = match store.trace(id, seed).await {
            Ok(trace) => Ok(trace),
            Err(error) if error.concerns_server() => return Err(error.into()),
            Err(error) => Err(error.to_string()),
        };
        jobs.push(Job {
            seed,
            attempt: attempts.get(&seed),
            conflict: conflicts
                .iter()
                .find(of_job)
                .map(|known| known.problem.as_str()),
            trace,
        });
    }
    let title = format!("{} on {}", series.method.label(), series.task);
    let content = html! {
        h1 { (escape(&title)) }
        p.muted {
            "Black box " (escape(&blackbox.name)) ", " (blackbox.iterations) " evaluations a trace. As of now: load the page \
             again for what is new."
        }
        @if plan.seeds > SHOWN_SEEDS { p.muted { "The first " (SHOWN_SEEDS) " of " (plan.seeds) " seeds." } }
        @for job in &jobs { (job.section()) }
    };
    let place = Place {
        above: vec![(plan.name.clone(), format!("/sweeps/{}", plan.id()))],
        events: None,
    };
    Ok(document(&title, &place, &content))
}

/// The series of the plan with that id.
fn find(plan: &Sweep, id: SeriesId) -> Option<(&Blackbox, Series)> {
    plan.blackboxes.iter().find_map(|blackbox| {
        let methods = blackbox.methods.iter();
        let mut series = methods.flat_map(|method| {
            let targets = blackbox.targets.iter();
            targets.map(move |target| blackbox.series(method, target))
        });
        let found = series.find(|series| series.id() == id)?;
        Some((blackbox, found))
    })
}

/// One job of the series.
struct Job<'a> {
    seed: u32,
    attempt: Option<&'a Attempt>,
    conflict: Option<&'a str>,
    /// `Err` with what is wrong if it is damaged.
    trace: Result<Option<Trace>, String>,
}

impl Job<'_> {
    fn state(&self) -> State {
        let attempted = self.attempt.map(|attempt| attempt.state);
        match (&self.trace, attempted) {
            _ if self.conflict.is_some() => State::Conflict,
            (Ok(Some(_)), _) => State::Done,
            (_, Some(AttemptState::Running)) => State::Running,
            (_, Some(AttemptState::Failed)) => State::Failed,
            (_, Some(AttemptState::Poisoned)) => State::Poisoned,
            (_, Some(AttemptState::Queued) | None) => State::Queued,
        }
    }

    fn section(&self) -> Markup {
        let state = self.state();
        html! {
            section.job {
                h2 { "Seed " (self.seed) ": " span class=(state.word()) { (state.sign()) " " (state.word()) } }
                @if let Some(problem) = self.conflict { p { (escape(problem)) } }
                @if let Err(problem) = &self.trace { p { "The trace is damaged: " (escape(problem)) } }
                @if let Some(attempt) = self.attempt { (attempted(attempt)) }
                @if let Ok(Some(trace)) = &self.trace { (evaluated(trace)) }
            }
        }
    }
}

fn attempted(attempt: &Attempt) -> Markup {
    html! {
        p.muted { "Attempt " (attempt.count) ", by " (escape(&attempt.worker)) "." }
        @if !attempt.error.is_empty() {
            p { (escape(&attempt.error)) }
            @if !attempt.backtrace.is_empty() {
                details { summary { "Backtrace" } pre tabindex="0" { (escape_lines(&attempt.backtrace)) } }
            }
        }
    }
}

/// What the method chose and got.
fn evaluated(trace: &Trace) -> Markup {
    let best = trace.values.iter().copied().reduce(f64::min);
    html! {
        p {
            (numbers::count(trace.rows.len() as u64, "evaluation"))
            @if let Some(best) = best { ", least value " (numbers::value(best)) }
            ", " (numbers::seconds(trace.cpu_time().as_secs_f64())) " s of processor time."
        }
        details {
            summary { "Rows and values" }
            div.scroll tabindex="0" role="region" aria-label="Rows and values" {
                table {
                    thead { tr { th scope="col" { "evaluation" } th scope="col" { "row" } th scope="col" { "value" } } }
                    tbody { @for (number, (row, value)) in (1..).zip(trace.rows.iter().zip(&trace.values)) {
                        tr { th scope="row" { (number) } td { (row) } td { (numbers::value(*value)) } }
                    } }
                }
            }
        }
    }
}
