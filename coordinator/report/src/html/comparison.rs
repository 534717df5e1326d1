//! Methods compared: the critical-difference diagram, the tests, the pairs.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, ComparedTask, Comparison, ComparisonOutcome};
use loto_statistics::friedman::FriedmanStatistics;
use maud::{Markup, html};

use super::matrix::{PairCells, matrix};
use super::picture::framed;
use super::practical::practical_pairs;
use super::table::number;
use crate::charts::{Palette, WIDTH, critical_difference};
use crate::{numbers, withheld};

/// The comparison over the tasks of `place`, which these black boxes are, or why there is none.
pub(crate) fn comparison(
    outcome: &ComparisonOutcome,
    place: &str,
    blackboxes: &[BlackboxAnalysis],
    palette: &Palette,
) -> Markup {
    html! {
        (ranks(outcome, place, palette))
        @if let ComparisonOutcome::Computed(comparison) = outcome { (of_pairs(comparison, blackboxes)) }
    }
}

/// The average ranks and the test that all are equal, or why there is no comparison.
pub(super) fn ranks(outcome: &ComparisonOutcome, place: &str, palette: &Palette) -> Markup {
    let comparison = match outcome {
        ComparisonOutcome::Computed(comparison) => comparison,
        ComparisonOutcome::Impossible { reason } => return impossible(reason),
    };
    let tasks = numbers::count(comparison.tasks.len() as u64, "task");
    let title = format!("Average ranks over {tasks} of {place}");
    let picture = critical_difference(comparison, &title, palette, WIDTH);
    html! {
        figure {
            (framed(&picture, &title))
            figcaption {
                "Average rank of the improvement, 1 is best. "
                @if comparison.nemenyi_can_reject() {
                    "Bars join methods whose ranks do not differ significantly (Nemenyi, α = "
                    (comparison.nemenyi.alpha) "). "
                }
                (left_out(comparison))
            }
        }
        (friedman(comparison))
    }
}

pub(super) fn impossible(reason: &str) -> Markup {
    html! { p.muted { "No comparison of the methods: " (escape(reason)) "." } }
}

/// The tests of every pair over the tasks of these black boxes.
pub(super) fn of_pairs(comparison: &Comparison, blackboxes: &[BlackboxAnalysis]) -> Markup {
    html! {
        (pairs(comparison))
        (practical_pairs(comparison, blackboxes))
    }
}

/// What the comparison leaves out, if anything.
fn left_out(comparison: &Comparison) -> Markup {
    let task = |task: &ComparedTask| format!("{} of {}", task.task, task.blackbox);
    let tasks: Vec<String> = comparison.excluded_tasks.iter().map(task).collect();
    html! {
        @if !comparison.excluded_methods.is_empty() {
            "Left out, because they are not finished or not planned everywhere: "
            (escape(&comparison.excluded_methods.join(", "))) ". "
        }
        @if !tasks.is_empty() {
            "Left out, because a method has no score there: " (escape(&tasks.join(", "))) "."
        }
    }
}

fn friedman(comparison: &Comparison) -> Markup {
    let friedman = &comparison.friedman;
    let nemenyi = &comparison.nemenyi;
    html! {
        p {
            @if comparison.friedman_can_reject() {
                "Friedman’s test that all methods are equal: " (statistics(&friedman.plain)) ". "
                @match &friedman.tie_corrected {
                    Some(corrected) if *corrected != friedman.plain => {
                        "Corrected for ties: " (statistics(corrected)) ". "
                    }
                    Some(_) => "There are no ties. ",
                    None => "All methods tie on every task. ",
                }
            }
            @if comparison.nemenyi_can_reject() {
                "Nemenyi’s critical difference at " (nemenyi.alpha) " is "
                (format_args!("{:.2}", nemenyi.critical_difference)) ". "
            }
            (withheld::sentences(comparison).join(" "))
        }
    }
}

fn statistics(friedman: &FriedmanStatistics) -> Markup {
    let probability = |p_value: f64| {
        let shown = numbers::probability(p_value);
        html! {
            i { "p" }
            @match shown.strip_prefix('<') {
                Some(bound) => { " < " (bound) }
                None => { " = " (shown) }
            }
        }
    };
    let (between, within) = friedman.iman_davenport_degrees_of_freedom;
    html! {
        "χ²(" (friedman.degrees_of_freedom) ") = " (number(&numbers::statistic(friedman.chi_square))) ", "
        (probability(friedman.p_value)) "; Iman and Davenport’s " i { "F" } "(" (between) ", " (within) ") = "
        (number(&numbers::statistic(friedman.iman_davenport))) ", "
        (probability(friedman.iman_davenport_p_value))
    }
}

/// Wilcoxon's test of every pair, unless it is left out: probabilities below the diagonal, wins above it.
fn pairs(comparison: &Comparison) -> Markup {
    let cells = comparison.wilcoxon.iter().map(|pair| PairCells {
        first: pair.first,
        second: pair.second,
        holm_p_value: pair.holm_p_value,
        above: html! { td.muted { (pair.wins) "/" (pair.ties) "/" (pair.losses) } },
    });
    let alpha = comparison.nemenyi.alpha;
    let wins =
        "number of tasks on which the row's method wins / ties / loses against the column's.";
    let caption = match comparison.wilcoxon_can_reject() {
        true => format!(
            "Every pair. Below the diagonal: Wilcoxon's signed-rank test over the tasks, probabilities \
             adjusted by Holm, bold below {alpha}. Above: {wins}"
        ),
        false => format!("Every pair: {wins}"),
    };
    matrix(&caption, comparison, cells)
}
