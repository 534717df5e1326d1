//! The ranks on a stream of tasks.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::BlackboxAnalysis;
use maud::{Markup, html};

use super::picture::framed;
use super::table::{number_cell, table};
use crate::charts::{CURVES_SIZE, Palette, ranks_by_arrival};
use crate::numbers;

/// The ranks over the orders, and how they came about; empty if the tasks are no stream.
pub(crate) fn stream(blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let Some(ranks) = &blackbox.stream else {
        return html! {};
    };
    let rows = ranks.methods.iter().map(|known| {
        html! {
            th scope="row" { (escape(&known.method)) }
            (number_cell(Some(numbers::score(known.average_rank)), false))
            (number_cell(known.standard_deviation.map(numbers::score), false))
        }
    });
    let head = html! {
        tr {
            th scope="col" { "method" } th scope="col" { "average rank" }
            th scope="col" { "standard deviation" }
        }
    };
    let caption = format!(
        "Ranks of the best value found on each task, 1 is best, averaged over the tasks of each of {}; mean and standard \
         deviation over the orders (Yogatama and Mann 2014).",
        numbers::count(ranks.orders as u64, "order")
    );
    let title = format!("Average rank over the tasks so far on {}", blackbox.name);
    let picture = ranks_by_arrival(blackbox, palette, CURVES_SIZE);
    html! {
        h3 { "On the stream" }
        (table(&caption, Some("compact"), &head, rows))
        @if let Some(picture) = picture {
            figure {
                (framed(&picture, &title))
                figcaption { "Average rank over the tasks that have arrived so far, the mean over the orders." }
            }
        }
    }
}
