//! Averages over what the evaluations cost: a chart and a table.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, MethodOverCost};
use loto_statistics::results::Measure;
use maud::{Markup, html};

use super::picture::framed;
use super::table::{number_cell, table};
use crate::charts::{self, CURVES_SIZE, Palette};
use crate::numbers;

/// What there is over cost; empty without costs, or if nothing is known over them.
pub(crate) fn over_cost(blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let Some(over_cost) = blackbox.over_cost.as_ref().filter(|known| known.is_known()) else {
        return html! {};
    };
    let average = blackbox.measure.name_of_average();
    let has_relative = blackbox.measure == Measure::DistanceToMinimum;
    let row = |method: &MethodOverCost| {
        let end = method.adtm.last().copied().flatten();
        let rank = method.average_rank_at.last().copied().flatten();
        html! {
            th scope="row" { (escape(&method.method)) }
            (number_cell(method.improvement.map(numbers::score), false))
            @if has_relative { (number_cell(method.relative_improvement.map(numbers::score), false)) }
            (number_cell(end.map(numbers::magnitude), false))
            (number_cell(rank.map(numbers::score), false))
        }
    };
    let head = html! {
        tr {
            th scope="col" { "method" } th scope="col" { "improvement" }
            @if has_relative { th scope="col" { "relative improvement" } }
            th scope="col" { "last " (average) } th scope="col" { "last average rank" }
        }
    };
    let caption = format!(
        "Over cost on {}: improvement over the method rs, the mean over the costs up to which all methods run, on \
         {}; {average} and average rank where the method with the least mean cost of a trace ends.",
        blackbox.name,
        numbers::count(over_cost.scored_tasks as u64, "task"),
    );
    let picture = charts::over_cost(blackbox, palette, CURVES_SIZE);
    html! {
        h3 { "Over cost" }
        @if let Some(picture) = picture {
            figure {
                (framed(&picture, &format!("{average} over cost on {}", blackbox.name)))
                figcaption {
                    "Average " (blackbox.measure.words()) " over what the evaluations cost, in mean costs of a row of the \
                     task's table. A curve begins where the method has a value with every seed on every task."
                }
            }
        }
        (table(&caption, None, &head, over_cost.methods.iter().map(row)))
    }
}
