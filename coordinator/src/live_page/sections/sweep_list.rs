//! The sweeps of the store.

use loto_proto::untrusted_text::escape;
use loto_report::numbers::grouped;
use maud::{Markup, html};

use super::super::listed_sweep::{Content, Listed};
use super::state::State;
use crate::aggregator::Overview;
use crate::date::describe_date;
use crate::progress::describe_duration;

/// The newest sweeps, the newest first.
pub(in crate::live_page) fn section(listed: &[Listed], left_out: usize) -> Markup {
    html! {
        @if listed.is_empty() {
            p { "There is no sweep in the store yet. " code { "loto submit" } " records one; it appears here." }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Sweeps" {
                table {
                    thead { tr {
                        @for heading in ["sweep", "state", "traces", "rate", "processor time left", "recorded"] {
                            th scope="col" { (heading) }
                        }
                    } }
                    tbody { @for sweep in listed { tr { (row(sweep)) } } }
                }
            }
        }
        @if left_out > 0 { p.muted { (left_out) " older sweeps are not shown; loto status lists all." } }
    }
}

fn row(listed: &Listed) -> Markup {
    let recorded = listed.recorded.map(describe_date).unwrap_or_default();
    let id = listed.id.to_string();
    html! {
        @match &listed.content {
            Content::Damaged(problem) => {
                th scope="row" { code { (id) } }
                td.poisoned { "✕ damaged" }
                td.text colspan="3" { (escape(problem)) }
            }
            Content::Sweep { name, jobs, overview } => {
                th scope="row" { a href={ "/sweeps/" (id) } { (escape(name)) } " " code { (&id[..8]) } }
                @match overview {
                    None => { td {} td { (grouped(*jobs)) } td {} td {} }
                    Some(overview) => { (counted(overview)) }
                }
            }
        }
        td { (recorded) }
    }
}

fn counted(overview: &Overview) -> Markup {
    let total = &overview.progress.total;
    let state = State::of(total, !overview.conflicts.is_empty());
    let is_unfinished = total.unfinished() > 0;
    html! {
        td class=(state.word()) {
            (state.sign()) " " (state.word())
            @if overview.cancelled && is_unfinished { ", cancelled" }
        }
        td {
            (grouped(total.done)) " of " (grouped(total.planned()))
            @if total.poisoned > 0 { ", " (grouped(total.poisoned)) " poisoned" }
        }
        td { @if is_unfinished { (overview.speed) } }
        td { @if is_unfinished { (describe_duration(overview.processor_time_left)) } }
    }
}
