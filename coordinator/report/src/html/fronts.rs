//! The fronts of a black box with two objectives, a chart for each task.

use loto_statistics::analysis::BlackboxAnalysis;
use maud::{Markup, html};

use super::picture::framed;
use crate::attained;
use crate::charts::{self, HALF_SIZE, MOST_TASKS, Palette};
use crate::report::Report;

/// The fronts that methods attain on the first tasks; empty with one objective.
pub(crate) fn fronts(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
) -> Markup {
    let all = attained::of_blackbox(report, blackbox);
    let drawn = all.iter().take(MOST_TASKS).filter_map(|fronts| {
        let picture = charts::fronts(fronts, palette, HALF_SIZE)?;
        let title = format!("Fronts on {} of {}", fronts.task, blackbox.name);
        Some(framed(&picture, &title))
    });
    let drawn: Vec<Markup> = drawn.collect();
    html! {
        @if !drawn.is_empty() {
            h3 { "Fronts" }
            div.pairs { @for picture in &drawn { figure { (picture) } } }
            p.small {
                "Dotted in black: the front of the table, which nothing in it dominates. In colour: what at least half of \
                 a method's seeds attain after all evaluations. Names end in + MO where a method for one objective sees \
                 the average of both, each transformed by itself."
                @if all.len() > MOST_TASKS {
                    " The first " (MOST_TASKS) " of " (all.len()) " tasks; fronts.csv has all."
                }
            }
        }
    }
}
