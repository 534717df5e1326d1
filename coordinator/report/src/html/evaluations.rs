//! Curves over the evaluations beside ADTM, and performance profiles: small charts side by side.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::BlackboxAnalysis;
use loto_statistics::results::Measure;
use maud::{Markup, html};

use super::picture::framed;
use crate::charts::{HALF_SIZE, Palette, Picture, average_rank, profile, targets, unsolved};

/// The charts of a black box, each with what it shows; empty without averages.
pub(crate) fn charts(blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let words = blackbox.measure.words();
    let targets_in_words = match blackbox.measure {
        Measure::DistanceToMinimum => "distances to the minimum",
        Measure::HypervolumeError => "hypervolume errors",
    };
    let drawn: [(&str, &str, Option<Picture>); 4] = [
        (
            "Average rank",
            &format!("Average rank of the {words} over the tasks; 1 is best."),
            average_rank(blackbox, palette, HALF_SIZE),
        ),
        (
            "Unsolved runs",
            match blackbox.measure {
                Measure::DistanceToMinimum => {
                    "Share of runs that have not found the best value of the table."
                }
                Measure::HypervolumeError => {
                    "Share of runs whose hypervolume is not yet that of the whole front of the table."
                }
            },
            unsolved(blackbox, palette, HALF_SIZE),
        ),
        (
            "Reached targets",
            &format!(
                "Share of (run, target) pairs of which the run has reached the target: 51 {targets_in_words}, \
                 from 0.79 down to 0."
            ),
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
