//! Who works on the jobs of the store.

use std::time::Duration;

use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use crate::aggregator::Overview;
use crate::progress::describe_duration;

/// Three heartbeats: a worker that is silent for so long is stuck, cut off or gone.
const SILENT: Duration = Duration::from_secs(15);

/// The workers, with the jobs they hold and whether they are heard.
pub(in crate::live_page) fn section(overview: &Overview) -> Markup {
    html! {
        h2 { "Workers" }
        @if overview.workers.is_empty() {
            p.muted { "No worker tells this store about itself. A run of " code { "loto run" } " has none." }
        } @else {
            div.scroll tabindex="0" role="region" aria-label="Workers" {
                table {
                    thead { tr {
                        th scope="col" { "worker" } th scope="col" { "jobs held" } th scope="col" { "heartbeat" }
                    } }
                    tbody { @for worker in &overview.workers { tr {
                        th scope="row" { (escape(&worker.name)) }
                        td { (worker.jobs) }
                        td {
                            // Shown to the second, every page would change all the time.
                            @if worker.silent < SILENT { "heard" }
                            @else { "silent for " (describe_duration(in_tens(worker.silent))) }
                        }
                    } } }
                }
            }
            @if overview.workers.len() < overview.remarks.workers {
                p.muted { "The first " (overview.workers.len()) " of " (overview.remarks.workers) "." }
            }
        }
    }
}

fn in_tens(duration: Duration) -> Duration {
    Duration::from_secs(duration.as_secs() / 10 * 10)
}
