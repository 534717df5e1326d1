//! How probable it is that methods differ by more than what matters.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::{BlackboxAnalysis, Comparison, HierarchicalMethod};
use loto_statistics::practical_differences::PROBABLE;
use maud::{Markup, html};

use super::matrix::{PairCells, matrix};
use super::table::table;
use crate::numbers;
use crate::practical::{sentences, tasks_left_out, unit_in_words, units_in_words};

/// Three probabilities in one cell; bold if one of them is large enough to be said.
fn probabilities(three: [f64; 3]) -> Markup {
    let is_clear = three.iter().any(|probability| *probability >= PROBABLE);
    let [first, second, third] = three.map(|probability| format!("{probability:.2}"));
    html! { td class=[is_clear.then_some("significant")] { (first) "/" (second) "/" (third) } }
}

/// Every pair of a comparison: Wilcoxon's probabilities below the diagonal, unless they are left out, and those of the
/// posterior above it; empty if it was not asked for.
pub(crate) fn practical_pairs(comparison: &Comparison, blackboxes: &[BlackboxAnalysis]) -> Markup {
    let Some(practical) = &comparison.practical_differences else {
        return html! {};
    };
    let cells = practical.differences.pairs.iter().map(|pair| PairCells {
        first: pair.first,
        second: pair.second,
        holm_p_value: pair.holm_p_value,
        above: probabilities([pair.first_better, pair.equivalent, pair.second_better]),
    });
    let below = match comparison.wilcoxon_can_reject() {
        true => " Below: Wilcoxon's test of the same values, adjusted by Holm.",
        false => "",
    };
    let caption = format!(
        "Which differences matter: {} after the last evaluation. Above the diagonal: probability that the row's \
         method is better by more than {} / that the two are equivalent / that the column's is better, bold from {} on.{below}",
        units_in_words(practical.unit, comparison, blackboxes),
        practical.differences.rope,
        numbers::percentage(PROBABLE),
    );
    html! {
        @for sentence in sentences(comparison, blackboxes) { p { (escape(&sentence)) } }
        (matrix(&caption, comparison, cells))
    }
}

/// The hierarchical test of all methods against one; empty if it was not asked for.
pub(crate) fn hierarchical_table(blackbox: &BlackboxAnalysis) -> Markup {
    let Some(compared) = &blackbox.hierarchical else {
        return html! {};
    };
    let row = |method: &HierarchicalMethod| {
        html! {
            th scope="row" { (escape(&method.method)) }
            @for at in &method.at {
                (probabilities([at.against_better, at.equivalent, at.method_better]))
            }
        }
    };
    let iterations = compared
        .methods
        .first()
        .map_or(&[][..], |method| &method.at);
    let head = html! {
        tr { th scope="col" { "method" } @for at in iterations { th scope="col" { "after " (at.iteration) } } }
    };
    let caption = format!(
        "Hierarchical test on {}, {}, rope {}: probability on a further task that {} is better / that the two are \
         equivalent / that the method is better, bold from {} on.",
        blackbox.name,
        unit_in_words(compared.unit, blackbox.measure),
        compared.rope,
        compared.against,
        numbers::percentage(PROBABLE),
    );
    html! {
        (table(&caption, None, &head, compared.methods.iter().map(row)))
        @for sentence in tasks_left_out(blackbox) { p.muted { (escape(&sentence)) } }
    }
}
