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
                        th scope="col" { "worker" } th scope="col" { "jobs held" }
                        th scope="col" { "jobs a minute" } th scope="col" { "heartbeat" }
                    } }
                    tbody { @for worker in &overview.workers { tr {
                        th scope="row" { (escape(&worker.name)) }
                        td { (worker.jobs) }
                        td { @if let Some(rate) = worker.per_minute { (in_two_digits(rate)) } @else { "-" } }
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

/// A number with two digits that count, so that small changes change no page.
fn in_two_digits(rate: f64) -> String {
    if rate == 0.0 || rate >= 9.95 {
        let scale = 10f64.powf((rate.max(1.0).log10().floor() - 1.0).max(0.0));
        return format!("{:.0}", (rate / scale).round() * scale);
    }
    format!("{rate:.1}")
}

fn in_tens(duration: Duration) -> Duration {
    Duration::from_secs(duration.as_secs() / 10 * 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_two_digits() {
        let shown = [0.0, 0.04, 0.25, 9.94, 9.96, 12.4, 99.6, 123.0, 1250.1].map(in_two_digits);
        let expected = ["0", "0.0", "0.2", "9.9", "10", "12", "100", "120", "1300"];
        assert_eq!(shown, expected);
    }
}
