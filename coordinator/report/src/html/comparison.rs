//! Methods compared: the critical-difference diagram, the tests, the pairs.

use loto_statistics::analysis::{ComparedTask, Comparison, ComparisonOutcome};
use loto_statistics::friedman::FriedmanStatistics;
use maud::{Markup, PreEscaped, html};

use super::table::{number, table};
use crate::charts::{Palette, WIDTH, critical_difference};
use crate::numbers;

/// Holm-adjusted probabilities below this are printed in bold.
const SIGNIFICANT: f64 = 0.05;

/// The comparison over the tasks of `place`, or why there is none.
pub(crate) fn comparison(outcome: &ComparisonOutcome, place: &str, palette: &Palette) -> Markup {
    let comparison = match outcome {
        ComparisonOutcome::Computed(comparison) => comparison,
        ComparisonOutcome::Impossible { reason } => {
            return html! { p.muted { "No comparison of the methods: " (reason) "." } };
        }
    };
    let tasks = numbers::count(comparison.tasks.len() as u64, "task");
    let title = format!("Average ranks over {tasks} of {place}");
    let picture = critical_difference(comparison, &title, palette, WIDTH);
    html! {
        figure {
            (PreEscaped(picture.finish(&title)))
            figcaption {
                "Average rank of the improvement, 1 is best. Bars join methods whose ranks do not differ \
                 significantly (Nemenyi, α = " (comparison.nemenyi.alpha) "). "
                (left_out(comparison))
            }
        }
        (friedman(comparison))
        (pairs(comparison))
    }
}

/// What the comparison leaves out, if anything.
fn left_out(comparison: &Comparison) -> Markup {
    let task = |task: &ComparedTask| format!("{} of {}", task.task, task.blackbox);
    let tasks: Vec<String> = comparison.excluded_tasks.iter().map(task).collect();
    html! {
        @if !comparison.excluded_methods.is_empty() {
            "Left out, because they are not finished or not planned everywhere: "
            (comparison.excluded_methods.join(", ")) ". "
        }
        @if !tasks.is_empty() {
            "Left out, because a method has no score there: " (tasks.join(", ")) "."
        }
    }
}

fn friedman(comparison: &Comparison) -> Markup {
    let friedman = &comparison.friedman;
    let nemenyi = &comparison.nemenyi;
    html! {
        p {
            "Friedman’s test that all methods are equal: " (statistics(&friedman.plain)) ". "
            @match &friedman.tie_corrected {
                Some(corrected) if *corrected != friedman.plain => {
                    "Corrected for ties: " (statistics(corrected)) "."
                }
                Some(_) => "There are no ties.",
                None => "All methods tie on every task.",
            }
            " Nemenyi’s critical difference at " (nemenyi.alpha) " is "
            (format_args!("{:.2}", nemenyi.critical_difference)) "."
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

/// Wilcoxon's test of every pair: probabilities below the diagonal, wins above it.
fn pairs(comparison: &Comparison) -> Markup {
    let count = comparison.methods.len();
    let mut cells = vec![vec![html! { td.muted { "·" } }; count]; count];
    for pair in &comparison.wilcoxon {
        let class = (pair.holm_p_value < SIGNIFICANT).then_some("significant");
        let p_value = numbers::probability(pair.holm_p_value);
        // The first method has the lesser index: above the diagonal it is the row's.
        cells[pair.second][pair.first] = html! { td class=[class] { (p_value) } };
        cells[pair.first][pair.second] =
            html! { td.muted { (pair.wins) "/" (pair.ties) "/" (pair.losses) } };
    }
    let rows = comparison.methods.iter().zip(cells).map(|(method, cells)| {
        html! { th { (method) } @for cell in cells { (cell) } }
    });
    let head = html! { tr { th {} @for method in &comparison.methods { th { (method) } } } };
    let caption = format!(
        "Every pair. Below the diagonal: Wilcoxon's signed-rank test over the tasks, \
         probabilities adjusted by Holm, bold below {SIGNIFICANT}. Above: number of tasks on which \
         the row's method wins / ties / loses against the column's."
    );
    table(&caption, Some("matrix"), &head, rows)
}
