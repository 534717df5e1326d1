//! The differences of all methods of a black box to one of them, trace by trace.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, PairedDifference};
use loto_statistics::interval::Interval;
use maud::{Markup, html};

use super::table::{number_cell, table};
use crate::report::Report;
use crate::{numbers, over_seeds};

/// The table of all methods but the one that they are paired with; empty if there are no pairs.
pub(crate) fn difference_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Markup {
    let paired = blackbox.methods.iter().filter_map(|method| {
        let difference = method.averages.as_ref()?.difference.as_ref()?;
        Some((&method.method, difference))
    });
    let paired: Vec<_> = paired.collect();
    let (Some(against), false) = (&blackbox.against, paired.is_empty()) else {
        return html! {};
    };
    let has_intervals = over_seeds::has_intervals(report.analysis);
    let row = |(method, difference): (&String, &PairedDifference)| {
        let cells = |value: f64, interval: Option<Interval>| {
            let excludes_zero = interval.is_some_and(|i| i.lower > 0.0 || i.upper < 0.0);
            html! {
                (number_cell(Some(numbers::difference(value)), excludes_zero))
                @if has_intervals { (number_cell(interval.map(numbers::difference_interval), false)) }
            }
        };
        html! {
            th scope="row" { (escape(method)) }
            (number_cell(Some(numbers::grouped(difference.pairs)), false))
            (cells(difference.mean, difference.mean_interval))
            (cells(difference.median, difference.median_interval))
        }
    };
    let confidence = numbers::percentage(report.analysis.confidence);
    let head = html! {
        tr {
            th scope="col" { "minus " (escape(against)) }
            th scope="col" { "pairs of traces" }
            @for average in ["mean", "median"] {
                th scope="col" { (average) }
                @if has_intervals { th scope="col" { (confidence) " interval" } }
            }
        }
    };
    let intervals = match has_intervals {
        true => ". Bold: the interval over the seeds leaves out 0".to_owned(),
        false => format!(" ({})", over_seeds::NO_INTERVALS),
    };
    let caption = format!(
        "Improvement minus that of {against} on {}, from traces of the same task and seed: methods that begin with \
         random rows begin with the same ones, and those that use a fitted prior share it, so that part of the \
         chance cancels out{intervals}.",
        blackbox.name
    );
    table(&caption, None, &head, paired.into_iter().map(row))
}
