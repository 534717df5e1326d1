//! What became of jobs lately.

use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use crate::aggregator::Overview;
use crate::date::time_of_day;

/// The last events, the newest first.
pub(in crate::live_page) fn section(overview: &Overview) -> Markup {
    html! {
        h2 { "Last events" }
        @if overview.events.is_empty() {
            p.muted { "Nothing has happened since this page is watched." }
        } @else {
            ul.events { @for event in &overview.events {
                li {
                    time { (time_of_day(event.at)) } " "
                    a href={ "?series=" (event.series) } {
                        @if let Some(group) = overview.progress.groups.get(event.group) {
                            (escape(&group.method)) " on " (escape(&event.task)) " of " (escape(&group.blackbox))
                        }
                    }
                    ": " (event.what)
                }
            } }
        }
    }
}
