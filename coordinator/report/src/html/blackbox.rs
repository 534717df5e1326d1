//! The section of one black box.

use loto_statistics::analysis::BlackboxAnalysis;
use maud::{Markup, PreEscaped, html};

use super::comparison::comparison;
use super::iterations::iteration_table;
use super::published;
use super::scores::score_table;
use super::tasks::tasks;
use crate::charts::{CURVES_SIZE, Palette, adtm};
use crate::numbers;
use crate::published::PublishedBlackbox;
use crate::report::Report;

/// The section of `blackbox`, with the published figures that apply to it.
pub(crate) fn section(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    known: Option<&PublishedBlackbox>,
    palette: &Palette,
) -> Markup {
    html! {
        section {
            h2 { (blackbox.name) }
            p {
                (numbers::count(blackbox.tasks.len() as u64, "task")) ", "
                (numbers::count(blackbox.iterations as u64, "iteration")) ", up to "
                (numbers::count(report.analysis.planned_seeds.into(), "seed"))
                " per method and task."
            }
            (curves(report, blackbox, palette))
            (score_table(report, blackbox))
            @if let Some(known) = known { (published::table_beside(known)) }
            (iteration_table(blackbox))
            h3 { "Tasks" }
            (tasks(blackbox, palette))
            h3 { "Comparison" }
            (comparison(&blackbox.comparison, &blackbox.name, palette))
        }
    }
}

fn curves(report: &Report<'_>, blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let Some(picture) = adtm(blackbox, palette, report.draws_baseline(), CURVES_SIZE) else {
        return html! { p.muted { "There is no curve to draw yet." } };
    };
    let title = format!("ADTM over iterations on {}", blackbox.name);
    html! {
        figure {
            (PreEscaped(picture.finish(&title)))
            figcaption {
                "Average distance to the minimum over "
                (numbers::count(blackbox.averaged_tasks as u64, "task")) ", with "
                (numbers::percentage(report.analysis.confidence))
                " bootstrap bands over the seeds. Curves that meet the axis have reached 0."
            }
        }
    }
}
