//! Methods compared: the critical-difference diagram, the tests, the pairs.

use super::table::{Cell, Table, number_html};
use crate::charts::{Palette, WIDTH, critical_difference};
use crate::escape::escape;
use crate::numbers;
use loto_statistics::analysis::{Comparison, ComparisonOutcome};
use loto_statistics::friedman::FriedmanStatistics;

/// Holm-adjusted probabilities below this are printed in bold.
const SIGNIFICANT: f64 = 0.05;

/// The comparison over the data sets of `place`, or why there is none.
pub(super) fn comparison(outcome: &ComparisonOutcome, place: &str, palette: &Palette) -> String {
    match outcome {
        ComparisonOutcome::Computed(comparison) => computed(comparison, place, palette),
        ComparisonOutcome::Impossible { reason } => {
            format!(
                "<p class=\"muted\">No comparison of the methods: {}.</p>\n",
                escape(reason)
            )
        }
    }
}

fn computed(comparison: &Comparison, place: &str, palette: &Palette) -> String {
    let data_sets = numbers::count(comparison.tasks.len() as u64, "data set");
    let title = format!("Average ranks over {data_sets} of {place}");
    let picture = critical_difference(comparison, &title, palette, WIDTH).finish(&title);
    let mut html = format!(
        "<figure>{picture}<figcaption>Average rank of the improvement, 1 is best. Bars join methods \
         whose ranks do not differ significantly (Nemenyi, &alpha; = {}). {}</figcaption></figure>\n",
        comparison.nemenyi.alpha,
        left_out(comparison),
    );
    html.push_str(&friedman(comparison));
    html.push_str(&pairs(comparison).render());
    html
}

/// What the comparison leaves out, if anything.
fn left_out(comparison: &Comparison) -> String {
    let mut text = String::new();
    if !comparison.excluded_methods.is_empty() {
        let names = comparison.excluded_methods.join(", ");
        text.push_str(&format!(
            "Left out, because not finished or not planned everywhere: {names}. "
        ));
    }
    if !comparison.excluded_tasks.is_empty() {
        let names = comparison.excluded_tasks.iter();
        let names = names.map(|set| format!("{} of {}", set.task, set.blackbox));
        let names = names.collect::<Vec<_>>().join(", ");
        text.push_str(&format!(
            "Left out, because a method has no score there: {names}."
        ));
    }
    escape(&text)
}

fn friedman(comparison: &Comparison) -> String {
    let plain = statistics(&comparison.friedman.plain);
    let corrected = match &comparison.friedman.tie_corrected {
        Some(corrected) if *corrected != comparison.friedman.plain => {
            format!(" Corrected for ties: {}.", statistics(corrected))
        }
        Some(_) => " There are no ties.".into(),
        None => " All methods tie on every data set.".into(),
    };
    format!(
        "<p>Friedman&rsquo;s test that all methods are equal: {plain}.{corrected} Nemenyi&rsquo;s \
         critical difference at {} is {:.2}.</p>\n",
        comparison.nemenyi.alpha, comparison.nemenyi.critical_difference,
    )
}

fn statistics(friedman: &FriedmanStatistics) -> String {
    let probability = |p: f64| match numbers::probability(p).strip_prefix('<') {
        Some(bound) => format!("<i>p</i> &lt; {bound}"),
        None => format!("<i>p</i> = {}", numbers::probability(p)),
    };
    let (between, within) = friedman.iman_davenport_degrees_of_freedom;
    format!(
        "&chi;&sup2;({}) = {}, {}; Iman and Davenport&rsquo;s <i>F</i>({between}, {within}) = {}, {}",
        friedman.degrees_of_freedom,
        number_html(&numbers::statistic(friedman.chi_square)),
        probability(friedman.p_value),
        number_html(&numbers::statistic(friedman.iman_davenport)),
        probability(friedman.iman_davenport_p_value),
    )
}

/// Wilcoxon's test of every pair: probabilities below the diagonal, wins above it.
fn pairs(comparison: &Comparison) -> Table {
    let count = comparison.methods.len();
    let diagonal = || Cell::html("&middot;".into()).class("muted");
    let mut cells = vec![vec![diagonal(); count]; count];
    for pair in &comparison.wilcoxon {
        let (row, column) = (pair.first.max(pair.second), pair.first.min(pair.second));
        let cell = Cell::number(&numbers::probability(pair.holm_p_value));
        cells[row][column] = match pair.holm_p_value < SIGNIFICANT {
            true => cell.class("significant"),
            false => cell,
        };
        // Above the diagonal the row is the method with the lesser index.
        let (wins, losses) = match pair.first < pair.second {
            true => (pair.wins, pair.losses),
            false => (pair.losses, pair.wins),
        };
        cells[column][row] = Cell::text(&format!("{wins}/{}/{losses}", pair.ties)).class("muted");
    }
    let names = comparison.methods.iter().map(|method| Cell::text(method));
    Table {
        caption: format!(
            "Every pair. Below the diagonal: Wilcoxon's signed-rank test over the data sets, \
             probabilities adjusted by Holm, bold below {SIGNIFICANT}. Above: data sets on which \
             the row's method wins / ties / loses against the column's."
        ),
        class: "matrix",
        groups: Vec::new(),
        header: std::iter::once(Cell::text(""))
            .chain(names.clone())
            .collect(),
        rows: names
            .zip(cells)
            .map(|(name, cells)| std::iter::once(name).chain(cells).collect())
            .collect(),
    }
}
