//! Tables of all pairs of methods: a row and a column for each method.

use loto_proto::untrusted_text::escape;
use loto_statistics::analysis::Comparison;
use maud::{Markup, html};

use super::table::table;
use crate::numbers;

/// What a table shows of a pair of methods.
pub(super) struct PairCells {
    /// The index of the method whose row has the cell above the diagonal: the lesser one.
    pub(super) first: usize,
    /// The index of the other method.
    pub(super) second: usize,
    /// The probability of Wilcoxon's test, adjusted by Holm, which stands below the diagonal.
    pub(super) holm_p_value: f64,
    /// The cell above the diagonal.
    pub(super) above: Markup,
}

/// The table of all pairs of a comparison. Wilcoxon's probabilities are left out where none could be significant, and those that are
/// significant are bold.
pub(super) fn matrix(
    caption: &str,
    comparison: &Comparison,
    pairs: impl Iterator<Item = PairCells>,
) -> Markup {
    let count = comparison.methods.len();
    let mut cells = vec![vec![html! { td.muted { "·" } }; count]; count];
    let is_tested = comparison.wilcoxon_can_reject();
    for pair in pairs {
        if is_tested {
            let is_significant = pair.holm_p_value < comparison.nemenyi.alpha;
            let class = is_significant.then_some("significant");
            let p_value = numbers::probability(pair.holm_p_value);
            cells[pair.second][pair.first] = html! { td class=[class] { (p_value) } };
        }
        cells[pair.first][pair.second] = pair.above;
    }
    let rows = comparison.methods.iter().zip(cells).map(|(method, cells)| {
        html! { th scope="row" { (escape(method)) } @for cell in cells { (cell) } }
    });
    let head = html! { tr { td {} @for method in &comparison.methods { th scope="col" { (escape(method)) } } } };
    table(caption, Some("matrix"), &head, rows)
}
