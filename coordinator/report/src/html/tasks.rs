//! The scores of a black box task by task: a chart and a table.

use loto_proto::table_spec::Direction;
use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, SweepAnalysis, TaskAnalysis};
use loto_statistics::results::Measure;
use maud::{Markup, html};

use super::picture::framed;
use super::table::{number_cell, table};
use crate::about::{direction_arrow, direction_in_words};
use crate::best::best_two;
use crate::charts::{MOST_TASKS, Palette, WIDTH, improvement, small_multiples};
use crate::report::Report;
use crate::{numbers, over_seeds};

/// The improvement of every method on every task.
pub(crate) fn tasks(report: &Report<'_>, blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    match improvements(report.analysis, blackbox, palette) {
        None => html! { p.muted { "There is no score to draw yet." } },
        Some(improvements) => html! {
            (improvements)
            (curves(report, blackbox, palette))
            @if blackbox.measure.is_distance() { (best_table(report, blackbox)) }
        },
    }
}

/// The improvements alone; `None` if there are none yet.
pub(super) fn improvements(
    analysis: &SweepAnalysis,
    blackbox: &BlackboxAnalysis,
    palette: &Palette,
) -> Option<Markup> {
    let picture = improvement(blackbox, palette, WIDTH)?;
    let title = format!("Improvement over random search on {}", blackbox.name);
    Some(html! {
        figure {
            (framed(&picture, &title))
            figcaption {
                "Improvement per task"
                @if over_seeds::has_intervals(analysis) {
                    ", with " (numbers::percentage(analysis.confidence)) " intervals over the seeds"
                } @else { " (" (over_seeds::NO_INTERVALS) ")" }
                ". Triangles at the edge stand for values off the axis."
                @if blackbox.has_prior_rmse() {
                    " Tasks are ordered by the RMSE of the copula prior, in parentheses: transfer is the \
                     easiest at the top."
                }
            }
        }
        (task_table(blackbox))
    })
}

/// The curves on the first tasks, a small chart for each.
fn curves(report: &Report<'_>, blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let picture = small_multiples(blackbox, palette, report.draws_baseline(), WIDTH);
    let measure = blackbox.measure;
    let title = format!(
        "{} over evaluations on the tasks of {}",
        measure.name(),
        blackbox.name
    );
    let count = blackbox.tasks.len();
    html! {
        @if let Some(picture) = picture {
            figure {
                (framed(&picture, &title))
                figcaption {
                    @match measure {
                        Measure::DistanceToMinimum => "Distance to the minimum",
                        Measure::HypervolumeError => "Hypervolume error",
                    }
                    " over evaluations on each task" (over_seeds::mean(report.analysis)) "."
                    @if report.draws_baseline() { " Dotted in black: random search, exact." }
                    @if count > MOST_TASKS {
                        " The first " (MOST_TASKS) " of " (count) " tasks; curves_by_task.csv has all."
                    }
                }
            }
        }
    }
}

/// The best values found, in the units of the table.
fn best_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Markup {
    // What is greater is better.
    let goodness = |value: f64| match blackbox.direction {
        Direction::Minimise => -value,
        Direction::Maximise => value,
    };
    let row = |task: &TaskAnalysis| {
        let best = task.best(blackbox.direction);
        let found = || task.methods.iter().map(|method| method.final_best);
        let marks = best_two(found().map(|value| value.map(goodness)));
        html! {
            th scope="row" { (escape(&task.name)) }
            (number_cell(Some(numbers::value(best)), false))
            @for (value, best) in found().zip(marks) {
                (number_cell(value.map(numbers::value), best))
            }
        }
    };
    let head = html! {
        tr {
            th scope="col" { "task" } th scope="col" { "best in table" }
            @for method in &blackbox.methods { th scope="col" { (escape(&method.method)) } }
        }
    };
    let known = report.about.blackbox(&blackbox.name);
    let objective = known.map_or("the objective", |known| known.objective.as_str());
    let caption = format!(
        "Best value of {objective} after {} per task of {}{}, {} {}; the best two in bold.",
        numbers::count(blackbox.iterations as u64, "evaluation"),
        blackbox.name,
        over_seeds::mean(report.analysis),
        direction_in_words(blackbox.direction),
        direction_arrow(blackbox.direction),
    );
    table(&caption, None, &head, blackbox.tasks.iter().map(row))
}

fn task_table(blackbox: &BlackboxAnalysis) -> Markup {
    let has_prior_rmse = blackbox.has_prior_rmse();
    let row = |task: &TaskAnalysis| {
        let scores = || task.methods.iter().map(|method| method.improvement);
        html! {
            th scope="row" { (escape(&task.name)) }
            @if has_prior_rmse {
                (number_cell(task.prior_rmse.map(numbers::score), false))
                (number_cell(task.linear_prior_rmse.map(numbers::score), false))
                (number_cell(task.nearest_neighbours_prior_rmse.map(numbers::score), false))
            }
            @for (score, best) in scores().zip(best_two(scores())) {
                (number_cell(score.map(numbers::score), best))
            }
        }
    };
    let head = html! {
        tr {
            th scope="col" { "task" }
            @if has_prior_rmse {
                @for error in ["prior RMSE", "linear", "5 nearest"] { th scope="col" { (error) } }
            }
            @for method in &blackbox.methods { th scope="col" { (escape(&method.method)) } }
        }
    };
    let errors = match has_prior_rmse {
        true => {
            " Beside the error of the copula prior: those of a linear model and of the mean of the 5 nearest \
                 source rows in its place."
        }
        false => "",
    };
    let caption = format!(
        "Improvement per task of {}, the best two in bold.{errors}",
        blackbox.name
    );
    table(
        &caption,
        None,
        &head,
        blackbox.tasks_by_prior_rmse().into_iter().map(row),
    )
}
