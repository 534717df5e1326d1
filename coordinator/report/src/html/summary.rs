//! Ranks and improvements at a glance: a row per method, a group of columns per black box.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, MethodAverages, SweepAnalysis};
use maud::{Markup, html};

use super::table::{number_cell, table};
use crate::best::best_two;
use crate::charts::Palette;
use crate::numbers;

/// Columns of each black box.
const COLUMNS: [&str; 4] = ["rank", "mean", "median", "IQM"];

/// The table of all black boxes.
pub(crate) fn summary(analysis: &SweepAnalysis, palette: &Palette) -> Markup {
    let cells = |blackbox| group(blackbox, palette);
    let groups: Vec<Vec<Markup>> = analysis.blackboxes.iter().map(cells).collect();
    let rows = palette.methods().iter().enumerate().map(|(index, method)| {
        html! { th scope="row" { (escape(method)) } @for group in &groups { (group[index]) } }
    });
    let head = html! {
        tr.groups {
            td {}
            @for blackbox in &analysis.blackboxes { th scope="col" colspan=(COLUMNS.len()) { (escape(&blackbox.name)) } }
        }
        tr {
            th scope="col" { "method" }
            @for _ in &analysis.blackboxes { @for column in COLUMNS { th scope="col" { (column) } } }
        }
    };
    let caption = "Average rank over the tasks of each black box, the best two in bold, and the improvement over \
                   random search as mean, median and interquartile mean (IQM) over the tasks.";
    table(caption, Some("compact"), &head, rows)
}

/// The cells of one black box, for each method of the sweep.
fn group(blackbox: &BlackboxAnalysis, palette: &Palette) -> Vec<Markup> {
    let averages_of = |name: &String| -> Option<&MethodAverages> {
        let mut methods = blackbox.methods.iter();
        methods
            .find(|method| method.method == *name)?
            .averages
            .as_ref()
    };
    let averages: Vec<_> = palette.methods().iter().map(averages_of).collect();
    let ranks = averages.iter().map(|own| Some(-(*own)?.average_rank));
    let cells = averages.iter().zip(best_two(ranks)).map(|(own, best)| {
        let score = |of: fn(&MethodAverages) -> f64| own.map(of).map(numbers::score);
        html! {
            (number_cell(score(|own| own.average_rank), best))
            (number_cell(score(|own| own.improvement), false))
            (number_cell(score(|own| own.median_improvement), false))
            (number_cell(score(|own| own.interquartile_mean_improvement), false))
        }
    });
    cells.collect()
}
