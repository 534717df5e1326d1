//! Parts of the page for a sweep that is still running: its curves, scores, ranks and comparison, as the
//! report will show them.
//!
//! Together they are large, so that each is made alone, for pages that show only some.

use std::slice;

use loto_proto::untrusted_text::escape_lines;
use loto_statistics::analysis::{BlackboxAnalysis, ComparisonOutcome, SweepAnalysis};
use maud::{Markup, html};

use super::blackbox::{curves, notes};
use super::comparison::{impossible, of_pairs, ranks};
use super::evaluations::charts;
use super::scores::score_table;
use super::summary::summary;
use super::tasks::improvements;
use crate::charts::Palette;
use crate::{dominant, missing, numbers};

pub use super::picture::framed;

/// The style sheet of the report, for pages that show parts of it.
pub const STYLE: &str = include_str!("style.css");

/// What results are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    /// All black boxes together, where there are several.
    All,
    /// One black box, by its position in the sweep.
    Blackbox(usize),
}

impl Subject {
    /// What a sweep with so many black boxes has results about, in the order of the page.
    pub fn of_sweep(blackboxes: usize) -> Vec<Self> {
        let together = (blackboxes != 1).then_some(Self::All);
        let each = (0..blackboxes).map(Self::Blackbox);
        together.into_iter().chain(each).collect()
    }

    /// The parts that it has.
    pub fn parts(self) -> &'static [Part] {
        match self {
            Self::All => &[Part::Scores, Part::Pairs],
            Self::Blackbox(_) => &[Part::Scores, Part::Evaluations, Part::Tasks, Part::Pairs],
        }
    }
}

/// A part of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Part {
    /// The curves with their bands, the scores and the average ranks.
    Scores,
    /// Ranks, unsolved runs and reached targets over the evaluations, and the performance profile.
    Evaluations,
    /// The improvement on every task.
    Tasks,
    /// The tests of every pair of methods.
    Pairs,
}

impl Part {
    /// Its heading.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Scores => "Curves, scores and ranks",
            Self::Evaluations => "Over the evaluations",
            Self::Tasks => "Task by task",
            Self::Pairs => "Pair by pair",
        }
    }
}

/// A part of the results about `subject` as HTML, without a heading. Texts of others in it are escaped.
///
/// Every number is one that `report.html` shows for the same analysis; what needs the traces themselves, such as
/// processor times, is left to the report. Empty if the analysis has no such black box.
pub fn part(analysis: &SweepAnalysis, subject: Subject, part: Part) -> String {
    let palette = Palette::new(analysis);
    let markup = match subject {
        Subject::All => of_all(analysis, part, &palette),
        Subject::Blackbox(position) => match analysis.blackboxes.get(position) {
            None => html! {},
            Some(blackbox) => of_blackbox(analysis, blackbox, part, &palette),
        },
    };
    escape_lines(&markup.into_string()).into_owned()
}

/// What is not finished or counted yet, one sentence each.
pub fn missing_sentences(analysis: &SweepAnalysis) -> Vec<String> {
    missing::sentences(analysis)
}

fn of_all(analysis: &SweepAnalysis, part: Part, palette: &Palette) -> Markup {
    html! {
        @match part {
            Part::Scores => {
                (summary(analysis, palette))
                (ranks(&analysis.comparison, "all black boxes", palette))
            }
            Part::Pairs => (pairs(&analysis.comparison, &analysis.blackboxes)),
            Part::Evaluations | Part::Tasks => {}
        }
    }
}

fn of_blackbox(
    analysis: &SweepAnalysis,
    blackbox: &BlackboxAnalysis,
    part: Part,
    palette: &Palette,
) -> Markup {
    let nothing = html! { p.muted { "There is nothing to draw yet." } };
    match part {
        Part::Scores => html! {
            (coverage(analysis, blackbox))
            (curves(analysis, blackbox, palette))
            (score_table(analysis, blackbox))
            (notes(&dominant::sentences(blackbox)))
            (ranks(&blackbox.comparison, &blackbox.name, palette))
        },
        Part::Evaluations => {
            let drawn = charts(blackbox, palette);
            html! {
                (coverage(analysis, blackbox))
                @if drawn.0.is_empty() { (nothing) } @else { (drawn) }
            }
        }
        Part::Tasks => html! {
            (coverage(analysis, blackbox))
            (improvements(analysis, blackbox, palette).unwrap_or(nothing))
        },
        Part::Pairs => pairs(&blackbox.comparison, slice::from_ref(blackbox)),
    }
}

fn coverage(analysis: &SweepAnalysis, blackbox: &BlackboxAnalysis) -> Markup {
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
    }
}

fn pairs(outcome: &ComparisonOutcome, blackboxes: &[BlackboxAnalysis]) -> Markup {
    match outcome {
        ComparisonOutcome::Computed(comparison) => of_pairs(comparison, blackboxes),
        ComparisonOutcome::Impossible { reason } => impossible(reason),
    }
}
