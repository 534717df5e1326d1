//! The scores of a black box: one row per method, at the end of the traces and on average over them.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{
    BlackboxAnalysis, MethodAnalysis, MethodAverages, OverTasks, SweepAnalysis,
};
use loto_statistics::interval::Interval;
use maud::{Markup, html};

use super::table::{number_cell, table};
use crate::best::best_two;
use crate::report::Report;
use crate::{numbers, over_seeds};

/// The ranks and improvements of all methods.
pub(crate) fn score_table(analysis: &SweepAnalysis, blackbox: &BlackboxAnalysis) -> Markup {
    let averages = blackbox.methods.iter().map(|method| {
        let averages = method.averages.as_ref();
        averages.map(|averages| -averages.average_rank)
    });
    let best = best_two(averages);
    let has_intervals = over_seeds::has_intervals(analysis);
    let row = |(index, method): (usize, &MethodAnalysis)| {
        let averages = method.averages.as_ref();
        let score = |of: fn(&MethodAverages) -> f64| averages.map(of).map(numbers::score);
        let interval = |of: fn(&MethodAverages) -> Option<Interval>| {
            averages.and_then(of).map(numbers::interval)
        };
        let improvements = [
            (
                score(|averages| averages.improvement),
                interval(|averages| averages.improvement_interval),
            ),
            (
                score(|averages| averages.median_improvement),
                interval(|averages| averages.median_improvement_interval),
            ),
            (
                score(|averages| averages.interquartile_mean_improvement),
                interval(|averages| averages.interquartile_mean_improvement_interval),
            ),
        ];
        html! {
            th scope="row" { (escape(&method.method)) }
            (number_cell(score(|averages| averages.average_rank), best[index]))
            @for (value, limits) in improvements {
                (number_cell(value, false))
                @if has_intervals { (number_cell(limits, false)) }
            }
            (number_cell(averages.map(|averages| numbers::magnitude(averages.final_adtm)), false))
        }
    };
    let confidence = numbers::percentage(analysis.confidence);
    let head = html! {
        tr.groups {
            td colspan="2" {}
            th scope="col" colspan=(if has_intervals { 6 } else { 3 }) { "improvement over the tasks" }
            td {}
        }
        tr {
            th scope="col" { "method" } th scope="col" { "average rank" }
            @for average in ["mean", "median", "interquartile mean"] {
                th scope="col" { (average) }
                @if has_intervals { th scope="col" { (confidence) " interval" } }
            }
            th scope="col" { "final " (blackbox.measure.name_of_average()) }
        }
    };
    let intervals = match has_intervals {
        true => " with intervals over the seeds".to_owned(),
        false => format!(" ({})", over_seeds::NO_INTERVALS),
    };
    let caption = format!(
        "Scores on {}, the best two average ranks in bold: improvement over random search{intervals}.",
        blackbox.name
    );
    table(
        &caption,
        Some("compact"),
        &head,
        blackbox.methods.iter().enumerate().map(row),
    )
}

/// The averages with intervals over the tasks; empty without them.
pub(crate) fn over_tasks_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Markup {
    let known = blackbox.methods.iter().filter_map(|method| {
        let averages = method.averages.as_ref()?;
        Some((&method.method, averages, averages.over_tasks.as_ref()?))
    });
    let known: Vec<_> = known.collect();
    if known.is_empty() {
        return html! {};
    }
    let row = |(method, own, limits): (&String, &MethodAverages, &OverTasks)| {
        let score = |value: f64, interval: Interval| {
            html! {
                (number_cell(Some(numbers::score(value)), false))
                (number_cell(Some(numbers::interval(interval)), false))
            }
        };
        html! {
            th scope="row" { (escape(method)) }
            (score(own.average_rank, limits.average_rank))
            (score(own.improvement, limits.improvement))
            (score(own.median_improvement, limits.median_improvement))
            (score(own.interquartile_mean_improvement, limits.interquartile_mean_improvement))
        }
    };
    let confidence = numbers::percentage(report.analysis.confidence);
    let head = html! {
        tr.groups { td colspan="3" {} th scope="col" colspan="6" { "improvement over the tasks" } }
        tr {
            th scope="col" { "method" }
            @for average in ["average rank", "mean", "median", "interquartile mean"] {
                th scope="col" { (average) } th scope="col" { (confidence) " interval" }
            }
        }
    };
    let caption = format!(
        "The same on {}, with intervals over the tasks: how the averages would vary with other tasks of this kind.",
        blackbox.name
    );
    table(&caption, Some("compact"), &head, known.into_iter().map(row))
}

/// The relative improvement of the objective, processor time and number of traces of all methods.
pub(crate) fn further_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Markup {
    // All methods have the relative improvement at the same iterations.
    let mut methods = blackbox.methods.iter();
    let first = methods.find_map(|method| method.averages.as_ref());
    let iterations = first.map_or(&[][..], |first| &first.relative_improvement.at);
    let row = |method: &MethodAnalysis| {
        let averages = method.averages.as_ref();
        let relative = averages.map(|averages| &averages.relative_improvement);
        let mean = relative.and_then(|relative| relative.mean);
        let at = |position: usize| relative.and_then(|relative| relative.at[position].value);
        let seconds = report.seconds_per_trace(&blackbox.name, &method.method);
        html! {
            th scope="row" { (escape(&method.method)) }
            (number_cell(mean.map(numbers::score), false))
            @for position in 0..iterations.len() {
                (number_cell(at(position).map(numbers::score), false))
            }
            (number_cell(averages.map(|own| numbers::magnitude(own.area_under_adtm)), false))
            (number_cell(seconds.map(numbers::seconds), false))
            (number_cell(Some(numbers::grouped(method.finished_traces)), false))
        }
    };
    let average = blackbox.measure.name_of_average();
    let head = html! {
        tr.groups {
            td {}
            th scope="col" colspan=(1 + iterations.len()) { "relative improvement" }
            td colspan="3" {}
        }
        tr {
            th scope="col" { "method" } th scope="col" { "mean" }
            @for at in iterations { th scope="col" { "at " (at.iteration) } }
            th scope="col" { "area under " (average) } th scope="col" { "CPU s/trace" } th scope="col" { "traces" }
        }
    };
    let caption = format!(
        "Relative improvement of the objective on {}, on average and at single iterations; area under {average}; \
         processor time. \
         Fitting a prior that several methods share counts in the trace that needed it first.",
        blackbox.name
    );
    table(&caption, None, &head, blackbox.methods.iter().map(row))
}
