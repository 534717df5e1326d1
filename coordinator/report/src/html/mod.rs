//! `report.html`: one page with everything, which needs nothing from a network.

mod blackbox;
mod comparison;
mod published;
mod table;

use super::charts::Palette;
use super::escape::escape;
use super::{Report, missing, numbers};
use loto_statistics::random_search::Baseline;
use table::{Cell, Table, best_two};

const STYLE: &str = include_str!("style.css");
const DEFINITIONS: &str = include_str!("definitions.html");

impl Report<'_> {
    /// Whether charts show the exact expectation of random search: not if the baseline is a method's curve.
    pub(super) fn draws_baseline(&self) -> bool {
        self.analysis.baseline != Baseline::Sampled
    }
}

/// The whole page.
pub(super) fn page(report: &Report<'_>) -> String {
    let palette = Palette::new(report.analysis);
    let title = escape(&report.analysis.name);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n"
    );
    html.push_str(&header(report));
    html.push_str(&alerts(report));
    html.push_str("<section>\n<h2>Summary</h2>\n");
    html.push_str(&summary(report, &palette).render());
    html.push_str(&comparison::comparison(
        &report.analysis.comparison,
        "all black boxes",
        &palette,
    ));
    html.push_str("</section>\n");
    let published = crate::published::compare(report.analysis);
    for blackbox in &report.analysis.blackboxes {
        let known = published
            .iter()
            .find(|known| known.blackbox == blackbox.name);
        html.push_str(&blackbox::section(report, blackbox, known, &palette));
    }
    html.push_str(DEFINITIONS);
    html.push_str("</body>\n</html>\n");
    html
}

fn header(report: &Report<'_>) -> String {
    let analysis = report.analysis;
    let data_sets = analysis
        .blackboxes
        .iter()
        .map(|blackbox| blackbox.tasks.len() as u64)
        .sum();
    let methods = Palette::new(analysis).methods().len() as u64;
    let facts = [
        (
            "Traces",
            format!(
                "{} of {} finished",
                numbers::grouped(analysis.finished_traces),
                numbers::grouped(analysis.planned_traces)
            ),
        ),
        (
            "Size",
            [
                numbers::count(analysis.blackboxes.len() as u64, "black box"),
                numbers::count(data_sets, "data set"),
                numbers::count(methods, "method"),
                numbers::count(analysis.planned_seeds.into(), "seed"),
            ]
            .join(", "),
        ),
        ("Baseline", report.baseline_in_words().into()),
        (
            "Bands",
            format!(
                "{}, from {} over the seeds",
                numbers::percentage(analysis.confidence),
                numbers::count(analysis.bootstrap_resamples as u64, "bootstrap resample"),
            ),
        ),
    ];
    let facts = facts.map(|(name, text)| format!("<dt>{name}</dt><dd>{}</dd>\n", escape(&text)));
    let id = report.sweep.map_or_else(String::new, |id| {
        format!("<p class=\"id\">sweep {id}</p>\n")
    });
    format!(
        "<header>\n<h1>{}</h1>\n{id}<dl class=\"facts\">\n{}</dl>\n</header>\n",
        escape(&analysis.name),
        facts.concat()
    )
}

/// What readers must know before they look at any number.
fn alerts(report: &Report<'_>) -> String {
    let alert = |heading: &str, sentences: &[String]| match sentences {
        [] => String::new(),
        _ => {
            let items = sentences
                .iter()
                .map(|sentence| format!("<li>{}</li>\n", escape(sentence)));
            let items: String = items.collect();
            format!("<div class=\"alert\"><strong>{heading}</strong><ul>\n{items}</ul></div>\n")
        }
    };
    let missing = missing::sentences(report.analysis);
    alert("About the data", report.notes)
        + &alert("Not everything is finished or counted", &missing)
}

/// ICML's Table 2: a row per method, a column per black box.
fn summary(report: &Report<'_>, palette: &Palette) -> Table {
    let columns = report.analysis.blackboxes.iter().map(|blackbox| {
        let averages = |name: &String| {
            let method = blackbox
                .methods
                .iter()
                .find(|method| method.method == *name)?;
            method.averages.as_ref()
        };
        let averages: Vec<_> = palette.methods().iter().map(averages).collect();
        let scores: Vec<_> = averages
            .iter()
            .map(|averages| Some((*averages)?.improvement))
            .collect();
        let cells = averages.into_iter().zip(best_two(&scores));
        let cells = cells.map(|(averages, best)| match averages {
            None => Cell::optional(None),
            Some(averages) => {
                let score = numbers::score(averages.improvement);
                let rank = numbers::score(averages.average_rank);
                Cell::number(&format!("{score} ({rank})")).bold_if(best)
            }
        });
        cells.collect::<Vec<_>>()
    });
    let columns: Vec<_> = columns.collect();
    let rows = palette.methods().iter().enumerate().map(|(index, method)| {
        let cells = columns.iter().map(|column| column[index].clone());
        std::iter::once(Cell::text(method)).chain(cells).collect()
    });
    let names = report
        .analysis
        .blackboxes
        .iter()
        .map(|blackbox| Cell::text(&blackbox.name));
    Table {
        caption: "Improvement over random search, average rank over the data sets in parentheses; the best \
                  two improvements of each black box in bold."
            .into(),
        class: "",
        groups: Vec::new(),
        header: std::iter::once(Cell::text("method")).chain(names).collect(),
        rows: rows.collect(),
    }
}
