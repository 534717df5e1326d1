//! The section of one black box.

use std::slice;

use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis};
use maud::{Markup, html};

use super::comparison::comparison;
use super::differences::difference_table;
use super::evaluations::charts;
use super::fronts::fronts;
use super::iterations::iteration_table;
use super::over_cost::over_cost;
use super::picture::framed;
use super::practical::hierarchical_table;
use super::published;
use super::scores::{further_table, over_tasks_table, score_table};
use super::stream::stream;
use super::tasks::tasks;
use crate::about::{direction_arrow, direction_in_words};
use crate::charts::{CURVES_SIZE, Palette, adtm};
use crate::published::PublishedBlackbox;
use crate::report::{Report, draws_baseline};
use crate::{dominant, numbers, over_seeds};

/// The section of `blackbox`, with the published figures that apply to it.
pub(crate) fn section(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    known: Option<&PublishedBlackbox>,
    palette: &Palette,
) -> Markup {
    html! {
        section {
            h2 { (escape(&blackbox.name)) }
            p {
                (numbers::count(blackbox.tasks.len() as u64, "task")) ", "
                (numbers::count(blackbox.iterations as u64, "iteration")) ", up to "
                (numbers::count(report.analysis.planned_seeds.into(), "seed"))
                " per method and task."
                @if let Some(known) = report.about.blackbox(&blackbox.name) {
                    @match known.further_objectives.as_slice() {
                        [] => " Objective: ",
                        _ => " Objectives: ",
                    }
                    code { (escape(&known.objectives())) } " "
                    (direction_arrow(known.direction)) " " (direction_in_words(known.direction)) "."
                    @if let Some(cost) = &known.cost { " Cost of an evaluation: " code { (escape(cost)) } "." }
                } @else if blackbox.direction == Direction::Maximise {
                    " The objective is maximised \u{2191}."
                }
            }
            (curves(report.analysis, blackbox, palette))
            (score_table(report.analysis, blackbox))
            (notes(&dominant::sentences(blackbox)))
            (stream(blackbox, palette))
            (over_tasks_table(report, blackbox))
            (difference_table(report, blackbox))
            (further_table(report, blackbox))
            @if let Some(known) = known { (published::table_beside(known)) }
            @for table in report.published_by_task() {
                @if table.blackbox == blackbox.name { (published::tasks_beside(&table)) }
            }
            h3 { "Over the evaluations" }
            (charts(blackbox, palette))
            (iteration_table(blackbox))
            (over_cost(blackbox, palette))
            h3 { "Tasks" }
            (tasks(report, blackbox, palette))
            (fronts(report, blackbox, palette))
            h3 { "Comparison" }
            (comparison(&blackbox.comparison, &blackbox.name, slice::from_ref(blackbox), palette))
            (hierarchical_table(blackbox))
        }
    }
}

pub(super) fn notes(sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            ul.notes { @for sentence in sentences { li { (escape(sentence)) } } }
        }
    }
}

/// The ADTM of every method.
pub(super) fn curves(
    analysis: &SweepAnalysis,
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
) -> Markup {
    let Some(picture) = adtm(blackbox, palette, draws_baseline(analysis), CURVES_SIZE) else {
        return html! { p.muted { "There is no curve to draw yet." } };
    };
    let measure = blackbox.measure;
    let average = measure.name_of_average();
    let title = format!("{average} over evaluations on {}", blackbox.name);
    html! {
        figure {
            (framed(&picture, &title))
            figcaption {
                "Average " (measure.words()) " over "
                (numbers::count(blackbox.averaged_tasks as u64, "task"))
                @if over_seeds::has_intervals(analysis) {
                    ", with " (numbers::percentage(analysis.confidence)) " bootstrap bands over the seeds"
                } @else { " (" (over_seeds::NO_INTERVALS) ")" }
                ". Curves that meet the axis have reached 0."
            }
        }
    }
}
