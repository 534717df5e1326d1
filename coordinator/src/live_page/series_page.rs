//! The jobs of one series, seed by seed: their states and errors, and what is finished in one chart; and the page of one job,
//! with its trace.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use axum::response::Html;
use loto_proto::attempt::Attempt;
use loto_proto::identity::SeriesId;
use loto_proto::job::Series;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::Direction;
use loto_proto::trace::Trace;
use loto_proto::untrusted_text::escape;
use loto_report::numbers;
use loto_statistics::hypervolume::TaskHypervolume;
use loto_transport::store::{Conflict, Store};
use maud::{Markup, html};

use super::document::{Place, document};
use super::error::PageError;
use super::job::Job;
use super::method_runs::{MethodRuns, chart, distance};
use super::sections::problems;
use crate::aggregator::{WatchedSweep, to_status};
use crate::results::TaskValues;

/// Seeds that one page shows.
const SHOWN_SEEDS: u32 = 100;

/// Most evaluations of a trace that are listed.
const SHOWN_EVALUATIONS: usize = 1000;

/// What the store has of some seeds of a series.
struct Found {
    attempts: BTreeMap<u32, Attempt>,
    conflicts: Vec<Conflict>,
    traces: BTreeMap<u32, Trace>,
    damaged: BTreeMap<u32, String>,
    direction: Direction,
    /// What values the task has; nothing for a stream of tasks.
    values: Option<TaskValues>,
    /// The values of both objectives of the task, if there are two.
    hypervolume: Option<Arc<TaskHypervolume>>,
    /// The chart, or why the traces cannot be shown.
    chart: Markup,
}

impl Found {
    async fn read(
        watched: &WatchedSweep,
        id: SeriesId,
        seeds: &[u32],
        store: &dyn Store,
    ) -> Result<Self, PageError> {
        let attempts = store.attempts(&[id]).await?;
        let mut conflicts = store.conflicts().await?;
        conflicts.retain(|conflict| conflict.series == id);
        let mut found = Self {
            attempts: attempts.into_iter().flatten().collect(),
            conflicts,
            traces: BTreeMap::new(),
            damaged: BTreeMap::new(),
            direction: Direction::default(),
            values: None,
            hypervolume: None,
            chart: html! {},
        };
        // Without its table no trace is shown, but what went wrong with the jobs is.
        let planned = match watched.planned().await {
            Ok(planned) => planned,
            Err(error) => {
                found.chart = problems::failure(&to_status(error));
                return Ok(found);
            }
        };
        let Some(place) = planned.place(id) else {
            return Ok(found);
        };
        let traces = planned.traces_at(place, seeds, store).await?;
        found.direction = traces.direction;
        found.traces = traces.sound.into_iter().collect();
        let damaged = traces.damaged.into_iter();
        found.damaged = damaged
            .map(|damaged| (damaged.job.seed, damaged.problem.to_string()))
            .collect();
        let [number, task, _] = place;
        let blackbox = &planned.sweep().blackboxes[number];
        if blackbox.protocol == Protocol::LeaveOneOut {
            found.values = planned.values_at(place);
            found.hypervolume = planned.hypervolume_at(place);
            let runs = MethodRuns::read(planned, place, store).await?;
            found.chart = chart(planned.sweep(), &blackbox.targets[task], &[&runs]);
        }
        Ok(found)
    }

    fn job(&self, seed: u32) -> Job<'_> {
        let mut conflicts = self.conflicts.iter();
        let conflict = conflicts.find(|conflict| conflict.seed == seed);
        Job {
            attempt: self.attempts.get(&seed),
            conflict: conflict.map(|known| known.problem.as_str()),
            trace: self.traces.get(&seed),
            damage: self.damaged.get(&seed).cloned(),
            direction: self.direction,
        }
    }
}

/// The page of a series as of now, with the seeds from `first` on.
///
/// # Errors
/// [`PageError::NoPage`] if the sweep has no such series, [`PageError::Coordinator`] if the store fails.
pub(super) async fn page(
    watched: &WatchedSweep,
    id: SeriesId,
    first: u32,
    store: &dyn Store,
) -> Result<Html<String>, PageError> {
    let plan = watched.plan();
    let (blackbox, series) = find(plan, id)?;
    let first = first.min(plan.seeds.saturating_sub(1));
    let end = first.saturating_add(SHOWN_SEEDS).min(plan.seeds);
    let seeds: Vec<u32> = (first..end).collect();
    let found = Found::read(watched, id, &seeds, store).await?;
    let title = title(&series);
    let sweep = watched.id();
    let content = html! {
        h1 { (escape(&title)) }
        p.muted {
            "Black box " (escape(&blackbox.name)) ", " (blackbox.iterations) " evaluations a run. As of now: load the page \
             again for what is new."
        }
        (found.chart)
        @for &seed in &seeds {
            @let job = found.job(seed);
            section.job {
                h2 { a href={ "/sweeps/" (sweep) "/series/" (id) "/seeds/" (seed) } { "Seed " (seed) } ": " (job.state_in_words()) }
                (job.story())
            }
        }
        (other_seeds(&format!("/sweeps/{sweep}/series/{id}"), first, end, plan.seeds))
    };
    let place = Place {
        above: vec![(plan.name.clone(), format!("/sweeps/{sweep}"))],
        events: None,
    };
    Ok(document(&title, &place, &content))
}

/// Links to the seeds before and after those of a page.
fn other_seeds(address: &str, first: u32, end: u32, planned: u32) -> Markup {
    html! {
        @if first > 0 || end < planned {
            nav aria-label="Seeds" {
                "Seeds " (first) " to " (end.saturating_sub(1)) " of " (planned) ". "
                @if first > 0 {
                    a href={ (address) "?first=" (first.saturating_sub(SHOWN_SEEDS)) } { "Seeds before" } " "
                }
                @if end < planned { a href={ (address) "?first=" (end) } { "Seeds after" } }
            }
        }
    }
}

/// The page of a job as of now.
///
/// # Errors
/// As [`page`].
pub(super) async fn job_page(
    watched: &WatchedSweep,
    id: SeriesId,
    seed: u32,
    store: &dyn Store,
) -> Result<Html<String>, PageError> {
    let plan = watched.plan();
    let (blackbox, series) = find(plan, id)?;
    if seed >= plan.seeds {
        return Err(PageError::NoPage("the sweep has no such seed"));
    }
    let found = Found::read(watched, id, &[seed], store).await?;
    let job = found.job(seed);
    let name = title(&series);
    let title = format!("{name}, seed {seed}");
    let sweep = watched.id();
    let content = html! {
        h1 { (escape(&title)) }
        p { "Black box " (escape(&blackbox.name)) ": " (job.state_in_words()) }
        (job.story())
        @if let Some(trace) = job.trace { (evaluations(trace, &found)) }
        h2 { "Beside the other seeds" }
        (found.chart)
    };
    let above = vec![
        (plan.name.clone(), format!("/sweeps/{sweep}")),
        (name, format!("/sweeps/{sweep}/series/{id}")),
    ];
    let place = Place {
        above,
        events: None,
    };
    Ok(document(&title, &place, &content))
}

/// What the method chose and got, evaluation by evaluation.
fn evaluations(trace: &Trace, found: &Found) -> Markup {
    let (values, direction) = (found.values, found.direction);
    let measure = values.map(|values| values.measure).unwrap_or_default();
    let errors = found.hypervolume.as_ref().map(|task| {
        let pairs = trace.values.iter().zip(&trace.further_values);
        task.errors(pairs.map(|(&first, &second)| [first, second]))
    });
    let mut best = f64::INFINITY;
    let lines = trace.rows.iter().zip(&trace.values).enumerate();
    let lines = lines.map(|(index, (row, value))| {
        best = best.min(*value);
        let distance = values.and_then(|values| match &errors {
            None => Some((best - values.minimum) / values.range),
            Some(errors) => errors.get(index).copied(),
        });
        let took = trace.microseconds.get(index).copied();
        (*row, *value, best, distance, took)
    });
    let lines: Vec<_> = lines.take(SHOWN_EVALUATIONS).collect();
    html! {
        h2 { "Evaluations" }
        div.scroll tabindex="0" role="region" aria-label="Evaluations" {
            table {
                thead { tr {
                    @for heading in ["evaluation", "row", "value", "best so far", measure.words(), "seconds to choose"] {
                        th scope="col" { (heading) }
                    }
                    @if errors.is_some() { th scope="col" { "second value" } }
                } }
                tbody { @for (number, (row, value, best, far, took)) in (1..).zip(&lines) { tr {
                    th scope="row" { (number) }
                    td { (row) }
                    td { (numbers::value(direction.turn(*value))) }
                    td { (numbers::value(direction.turn(*best))) }
                    td { (distance(*far)) }
                    td { @if let Some(took) = took { (numbers::seconds(f64::from(*took) / 1e6)) } }
                    @if errors.is_some() {
                        td { @if let Some(second) = trace.further_values.get(number - 1) { (numbers::value(*second)) } }
                    }
                } } }
            }
        }
        @if trace.rows.len() > lines.len() {
            p.muted { "The first " (lines.len()) " of " (numbers::grouped(trace.rows.len() as u64)) "." }
        }
    }
}

fn title(series: &Series) -> String {
    format!("{} on {}", series.method.label(), series.task)
}

/// The series at a position in the sweep, of which each counts once: as the cells of its grids name it.
///
/// # Errors
/// [`PageError::NoPage`] if there is none.
pub(super) fn at(plan: &Sweep, position: &str) -> Result<SeriesId, PageError> {
    let mut seen = HashSet::new();
    let ids = plan.series().map(|series| series.id());
    let position = position.parse().ok();
    position
        .and_then(|position| ids.filter(|id| seen.insert(*id)).nth(position))
        .ok_or(PageError::NoPage("the sweep has no such series"))
}

/// The series of the plan with that id.
fn find(plan: &Sweep, id: SeriesId) -> Result<(&Blackbox, Series), PageError> {
    let found = plan.blackboxes.iter().find_map(|blackbox| {
        let methods = blackbox.methods.iter();
        let mut series = methods.flat_map(|method| blackbox.series_of(method));
        let found = series.find(|series| series.id() == id)?;
        Some((blackbox, found))
    });
    found.ok_or(PageError::NoPage("the sweep has no such series"))
}
