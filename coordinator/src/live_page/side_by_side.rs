//! Two methods side by side on one task.

use axum::response::Html;
use loto_proto::identity::SweepId;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::untrusted_text::escape;
use loto_report::numbers;
use loto_transport::store::Store;
use maud::{Markup, html};
use serde::Deserialize;

use super::document::{Place, document};
use super::error::PageError;
use super::method_runs::{MethodRuns, chart, distance};
use crate::aggregator::WatchedSweep;

/// Most tasks that a form lists; more would make the page large.
const LISTED_TASKS: usize = 100;

/// Most seeds that a table lists.
const LISTED_SEEDS: usize = 200;

/// Which methods, and on which task: names as in the sweep.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Question {
    blackbox: String,
    task: String,
    one: String,
    other: String,
}

/// The page as of now.
///
/// # Errors
/// [`PageError::NoPage`] if the sweep has nothing of such a name, [`PageError::Coordinator`] if the store fails.
pub(super) async fn page(
    watched: &WatchedSweep,
    question: &Question,
    store: &dyn Store,
) -> Result<Html<String>, PageError> {
    let plan = watched.plan();
    let (one, other) = places(plan, question)?;
    let planned = watched.planned().await?;
    let one = MethodRuns::read(planned, one, store).await?;
    let other = MethodRuns::read(planned, other, store).await?;
    let title = format!("{} and {} on {}", one.method, other.method, question.task);
    let id = watched.id();
    let content = html! {
        h1 { (escape(&title)) }
        p.muted {
            "Black box " (escape(&question.blackbox)) ", " (plan.seeds) " seeds planned. As of now: load the page again for what \
             is new."
        }
        (chart(plan, &question.task, &[&one, &other]))
        (finals(id, &one, &other))
        (means(&one, &other))
        h2 { "Other methods or tasks" }
        (forms(id, plan, Some(question)))
    };
    let place = Place {
        above: vec![(plan.name.clone(), format!("/sweeps/{id}"))],
        events: None,
    };
    Ok(document(&title, &place, &content))
}

/// The places of both methods: the positions of black box, task and method.
fn places(plan: &Sweep, question: &Question) -> Result<([usize; 3], [usize; 3]), PageError> {
    let mut blackboxes = plan.blackboxes.iter();
    let number = blackboxes.position(|blackbox| blackbox.name == question.blackbox);
    let number = number.ok_or(PageError::NoPage("the sweep has no black box of this name"))?;
    let blackbox = &plan.blackboxes[number];
    let mut tasks = blackbox.targets.iter();
    let task = tasks.position(|target| *target == question.task);
    let task = task.ok_or(PageError::NoPage("the black box has no task of this name"))?;
    let method = |wanted: &str| {
        let mut methods = blackbox.methods.iter();
        let position = methods.position(|method| method.label() == wanted);
        position.ok_or(PageError::NoPage(
            "the black box has no method of this name",
        ))
    };
    let (one, other) = (method(&question.one)?, method(&question.other)?);
    Ok(([number, task, one], [number, task, other]))
}

/// How near each seed came at the end.
fn finals(id: SweepId, one: &MethodRuns, other: &MethodRuns) -> Markup {
    let (ones, others) = (one.finals(), other.finals());
    let of = |finals: &[(u32, f64)], seed: u32| {
        let found = finals.iter().find(|(known, _)| *known == seed);
        found.map(|(_, distance)| *distance)
    };
    let mut seeds: Vec<u32> = ones.iter().chain(&others).map(|(seed, _)| *seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let pairs: Vec<(u32, [Option<f64>; 2])> = seeds
        .iter()
        .map(|&seed| (seed, [of(&ones, seed), of(&others, seed)]))
        .collect();
    let both = pairs
        .iter()
        .filter_map(|(_, pair)| Some((pair[0]?, pair[1]?)));
    let (mut nearer, mut equal, mut farther) = (0, 0, 0);
    for (one, other) in both {
        match one.total_cmp(&other) {
            std::cmp::Ordering::Less => nearer += 1,
            std::cmp::Ordering::Equal => equal += 1,
            std::cmp::Ordering::Greater => farther += 1,
        }
    }
    let mean = |runs: &MethodRuns| runs.mean().last().copied();
    html! {
        h2 { "At the end of the runs" }
        p {
            (escape(&one.method)) " has " (numbers::count(one.len() as u64, "finished run")) ", " (escape(&other.method)) " has "
            (other.len()) ". With the same seed, " (escape(&one.method)) " is nearer to the minimum " (nearer) " times, as near "
            (equal) " times, and farther away " (farther) " times."
        }
        @if !pairs.is_empty() {
            div.scroll tabindex="0" role="region" aria-label="Distances at the end" {
                table {
                    thead { tr {
                        th scope="col" { "seed" }
                        @for runs in [one, other] { th scope="col" { (escape(&runs.method)) } }
                    } }
                    tbody {
                        tr {
                            th scope="row" { "mean" }
                            @for runs in [one, other] { td { (distance(mean(runs))) } }
                        }
                        @for (seed, pair) in pairs.iter().take(LISTED_SEEDS) { tr {
                            th scope="row" { (seed) }
                            @for (runs, value) in [one, other].into_iter().zip(pair) { td {
                                @if value.is_some() {
                                    a href={ "/sweeps/" (id) "/series/" (runs.series) "/seeds/" (seed) } { (distance(*value)) }
                                } @else { (distance(None)) }
                            } }
                        } }
                    }
                }
            }
            @if pairs.len() > LISTED_SEEDS {
                p.muted { "The first " (LISTED_SEEDS) " of " (numbers::grouped(pairs.len() as u64)) " seeds." }
            }
        }
    }
}

/// The means at every evaluation.
fn means(one: &MethodRuns, other: &MethodRuns) -> Markup {
    let (ones, others) = (one.mean(), other.mean());
    let evaluations = ones.len().max(others.len());
    html! {
        @if evaluations > 0 {
            details {
                summary { "Means at every evaluation" }
                div.scroll tabindex="0" role="region" aria-label="Means at every evaluation" {
                    table {
                        thead { tr {
                            th scope="col" { "evaluation" }
                            @for runs in [one, other] { th scope="col" { (escape(&runs.method)) } }
                        } }
                        tbody { @for index in 0..evaluations { tr {
                            th scope="row" { (index + 1) }
                            @for mean in [&ones, &others] { td { (distance(mean.get(index).copied())) } }
                        } } }
                    }
                }
            }
        }
    }
}

/// A form for each black box that has two methods.
pub(super) fn forms(id: SweepId, plan: &Sweep, chosen: Option<&Question>) -> Markup {
    let several = plan.blackboxes.len() > 1;
    let comparable = plan
        .blackboxes
        .iter()
        .filter(|blackbox| blackbox.methods.len() > 1);
    html! {
        @for blackbox in comparable {
            @let chosen = chosen.filter(|chosen| chosen.blackbox == blackbox.name);
            form.compare method="get" action={ "/sweeps/" (id) "/compare" } {
                input type="hidden" name="blackbox" value=(blackbox.name);
                @if several { strong { (escape(&blackbox.name)) } }
                label { "Task " (tasks(blackbox, chosen)) }
                label { "Method " (methods(blackbox, "one", 0, chosen.map(|chosen| &chosen.one))) }
                label { "beside " (methods(blackbox, "other", 1, chosen.map(|chosen| &chosen.other))) }
                button { "Compare" }
            }
        }
    }
}

fn tasks(blackbox: &Blackbox, chosen: Option<&Question>) -> Markup {
    let chosen = chosen.map(|chosen| chosen.task.as_str());
    html! {
        @if blackbox.targets.len() > LISTED_TASKS {
            input name="task" required value=[chosen];
        } @else {
            select name="task" { @for target in &blackbox.targets {
                option value=(target) selected[chosen == Some(target)] { (escape(target)) }
            } }
        }
    }
}

fn methods(blackbox: &Blackbox, name: &str, first: usize, chosen: Option<&String>) -> Markup {
    let is_chosen = |position: usize, label: &str| match chosen {
        Some(chosen) => chosen == label,
        None => position == first,
    };
    html! {
        select name=(name) { @for (position, method) in blackbox.methods.iter().enumerate() {
            option value=(method.label()) selected[is_chosen(position, method.label())] { (escape(method.label())) }
        } }
    }
}
