//! Curves over the evaluations beside ADTM, and performance profiles: small charts side by side.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::BlackboxAnalysis;
use maud::{Markup, html};

use super::picture::framed;
use crate::charts::{HALF_SIZE, Palette, Picture, average_rank, profile, targets, unsolved};

/// The charts of a black box, each with what it shows; empty without averages.
pub(crate) fn charts(blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let drawn: [(&str, &str, Option<Picture>); 4] = [
        (
            "Average rank",
            "Average rank of the distance to the minimum over the tasks; 1 is best.",
            average_rank(blackbox, palette, HALF_SIZE),
        ),
        (
            "Unsolved runs",
            "Share of runs that have not found the best value of the table.",
            unsolved(blackbox, palette, HALF_SIZE),
        ),
        (
            "Reached targets",
            "Share of (run, target) pairs of which the run has reached the target: 51 distances to the minimum, \
             from 0.79 down to 0.",
            targets(blackbox, palette, HALF_SIZE),
        ),
        (
            "Performance profile",
            "Share of runs that improve over random search by at least so much.",
            profile(blackbox, palette, HALF_SIZE),
        ),
    ];
    let charts = drawn.into_iter().filter_map(|(title, caption, picture)| {
        let title = format!("{title} on {}", blackbox.name);
        let picture = framed(&picture?, &title);
        Some((caption, picture))
    });
    let charts: Vec<(&str, Markup)> = charts.collect();
    html! {
        @if !charts.is_empty() {
            div.pairs {
                @for (caption, picture) in &charts {
                    figure { (picture) figcaption { (escape(caption)) } }
                }
            }
        }
    }
}
