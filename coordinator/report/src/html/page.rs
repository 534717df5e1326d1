//! The page as a whole: what is said first, the sections, the definitions.

use loto_statistics::by_iteration::STATISTICS;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::blackbox::section;
use super::comparison::comparison;
use super::summary::summary;
use crate::charts::Palette;
use crate::report::Report;
use crate::{missing, numbers, published};

const STYLE: &str = include_str!("style.css");
const DEFINITIONS: &str = include_str!("definitions.html");

/// The whole page.
pub(crate) fn page(report: &Report<'_>) -> String {
    let analysis = report.analysis;
    let palette = Palette::new(analysis);
    let published = published::compare(analysis);
    let of = |name: &str| published.iter().find(|known| known.blackbox == name);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (analysis.name) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(report, &palette))
                (alert("About the data", report.notes))
                (alert("Not everything is finished or counted", &missing::sentences(analysis)))
                section {
                    h2 { "Summary" }
                    (summary(analysis, &palette))
                    (comparison(&analysis.comparison, "all black boxes", &palette))
                }
                @for blackbox in &analysis.blackboxes {
                    (section(report, blackbox, of(&blackbox.name), &palette))
                }
                (definitions())
            }
        }
    };
    // Names may hold control characters, which no page should.
    let is_control = |character: char| character.is_control() && character != '\n';
    page.into_string().replace(is_control, "\u{fffd}")
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
            h1 { (analysis.name) }
            @if let Some(id) = report.sweep { p.id { "sweep " (id) } }
            dl.facts {
                dt { "Traces" } dd { (finished) " of " (planned) " finished" }
                dt { "Size" } dd { (size.join(", ")) }
                dt { "Baseline" } dd { (report.baseline_in_words()) }
                dt { "Bands" } dd { (confidence) ", from " (resamples) " over the seeds" }
            }
        }
    }
}

/// What readers must know before they look at any number.
fn alert(heading: &str, sentences: &[String]) -> Markup {
    html! {
        @if !sentences.is_empty() {
            div.alert {
                strong { (heading) }
                ul { @for sentence in sentences { li { (sentence) } } }
            }
        }
    }
}

fn definitions() -> Markup {
    html! {
        footer {
            dl {
                (PreEscaped(DEFINITIONS))
                @for statistic in STATISTICS {
                    dt { (statistic.heading) }
                    dd { (statistic.definition) }
                }
            }
        }
    }
}
