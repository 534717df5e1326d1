//! How far the sweep is as a whole.

use loto_proto::sweep::Sweep;
use loto_report::numbers::{count, grouped};
use maud::{Markup, html};

use crate::aggregator::Overview;
use crate::progress::describe_duration;

/// Counts, rate, time left.
pub(in crate::live_page) fn section(plan: &Sweep, overview: &Overview) -> Markup {
    let total = &overview.progress.total;
    let planned = total.planned();
    let state = match (overview.cancelled, total.unfinished(), total.poisoned) {
        (true, 1.., _) => "cancelled",
        (_, 0, 0) => "complete",
        (_, 0, _) => "ended, with poisoned jobs",
        _ if total.running > 0 => "running",
        _ => "waiting for workers",
    };
    let counts = [
        ("done", total.done),
        ("running", total.running),
        ("queued", total.queued),
        ("failed", total.failed),
        ("poisoned", total.poisoned),
    ];
    let methods = plan
        .blackboxes
        .iter()
        .map(|blackbox| blackbox.methods.len());
    html! {
        p { strong { (state) } ": " (grouped(total.done)) " of " (grouped(planned)) " traces" }
        progress aria-label="finished traces" value=(total.done) max=(planned.max(1)) {}
        dl.facts {
            @for (name, count) in counts {
                @if count > 0 { dt { (name) } dd { (grouped(count)) } }
            }
            @if total.unfinished() > 0 {
                dt { "rate" } dd { (overview.speed) }
                dt { "processor time left" } dd { "about " (describe_duration(overview.processor_time_left)) }
            }
            dt { "size" } dd {
                (count(plan.blackboxes.len() as u64, "black box")) ", "
                (count(methods.max().unwrap_or(0) as u64, "method")) ", "
                (count(plan.seeds.into(), "seed"))
            }
        }
    }
}
