//! The section of one black box: curves, scores per data set, tables.

use super::comparison::comparison;
use super::published;
use super::table::{Cell, Table, best_two};
use crate::charts::{CURVES_SIZE, Palette, WIDTH, adtm, improvement};
use crate::escape::escape;
use crate::published::PublishedBlackbox;
use crate::{Report, numbers};
use loto_statistics::analysis::{BlackboxAnalysis, MethodAnalysis, MethodAverages};

/// The section of `blackbox`, with the published figures that apply to it.
pub(super) fn section(
    report: &Report<'_>,
    blackbox: &BlackboxAnalysis,
    known: Option<&PublishedBlackbox>,
    palette: &Palette,
) -> String {
    let mut html = format!(
        "<section>\n<h2>{}</h2>\n<p>{}, {}, up to {} per method and data set.</p>\n",
        escape(&blackbox.name),
        numbers::count(blackbox.tasks.len() as u64, "data set"),
        numbers::count(blackbox.iterations as u64, "iteration"),
        numbers::count(report.analysis.planned_seeds.into(), "seed"),
    );
    html.push_str(&curves(report, blackbox, palette));
    html.push_str(&method_table(report, blackbox).render());
    if let Some(known) = known {
        html.push_str(&published::table(known).render());
    }
    html.push_str(&iteration_table(blackbox).render());
    html.push_str("<h3>Data sets</h3>\n");
    html.push_str(&data_sets(blackbox, palette));
    html.push_str("<h3>Comparison</h3>\n");
    html.push_str(&comparison(&blackbox.comparison, &blackbox.name, palette));
    html.push_str("</section>\n");
    html
}

fn curves(report: &Report<'_>, blackbox: &BlackboxAnalysis, palette: &Palette) -> String {
    let Some(picture) = adtm(blackbox, palette, report.draws_baseline(), CURVES_SIZE) else {
        return "<p class=\"muted\">There is no curve to draw yet.</p>\n".into();
    };
    let title = format!("ADTM over iterations on {}", blackbox.name);
    format!(
        "<figure>{}<figcaption>Average distance to the minimum over {}, with {} bootstrap bands over \
         the seeds. Curves that meet the axis have reached 0.</figcaption></figure>\n",
        picture.finish(&title),
        numbers::count(blackbox.averaged_tasks as u64, "data set"),
        numbers::percentage(report.analysis.confidence),
    )
}

/// One row per method: what is at the end of the traces and on average over them.
fn method_table(report: &Report<'_>, blackbox: &BlackboxAnalysis) -> Table {
    let averages = |get: fn(&MethodAverages) -> f64| -> Vec<Option<f64>> {
        let methods = blackbox.methods.iter();
        methods
            .map(|method| method.averages.as_ref().map(get))
            .collect()
    };
    let best_improvement = best_two(&averages(|averages| averages.improvement));
    let best_rank = best_two(&averages(|averages| -averages.average_rank));
    let best_adtm = best_two(&averages(|averages| -averages.final_adtm));
    let relative_at = relative_iterations(blackbox);
    let mut header: Vec<String> = [
        "method",
        "improvement",
        "average rank",
        "final ADTM",
        "mean",
    ]
    .map(String::from)
    .into();
    header.extend(
        relative_at
            .iter()
            .map(|iteration| format!("at {iteration}")),
    );
    header.extend(["CPU s/trace", "traces"].map(String::from));
    let row = |(index, method): (usize, &MethodAnalysis)| {
        let averages = method.averages.as_ref();
        let improvement = averages.map(|averages| {
            let error = averages.improvement_standard_error;
            numbers::with_error(averages.improvement, error, "\u{b1}")
        });
        let relative = averages.map(|averages| &averages.relative_improvement);
        let seconds = report.seconds_per_trace(&blackbox.name, &method.method);
        let mut cells = vec![
            Cell::text(&method.method),
            Cell::optional(improvement).bold_if(best_improvement[index]),
            Cell::optional(averages.map(|averages| numbers::score(averages.average_rank)))
                .bold_if(best_rank[index]),
            Cell::optional(averages.map(|averages| numbers::magnitude(averages.final_adtm)))
                .bold_if(best_adtm[index]),
            Cell::optional(
                relative
                    .and_then(|relative| relative.mean)
                    .map(numbers::score),
            ),
        ];
        for &iteration in &relative_at {
            let at = relative.and_then(|relative| {
                relative
                    .at
                    .iter()
                    .find(|at| at.iteration == iteration)?
                    .value
            });
            cells.push(Cell::optional(at.map(numbers::score)));
        }
        cells.push(Cell::optional(seconds.map(numbers::seconds)));
        cells.push(Cell::number(&numbers::grouped(method.finished_traces)));
        cells
    };
    Table {
        caption: format!(
            "Scores on {}: improvement over random search with its standard error over the seeds; \
             relative improvement of the objective on average and at single iterations. Fitting a \
             prior that several methods share counts in the trace that needed it first.",
            blackbox.name
        ),
        class: "",
        groups: vec![
            ("", 4),
            ("relative improvement", 1 + relative_at.len()),
            ("", 2),
        ],
        header: header.iter().map(|name| Cell::text(name)).collect(),
        rows: blackbox.methods.iter().enumerate().map(row).collect(),
    }
}

/// The iterations at which relative improvements are known.
fn relative_iterations(blackbox: &BlackboxAnalysis) -> Vec<usize> {
    let averages = blackbox
        .methods
        .iter()
        .find_map(|method| method.averages.as_ref());
    let at = averages
        .iter()
        .flat_map(|averages| &averages.relative_improvement.at);
    at.map(|at| at.iteration).collect()
}

/// SGPT's measures at a few iterations.
fn iteration_table(blackbox: &BlackboxAnalysis) -> Table {
    let iterations: Vec<usize> = [10, 50, blackbox.iterations]
        .into_iter()
        .filter(|&iteration| iteration <= blackbox.iterations)
        .fold(Vec::new(), |mut kept, iteration| {
            if !kept.contains(&iteration) {
                kept.push(iteration);
            }
            kept
        });
    let at = iterations
        .iter()
        .map(|iteration| Cell::text(&format!("at {iteration}")));
    let at: Vec<Cell> = at.collect();
    let header = [vec![Cell::text("method")], at.clone(), at.clone(), at].concat();
    let row = |method: &MethodAnalysis| {
        let averages = method.averages.as_ref();
        let value = |get: fn(&MethodAverages) -> &[f64], show: fn(f64) -> String| -> Vec<Cell> {
            let at = |iteration: &usize| Some(show(*get(averages?).get(iteration - 1)?));
            iterations
                .iter()
                .map(|iteration| Cell::optional(at(iteration)))
                .collect()
        };
        [
            vec![Cell::text(&method.method)],
            value(|averages| &averages.average_rank_at, numbers::score),
            value(|averages| &averages.adtm.mean, numbers::magnitude),
            value(
                |averages| &averages.by_iteration["unsolved_fraction"],
                numbers::percentage,
            ),
        ]
        .concat()
    };
    Table {
        caption: format!(
            "At single iterations on {}: average rank of the distance to the minimum, its average, \
             share of runs that have not found the table's optimum.",
            blackbox.name
        ),
        class: "",
        groups: [("", 1)]
            .into_iter()
            .chain(["average rank", "ADTM", "unsolved"].map(|name| (name, iterations.len())))
            .collect(),
        header,
        rows: blackbox.methods.iter().map(row).collect(),
    }
}

fn data_sets(blackbox: &BlackboxAnalysis, palette: &Palette) -> String {
    let Some(picture) = improvement(blackbox, palette, WIDTH) else {
        return "<p class=\"muted\">There is no score to draw yet.</p>\n".into();
    };
    let title = format!("Improvement over random search on {}", blackbox.name);
    let order = match blackbox.has_prior_rmse() {
        true => {
            " Data sets are ordered by the RMSE of the copula prior, in parentheses: \
             transfer is the easiest at the top."
        }
        false => "",
    };
    let figure = format!(
        "<figure>{}<figcaption>Improvement per data set, with standard errors over the seeds. Triangles \
         at the edge stand for values off the axis.{order}</figcaption></figure>\n",
        picture.finish(&title)
    );
    figure + &data_set_table(blackbox).render()
}

/// Improvement of every method on every data set.
fn data_set_table(blackbox: &BlackboxAnalysis) -> Table {
    let methods = blackbox
        .methods
        .iter()
        .map(|method| Cell::text(&method.method));
    let has_prior_rmse = blackbox.has_prior_rmse();
    let tasks = blackbox.tasks_by_prior_rmse();
    let rows = tasks.iter().map(|task| {
        let scores: Vec<_> = task
            .methods
            .iter()
            .map(|method| method.improvement)
            .collect();
        let best = best_two(&scores);
        let cells = scores.into_iter().zip(best);
        let cells =
            cells.map(|(score, best)| Cell::optional(score.map(numbers::score)).bold_if(best));
        let prior_rmse = Cell::optional(task.prior_rmse.map(numbers::score));
        std::iter::once(Cell::text(&task.name))
            .chain(has_prior_rmse.then_some(prior_rmse))
            .chain(cells)
            .collect()
    });
    Table {
        caption: format!(
            "Improvement per data set of {}, the best two in bold.",
            blackbox.name
        ),
        class: "",
        groups: Vec::new(),
        header: std::iter::once(Cell::text("data set"))
            .chain(has_prior_rmse.then(|| Cell::text("prior RMSE")))
            .chain(methods)
            .collect(),
        rows: rows.collect(),
    }
}
