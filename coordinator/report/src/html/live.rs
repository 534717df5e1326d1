//! Parts of the page for a sweep that is still running: its curves, scores, ranks and comparison, as the
//! report will show them.

use std::slice;

use loto_proto::untrusted_text::{escape, escape_lines};
use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis};
use maud::{Markup, html};

use super::blackbox::{curves, notes};
use super::comparison::comparison;
use super::evaluations::charts;
use super::scores::score_table;
use super::summary::summary;
use super::tasks::improvements;
use crate::charts::Palette;
use crate::{dominant, missing, numbers};

pub use super::picture::framed;

/// The style sheet of the report, for pages that show parts of it.
pub const STYLE: &str = include_str!("style.css");

/// A part of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its heading.
    pub heading: String,
    /// HTML below the heading. Texts of others in it are escaped.
    pub html: String,
}

/// The results of all black boxes together if there are several, then of each.
///
/// Every number is one that `report.html` shows for the same analysis; what needs the traces themselves, such as
/// processor times, is left to the report.
pub fn sections(analysis: &SweepAnalysis) -> Vec<Section> {
    let palette = Palette::new(analysis);
    let mut sections = Vec::new();
    if analysis.blackboxes.len() != 1 {
        let all = html! {
            (summary(analysis, &palette))
            (comparison(&analysis.comparison, "all black boxes", &analysis.blackboxes, &palette))
        };
        sections.push(section("All black boxes", all));
    }
    for blackbox in &analysis.blackboxes {
        sections.push(section(
            &blackbox.name,
            of_blackbox(analysis, blackbox, &palette),
        ));
    }
    sections
}

/// What is not finished or counted yet, one sentence each.
pub fn missing_sentences(analysis: &SweepAnalysis) -> Vec<String> {
    missing::sentences(analysis)
}

fn section(heading: &str, markup: Markup) -> Section {
    Section {
        heading: escape(heading).into_owned(),
        html: escape_lines(&markup.into_string()).into_owned(),
    }
}

fn of_blackbox(analysis: &SweepAnalysis, blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let covered = blackbox
        .methods
        .iter()
        .map(|method| method.finished_traces)
        .sum();
    let planned =
        u64::from(analysis.planned_seeds) * (blackbox.tasks.len() * blackbox.methods.len()) as u64;
    html! {
        p.muted {
            "From " (numbers::grouped(covered)) " of " (numbers::grouped(planned)) " traces, averaged over "
            (numbers::count(blackbox.averaged_tasks as u64, "task")) "."
        }
        (curves(analysis, blackbox, palette))
        (score_table(analysis, blackbox))
        (notes(&dominant::sentences(blackbox)))
        (charts(blackbox, palette))
        @if let Some(improvements) = improvements(analysis, blackbox, palette) { (improvements) }
        (comparison(&blackbox.comparison, &blackbox.name, slice::from_ref(blackbox), palette))
    }
}
