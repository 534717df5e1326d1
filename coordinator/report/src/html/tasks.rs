//! The scores of a black box task by task: a chart and a table.

use loto_statistics::analysis::{BlackboxAnalysis, TaskAnalysis};
use maud::{Markup, PreEscaped, html};

use super::table::{best_two, number_cell, table};
use crate::charts::{Palette, WIDTH, improvement};
use crate::numbers;

/// The improvement of every method on every task.
pub(crate) fn tasks(blackbox: &BlackboxAnalysis, palette: &Palette) -> Markup {
    let Some(picture) = improvement(blackbox, palette, WIDTH) else {
        return html! { p.muted { "There is no score to draw yet." } };
    };
    let title = format!("Improvement over random search on {}", blackbox.name);
    html! {
        figure {
            (PreEscaped(picture.finish(&title)))
            figcaption {
                "Improvement per task, with standard errors over the seeds. Triangles at the edge stand \
                 for values off the axis."
                @if blackbox.has_prior_rmse() {
                    " Tasks are ordered by the RMSE of the copula prior, in parentheses: transfer is the \
                     easiest at the top."
                }
            }
        }
        (task_table(blackbox))
    }
}

fn task_table(blackbox: &BlackboxAnalysis) -> Markup {
    let has_prior_rmse = blackbox.has_prior_rmse();
    let row = |task: &TaskAnalysis| {
        let scores = || task.methods.iter().map(|method| method.improvement);
        html! {
            th { (task.name) }
            @if has_prior_rmse { (number_cell(task.prior_rmse.map(numbers::score), false)) }
            @for (score, best) in scores().zip(best_two(scores())) {
                (number_cell(score.map(numbers::score), best))
            }
        }
    };
    let head = html! {
        tr {
            th { "task" }
            @if has_prior_rmse { th { "prior RMSE" } }
            @for method in &blackbox.methods { th { (method.method) } }
        }
    };
    let caption = format!(
        "Improvement per task of {}, the best two in bold.",
        blackbox.name
    );
    table(
        &caption,
        None,
        &head,
        blackbox.tasks_by_prior_rmse().into_iter().map(row),
    )
}
