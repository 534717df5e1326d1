//! What a user has to know or to do something about.

use loto_proto::identity::SeriesId;
use loto_proto::untrusted_text::escape;
use maud::{Markup, html};
use tonic::{Code, Status};

use crate::aggregator::Overview;

/// Poisoned jobs, conflicts, damage, alarms; empty without any.
pub(in crate::live_page) fn section(overview: &Overview) -> Markup {
    let id = overview.sweep;
    let address = |series: SeriesId| format!("/sweeps/{id}/series/{series}");
    let has_none = overview.poisoned.is_empty()
        && overview.conflicts.is_empty()
        && overview.passed_over.is_empty()
        && overview.remarks.remarks.is_empty()
        && overview.alarms.is_empty();
    html! {
        @if !has_none {
            div.alert role="group" aria-label="Problems" {
                @if !overview.alarms.is_empty() {
                    strong { "Alarms of the store" }
                    ul { @for alarm in &overview.alarms { li { (escape(alarm)) } } }
                }
                @if !overview.poisoned.is_empty() {
                    strong { "Poisoned jobs, which no worker tries again before " code { "loto retry" } }
                    ul { @for poisoned in &overview.poisoned {
                        li { a href={ (address(poisoned.job.series.id())) "/seeds/" (poisoned.job.seed) } {
                            (escape(poisoned.job.series.method.label())) " on " (escape(&poisoned.job.series.task))
                            ", seed " (poisoned.job.seed)
                        } ": " (escape(&poisoned.attempt.error)) }
                    } }
                }
                @if !overview.conflicts.is_empty() {
                    strong { "Conflicts, which must not be: jobs with more than one outcome, of which the first is kept" }
                    ul { @for conflict in &overview.conflicts {
                        li { a href={ (address(conflict.series)) "/seeds/" (conflict.seed) } { (escape(&conflict.problem)) } }
                    } }
                }
                @if !overview.passed_over.is_empty() {
                    strong { "Damaged in the store, and passed over" }
                    ul { @for problem in &overview.passed_over { li { (escape(problem)) } } }
                }
                @if !overview.remarks.remarks.is_empty() {
                    strong { "Workers tell" }
                    ul { @for remark in &overview.remarks.remarks { li { (escape(remark)) } } }
                }
            }
        }
    }
}

/// Why something cannot be shown.
pub(in crate::live_page) fn failure(status: &Status) -> Markup {
    let heading = match status.code() {
        Code::Unavailable => "The store does not answer; this page goes on when it does",
        Code::NotFound => "It is not in the store any more",
        Code::DataLoss => "The store holds something that is damaged",
        _ => "This cannot be shown",
    };
    html! { div.alert role="group" aria-label="Problem" { strong { (heading) } p { (escape(status.message())) } } }
}
