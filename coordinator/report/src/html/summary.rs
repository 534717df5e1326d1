//! The improvements at a glance, as in ICML's Table 2: a row per method, a column per black box.

use loto_statistics::analysis::{BlackboxAnalysis, MethodAverages, SweepAnalysis};
use maud::{Markup, html};

use super::table::{best_two, number_cell, table};
use crate::charts::Palette;
use crate::numbers;

/// The table of all black boxes.
pub(crate) fn summary(analysis: &SweepAnalysis, palette: &Palette) -> Markup {
    let cells = |blackbox| column(blackbox, palette);
    let columns: Vec<Vec<Markup>> = analysis.blackboxes.iter().map(cells).collect();
    let rows = palette.methods().iter().enumerate().map(|(index, method)| {
        html! { th { (method) } @for column in &columns { (column[index]) } }
    });
    let head = html! {
        tr { th { "method" } @for blackbox in &analysis.blackboxes { th { (blackbox.name) } } }
    };
    let caption = "Improvement over random search, average rank over the tasks in parentheses; the best \
                   two improvements of each black box in bold.";
    table(caption, None, &head, rows)
}

/// The cells of one black box, one per method of the sweep.
fn column(blackbox: &BlackboxAnalysis, palette: &Palette) -> Vec<Markup> {
    let averages_of = |name: &String| -> Option<&MethodAverages> {
        let mut methods = blackbox.methods.iter();
        methods
            .find(|method| method.method == *name)?
            .averages
            .as_ref()
    };
    let averages: Vec<_> = palette.methods().iter().map(averages_of).collect();
    let best = best_two(
        averages
            .iter()
            .map(|averages| Some((*averages)?.improvement)),
    );
    let cells = averages.iter().zip(best).map(|(averages, best)| {
        let text = averages.map(|averages| {
            let [score, rank] = [averages.improvement, averages.average_rank].map(numbers::score);
            format!("{score} ({rank})")
        });
        number_cell(text, best)
    });
    cells.collect()
}
