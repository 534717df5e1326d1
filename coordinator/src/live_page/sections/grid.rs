//! Methods by tasks: how many seeds of each series are done, and in which state the rest is.

use std::collections::HashMap;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::sweep::Blackbox;
use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use super::state::State;
use crate::aggregator::{Overview, SeriesState};
use crate::progress::Counts;

/// Most cells: more make the page large, and nobody looks at them all.
const MOST_CELLS: usize = 1500;

/// The grid of one black box; of a large one, a row of sums for each method.
pub(in crate::live_page) fn section(blackbox: &Blackbox, overview: &Overview) -> Markup {
    let states: HashMap<SeriesId, &SeriesState> = overview
        .series
        .iter()
        .map(|state| (state.id, state))
        .collect();
    let is_large = blackbox.methods.len() * blackbox.targets.len() > MOST_CELLS;
    let row = |position: usize| -> Vec<&SeriesState> {
        let method = &blackbox.methods[position];
        let ids = blackbox
            .targets
            .iter()
            .map(|target| blackbox.series(method, target).id());
        ids.filter_map(|id| states.get(&id).copied()).collect()
    };
    html! {
        h2 { "Jobs: " (escape(&blackbox.name)) }
        @if is_large {
            p.muted { "A cell for each method, with its jobs on all " (blackbox.targets.len()) " tasks." }
        }
        div.scroll tabindex="0" role="region" aria-label={ "Jobs of " (escape(&blackbox.name)) } {
            table.grid {
                thead { tr {
                    th scope="col" { "method" }
                    @if is_large { th scope="col" { "all tasks" } }
                    @else { @for target in &blackbox.targets { th scope="col" { (escape(target)) } } }
                } }
                tbody {
                    @for (position, method) in blackbox.methods.iter().enumerate() {
                        @let row = row(position);
                        tr {
                            th scope="row" { (escape(method.label())) }
                            @if is_large { (sum(&row)) }
                            @else { @for state in row { (cell(overview.sweep, state)) } }
                        }
                    }
                }
            }
        }
        (legend())
    }
}

fn cell(sweep: SweepId, series: &SeriesState) -> Markup {
    let state = State::of(&series.counts, series.has_conflict);
    let address = format!("/sweeps/{sweep}/series/{}", series.id);
    html! { td class=(state.word()) { a href=(address) { (content(state, &series.counts)) } } }
}

fn sum(row: &[&SeriesState]) -> Markup {
    let mut counts = Counts::default();
    row.iter().for_each(|series| counts += series.counts);
    let state = State::of(&counts, row.iter().any(|series| series.has_conflict));
    html! { td class=(state.word()) { (content(state, &counts)) } }
}

/// The sign of the state, its word for screen readers, and how many are done. Short, because there may be many.
fn content(state: State, counts: &Counts) -> Markup {
    html! {
        (state.sign()) i { " " (state.word()) } " " (counts.done) "/" (counts.planned())
    }
}

fn legend() -> Markup {
    let states = [
        State::Queued,
        State::Running,
        State::Done,
        State::Failed,
        State::Poisoned,
        State::Conflict,
    ];
    html! {
        p.legend {
            @for state in states { span class=(state.word()) { (state.sign()) " " (state.word()) } " " }
            "– seeds done of planned; a cell shows the jobs behind it."
        }
    }
}
