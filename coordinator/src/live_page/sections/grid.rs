//! Methods by tasks: how many seeds of each series are done, and in which state the rest is.

use std::collections::HashMap;

use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Series;
use loto_proto::protocol::Protocol;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use super::state::State;
use crate::aggregator::{Overview, SeriesState};
use crate::progress::Counts;

/// Most cells of a page: more make it large, and nobody looks at them all.
const MOST_CELLS: usize = 450;

/// Where the states of the cells are in an overview: positions by black box, method and task.
pub(in crate::live_page) struct Layout(Vec<Vec<Vec<usize>>>);

impl Layout {
    /// Finds the series of the plan: that takes a hash for each, and is done once.
    pub(in crate::live_page) fn new(plan: &Sweep, overview: &Overview) -> Self {
        let ids = overview.series.iter().map(|state| state.id);
        let positions: HashMap<SeriesId, usize> = ids.zip(0..).collect();
        let position = |series: Series| positions.get(&series.id()).copied();
        let grid = |blackbox: &Blackbox| -> Vec<Vec<usize>> {
            let methods = blackbox.methods.iter();
            let rows =
                methods.map(|method| blackbox.series_of(method).filter_map(position).collect());
            rows.collect()
        };
        Self(plan.blackboxes.iter().map(grid).collect())
    }

    /// The states of a method of a black box on its tasks.
    pub(in crate::live_page) fn row<'a>(
        &self,
        blackbox: usize,
        method: usize,
        overview: &'a Overview,
    ) -> Vec<(usize, &'a SeriesState)> {
        let row = self.0.get(blackbox).and_then(|grid| grid.get(method));
        let positions = row.into_iter().flatten();
        positions
            .filter_map(|&position| Some((position, overview.series.get(position)?)))
            .collect()
    }
}

/// Of each black box, whether its cells are on the page: the first ones are, as long as they are not too many.
fn fitting(plan: &Sweep) -> impl Iterator<Item = bool> {
    let mut room = MOST_CELLS;
    plan.blackboxes.iter().map(move |blackbox| {
        let left = room.checked_sub(blackbox.methods.len() * blackbox.series_per_method());
        room = left.unwrap_or(room);
        left.is_some()
    })
}

/// The grids of all black boxes; of one that is too large, a row of sums for each method, which lead to its cells.
pub(in crate::live_page) fn sections(
    plan: &Sweep,
    layout: &Layout,
    overview: &Overview,
) -> Vec<Markup> {
    let grids = plan.blackboxes.iter().zip(fitting(plan)).enumerate();
    grids
        .map(|(position, (blackbox, fits))| match fits {
            true => cells(position, blackbox, layout, overview),
            false => sums(position, blackbox, layout, overview),
        })
        .collect()
}

fn cells(number: usize, blackbox: &Blackbox, layout: &Layout, overview: &Overview) -> Markup {
    let head = html! {
        @match blackbox.protocol {
            Protocol::LeaveOneOut => { @for target in &blackbox.targets { th scope="col" { (escape(target)) } } }
            Protocol::Stream => th scope="col" { "all tasks in turn" },
        }
    };
    let row = |method| {
        let states = layout.row(number, method, overview);
        html! { @for (position, state) in states {
            td class=(state_of(state).word()) { a href={ "?series=" (position) } { (content(state_of(state), &state.counts)) } }
        } }
    };
    table(blackbox, &head, row)
}

fn sums(number: usize, blackbox: &Blackbox, layout: &Layout, overview: &Overview) -> Markup {
    let head = html! { th scope="col" { "all " (blackbox.targets.len()) " tasks" } };
    let row = |method| {
        let mut counts = Counts::default();
        let mut has_conflict = false;
        for (_, state) in layout.row(number, method, overview) {
            counts += state.counts;
            has_conflict |= state.has_conflict;
        }
        let state = State::of(&counts, has_conflict);
        let address = method_address(overview.sweep, number, method);
        html! { td class=(state.word()) { a href=(address) { (content(state, &counts)) } } }
    };
    table(blackbox, &head, row)
}

/// Where the jobs of a method of a black box are, task by task.
pub(in crate::live_page) fn method_address(
    sweep: SweepId,
    blackbox: usize,
    method: usize,
) -> String {
    format!("/sweeps/{sweep}/jobs/{blackbox}/{method}")
}

fn table(blackbox: &Blackbox, head: &Markup, row: impl Fn(usize) -> Markup) -> Markup {
    html! {
        h2 { "Jobs: " (escape(&blackbox.name)) }
        div.scroll tabindex="0" role="region" aria-label={ "Jobs of " (escape(&blackbox.name)) } {
            table.grid {
                thead { tr { th scope="col" { "method" } (head) } }
                tbody { @for (position, method) in blackbox.methods.iter().enumerate() {
                    tr { th scope="row" { (escape(method.label())) } (row(position)) }
                } }
            }
        }
        (legend())
    }
}

/// What is most worth knowing of a series.
pub(in crate::live_page) fn state_of(series: &SeriesState) -> State {
    State::of(&series.counts, series.has_conflict)
}

/// The sign of the state, its word for screen readers, and how many are done. Short, because there may be many.
pub(in crate::live_page) fn content(state: State, counts: &Counts) -> Markup {
    html! {
        (state.sign()) i { " " (state.word()) } " " (counts.done) "/" (counts.planned())
    }
}

pub(in crate::live_page) fn legend() -> Markup {
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
