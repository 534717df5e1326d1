//! The statistics of a black box at a few iterations.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, MethodAnalysis};
use loto_statistics::by_iteration::STATISTICS;
use maud::{Markup, html};

use super::table::{number_cell, table};
use crate::numbers;

/// One row per method, with a group of columns for each statistic.
pub(crate) fn iteration_table(blackbox: &BlackboxAnalysis) -> Markup {
    let mut iterations = vec![10, 50, blackbox.iterations];
    iterations.retain(|&iteration| iteration <= blackbox.iterations);
    iterations.dedup();
    let cells = |curve: Option<&Vec<f64>>, show: fn(f64) -> String| {
        let value = |iteration: usize| curve?.get(iteration - 1).copied().map(show);
        html! { @for &iteration in &iterations { (number_cell(value(iteration), false)) } }
    };
    let row = |method: &MethodAnalysis| {
        let averages = method.averages.as_ref();
        html! {
            th scope="row" { (escape(&method.method)) }
            (cells(averages.map(|averages| &averages.average_rank_at), numbers::score))
            (cells(averages.map(|averages| &averages.adtm.mean), numbers::magnitude))
            @for statistic in STATISTICS {
                @let curve = averages.map(|averages| &averages.by_iteration[statistic.key]);
                (cells(curve, numbers::shown_as(statistic.notation)))
            }
        }
    };
    let further = STATISTICS.iter().map(|statistic| statistic.heading);
    let headings: Vec<_> = ["average rank", blackbox.measure.name_of_average()]
        .into_iter()
        .chain(further)
        .collect();
    let head = html! {
        tr.groups {
            td {}
            @for heading in &headings { th scope="col" colspan=(iterations.len()) { (heading) } }
        }
        tr {
            th scope="col" { "method" }
            @for _ in &headings { @for iteration in &iterations { th scope="col" { "at " (iteration) } } }
        }
    };
    let caption = format!(
        "At single iterations on {}: the average rank of the {}, its average, and \
         further statistics, which are defined at the end of the page.",
        blackbox.name,
        blackbox.measure.words(),
    );
    table(&caption, None, &head, blackbox.methods.iter().map(row))
}
