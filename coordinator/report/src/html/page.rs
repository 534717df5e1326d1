//! The page as a whole: what is said first, the sections, the definitions.

use std::collections::BTreeSet;

use loto_proto::untrusted_text::{escape, escape_lines};
use loto_statistics::analysis::SweepAnalysis;
use loto_statistics::by_iteration::STATISTICS;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::blackbox::section;
use super::comparison::comparison;
use super::made;
use super::summary::summary;
use crate::about::{AboutBlackbox, direction_arrow};
use crate::charts::Palette;
use crate::report::Report;
use crate::{missing, numbers, over_seeds, published};

const STYLE: &str = include_str!("style.css");
const DEFINITIONS: &str = include_str!("definitions.html");

/// What is defined beside it where a black box has two objectives, and where one has costs.
const HYPERVOLUME: &str = include_str!("definitions-hypervolume.html");
const OVER_COST: &str = include_str!("definitions-over-cost.html");

/// The whole page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let analysis = report.analysis;
    let palette = Palette::new(analysis);
    let published = published::compare(analysis, report.planned);
    let of = |name: &str| published.iter().find(|known| known.blackbox == name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (escape(&analysis.name)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(report, &palette))
                (alert("About the data", report.notes))
                (alert("Not everything is finished or counted", &missing::sentences(analysis)))
                // With one black box its own section says all of this.
                @if analysis.blackboxes.len() != 1 {
                    section {
                        h2 { "Summary" }
                        (summary(analysis, &palette))
                        (comparison(&analysis.comparison, "all black boxes", &analysis.blackboxes, &palette))
                    }
                }
                @for blackbox in &analysis.blackboxes {
                    (section(report, blackbox, of(&blackbox.name), &palette))
                }
                (made::section(report))
                (definitions(analysis))
            }
        }
    };
    // The texts of others are escaped where they stand; this catches one that is forgotten.
    escape_lines(&page.into_string()).into_owned()
}

fn header(report: &Report<'_>, palette: &Palette) -> Markup {
    let analysis = report.analysis;
    let tasks = analysis
        .blackboxes
        .iter()
        .map(|blackbox| blackbox.tasks.len());
    let size = [
        numbers::count(analysis.blackboxes.len() as u64, "black box"),
        numbers::count(tasks.sum::<usize>() as u64, "task"),
        numbers::count(palette.methods().len() as u64, "method"),
        numbers::count(analysis.planned_seeds.into(), "seed"),
    ];
    let [finished, planned] =
        [analysis.finished_traces, analysis.planned_traces].map(numbers::grouped);
    let confidence = numbers::percentage(analysis.confidence);
    let resamples = numbers::count(analysis.bootstrap_resamples as u64, "bootstrap resample");
    html! {
        header {
            h1 { (escape(&analysis.name)) }
            @if let Some(id) = report.sweep { p.id { "sweep " (id) } }
            dl.facts {
                dt { "Traces" } dd { (finished) " of " (planned) " finished" }
                dt { "Size" } dd { (size.join(", ")) }
                @if !report.about.blackboxes.is_empty() {
                    dt { "Objective" } dd { (escape(&objectives(&report.about.blackboxes))) }
                }
                dt { "Baseline" } dd { (report.baseline_in_words()) }
                dt { "Bands and intervals" }
                dd {
                    @if over_seeds::has_intervals(analysis) {
                        (confidence) ", from " (resamples) " of the seeds within every task"
                    } @else { (over_seeds::NO_INTERVALS) }
                }
            }
        }
    }
}

/// What is optimised: once if it is the same everywhere.
fn objectives(blackboxes: &[AboutBlackbox]) -> String {
    let shown = |known: &AboutBlackbox| {
        let arrow = direction_arrow(known.direction);
        format!("{} {arrow}", known.objective_in_words())
    };
    let all: BTreeSet<String> = blackboxes.iter().map(shown).collect();
    match all.len() {
        1 => all.into_iter().collect(),
        _ => {
            let named = blackboxes
                .iter()
                .map(|known| format!("{}: {}", known.name, shown(known)));
            named.collect::<Vec<_>>().join("; ")
        }
    }
}

/// What readers must know before they look at any number.
fn alert(heading: &str, sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            div.alert {
                strong { (heading) }
                ul { @for sentence in sentences { li { (escape(sentence)) } } }
            }
        }
    }
}

fn definitions(analysis: &SweepAnalysis) -> Markup {
    html! {
        footer {
            details open {
                summary { "What the numbers mean" }
                dl {
                    (PreEscaped(DEFINITIONS))
                    @if !analysis.blackboxes.iter().all(|known| known.measure.is_distance()) {
                        (PreEscaped(HYPERVOLUME))
                    }
                    @if analysis.blackboxes.iter().any(|known| known.over_cost.is_some()) {
                        (PreEscaped(OVER_COST))
                    }
                    @for statistic in STATISTICS {
                        dt { (statistic.heading) }
                        dd { (statistic.definition) }
                    }
                }
            }
        }
    }
}
