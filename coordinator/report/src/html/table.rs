//! Tables of the page, and the cells that they are made of.

use maud::{Markup, html};

use crate::numbers;

/// A table below its caption; each row is the cells of one `tr`. The caption is the figure's: one of
/// the table itself would be no wider than a narrow table.
pub(crate) fn table(
    caption: &str,
    class: Option<&str>,
    head: &Markup,
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    html! {
        figure.table {
            figcaption { (caption) }
            div.scroll {
                table class=[class] {
                    thead { (head) }
                    tbody { @for row in rows { tr { (row) } } }
                }
            }
        }
    }
}

/// A cell with a number as [`crate::numbers`] writes it, or with a dash if there is none.
pub(crate) fn number_cell(text: Option<String>, bold: bool) -> Markup {
    html! {
        @match text.as_deref() {
            None => td.muted { "–" },
            Some(text) => td { @if bold { b { (number(text)) } } @else { (number(text)) } },
        }
    }
}

/// A number with a true minus sign; `2.1e-5` with a raised exponent.
pub(crate) fn number(text: &str) -> Markup {
    match text.split_once('e') {
        Some((digits, exponent)) if exponent.parse::<i32>().is_ok() => html! {
            (numbers::typographic(digits)) "\u{2009}×\u{2009}10"
            sup { (numbers::typographic(exponent)) }
        },
        _ => html! { (numbers::typographic(text)) },
    }
}

/// Whether each value is one of the two greatest: what papers print in bold.
pub(crate) fn best_two(values: impl Iterator<Item = Option<f64>>) -> Vec<bool> {
    let values: Vec<Option<f64>> = values.collect();
    let mut known: Vec<f64> = values.iter().flatten().copied().collect();
    known.sort_by(|one, other| other.total_cmp(one));
    let threshold = known.get(1).or(known.first()).copied();
    let is_best = |value: &Option<f64>| matches!((value, threshold), (Some(v), Some(t)) if *v >= t);
    values.iter().map(is_best).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_properly() {
        let markup = |text: &str| number(text).into_string();
        assert_eq!(markup("-0.25"), "\u{2212}0.25");
        assert_eq!(
            markup("2.1e-5"),
            "2.1\u{2009}\u{d7}\u{2009}10<sup>\u{2212}5</sup>"
        );
        assert_eq!(markup("<0.001"), "&lt;0.001");
        assert_eq!(markup("infinite"), "infinite");
    }

    #[test]
    fn two_are_best_and_ties_share() {
        let best = |values: &[f64]| best_two(values.iter().copied().map(Some));
        assert_eq!(best(&[0.1, 0.3, 0.2]), [false, true, true]);
        assert_eq!(best(&[0.3, 0.3, 0.3]), [true, true, true]);
        assert_eq!(best_two([None, Some(-1.0)].into_iter()), [false, true]);
    }
}
