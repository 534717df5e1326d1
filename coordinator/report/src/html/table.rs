//! Tables of the page, and the cells that they are made of.

use loto_proto::untrusted_text::escape;
use maud::{Markup, html};

use crate::numbers;

/// A table below its caption; each row is the cells of one `tr`. The caption is the figure's: one of
/// the table itself would be no wider than a narrow table.
///
/// What is too wide scrolls, also from the keyboard. It is a group with a name and no region: a report has dozens of
/// tables, and as many landmarks would be of no use.
pub(crate) fn table(
    caption: &str,
    class: Option<&str>,
    head: &Markup,
    rows: impl Iterator<Item = Markup>,
) -> Markup {
    html! {
        figure.table {
            figcaption { (escape(caption)) }
            div.scroll tabindex="0" role="group" aria-label=(escape(caption)) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Format;
    use crate::tests::{text, with_report};

    #[test]
    fn every_header_cell_says_what_it_heads() {
        with_report(|report| {
            let page = text(report, Format::Html);
            let mut tables = 0;
            for table in page.split("<table").skip(1) {
                let (head, rest) = table.split_once("</thead>").unwrap();
                let (body, _) = rest.split_once("</table>").unwrap();
                for (part, scope) in [(head, " scope=\"col\""), (body, " scope=\"row\"")] {
                    let cells = part.split("<th").skip(1);
                    let cells = cells.filter(|cell| !cell.starts_with("ead"));
                    let mut tags = cells.map(|cell| cell.split('>').next().unwrap());
                    assert!(tags.all(|tag| tag.contains(scope)), "{part}");
                }
                tables += 1;
            }
            assert!(tables > 5);
        });
    }

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
}
