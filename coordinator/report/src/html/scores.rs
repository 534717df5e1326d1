//! The scores of a black box: one row per method, at the end of the traces and on average over them.

use loto_statistics::analysis::{BlackboxAnalysis, MethodAnalysis, MethodAverages};
use maud::{Markup, html};

use super::table::{best_two, number_cell, table};
use crate::numbers;
use crate::report::Report;

/// The table of all methods.
pub(crate) fn score_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Markup {
    let averages = || {
        blackbox
            .methods
            .iter()
            .map(|method| method.averages.as_ref())
    };
    let best =
        |score: fn(&MethodAverages) -> f64| best_two(averages().map(|entry| entry.map(score)));
    let best_improvement = best(|averages| averages.improvement);
    let best_rank = best(|averages| -averages.average_rank);
    let best_adtm = best(|averages| -averages.final_adtm);
    // All methods have the relative improvement at the same iterations.
    let first = averages().flatten().next();
    let iterations = first.map_or(&[][..], |first| &first.relative_improvement.at);
    let row = |(index, method): (usize, &MethodAnalysis)| {
        let averages = method.averages.as_ref();
        let improvement = averages.map(|averages| {
            let error = averages.improvement_standard_error;
            numbers::with_error(averages.improvement, error, "±")
        });
        let rank = averages.map(|averages| numbers::score(averages.average_rank));
        let adtm = averages.map(|averages| numbers::magnitude(averages.final_adtm));
        let relative = averages.map(|averages| &averages.relative_improvement);
        let mean = relative.and_then(|relative| relative.mean);
        let at = |position: usize| relative.and_then(|relative| relative.at[position].value);
        let seconds = report.seconds_per_trace(&blackbox.name, &method.method);
        html! {
            th { (method.method) }
            (number_cell(improvement, best_improvement[index]))
            (number_cell(rank, best_rank[index]))
            (number_cell(adtm, best_adtm[index]))
            (number_cell(mean.map(numbers::score), false))
            @for position in 0..iterations.len() {
                (number_cell(at(position).map(numbers::score), false))
            }
            (number_cell(seconds.map(numbers::seconds), false))
            (number_cell(Some(numbers::grouped(method.finished_traces)), false))
        }
    };
    let head = html! {
        tr.groups {
            th colspan="4" {}
            th colspan=(1 + iterations.len()) { "relative improvement" }
            th colspan="2" {}
        }
        tr {
            th { "method" } th { "improvement" } th { "average rank" } th { "final ADTM" } th { "mean" }
            @for at in iterations { th { "at " (at.iteration) } }
            th { "CPU s/trace" } th { "traces" }
        }
    };
    let caption = format!(
        "Scores on {}: improvement over random search with its standard error over the seeds; \
         relative improvement of the objective on average and at single iterations. Fitting a \
         prior that several methods share counts in the trace that needed it first.",
        blackbox.name
    );
    table(
        &caption,
        None,
        &head,
        blackbox.methods.iter().enumerate().map(row),
    )
}
