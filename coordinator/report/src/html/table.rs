//! Tables of the page.

use std::fmt::Write;

use crate::escape::escape;

/// A cell of a table, its content ready as HTML.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    html: String,
    class: &'static str,
}

impl Cell {
    /// Any text; it is escaped.
    pub(super) fn text(text: &str) -> Self {
        Self::html(escape(text))
    }

    /// What is HTML already.
    pub(super) fn html(html: String) -> Self {
        Self { html, class: "" }
    }

    /// A number as [`crate::numbers`] writes it: its minus signs and powers of ten are set properly.
    pub(super) fn number(number: &str) -> Self {
        Self::html(number_html(number))
    }

    /// The number, or a dash if there is none.
    pub(super) fn optional(number: Option<String>) -> Self {
        match number {
            Some(number) => Self::number(&number),
            None => Self::html("&ndash;".into()).class("muted"),
        }
    }

    /// The same cell with a class of the style sheet.
    pub(super) fn class(self, class: &'static str) -> Self {
        Self { class, ..self }
    }

    /// The same cell in bold if `bold`.
    pub(super) fn bold_if(self, bold: bool) -> Self {
        match bold {
            true => Self {
                html: format!("<b>{}</b>", self.html),
                ..self
            },
            false => self,
        }
    }
}

/// A table; the first cell of each row names the row.
#[derive(Debug)]
pub(super) struct Table {
    /// What the table shows; it is escaped.
    pub(super) caption: String,
    /// Class of the style sheet.
    pub(super) class: &'static str,
    /// Headings above the header, each over so many columns; none if empty.
    pub(super) groups: Vec<(&'static str, usize)>,
    pub(super) header: Vec<Cell>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// The table as HTML. Its caption is the figure's: a `caption` would be no wider than a narrow table.
    pub(super) fn render(&self) -> String {
        let mut html = format!(
            "<figure class=\"table\"><figcaption>{}</figcaption>\n\
             <div class=\"scroll\"><table class=\"{}\">\n<thead>",
            escape(&self.caption),
            self.class
        );
        if !self.groups.is_empty() {
            html.push_str("<tr class=\"groups\">");
            for (heading, columns) in &self.groups {
                let _ = write!(html, "<th colspan=\"{columns}\">{}</th>", escape(heading));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("<tr>");
        for cell in &self.header {
            push_cell(&mut html, "th", cell);
        }
        html.push_str("</tr></thead>\n<tbody>\n");
        for row in &self.rows {
            html.push_str("<tr>");
            for (index, cell) in row.iter().enumerate() {
                push_cell(&mut html, if index == 0 { "th" } else { "td" }, cell);
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</tbody></table></div></figure>\n");
        html
    }
}

/// A number in HTML: `2.1e-5` with a raised exponent, a true minus sign.
pub(super) fn number_html(number: &str) -> String {
    let proper = |text: &str| escape(text).replace('-', "&minus;");
    match number.split_once('e') {
        Some((digits, exponent)) if exponent.parse::<i32>().is_ok() => {
            format!(
                "{}&thinsp;&times;&thinsp;10<sup>{}</sup>",
                proper(digits),
                proper(exponent)
            )
        }
        _ => proper(number),
    }
}

/// Whether each value is one of the two greatest: what papers print in bold.
pub(super) fn best_two(values: &[Option<f64>]) -> Vec<bool> {
    let mut known: Vec<f64> = values.iter().flatten().copied().collect();
    known.sort_by(|one, other| other.total_cmp(one));
    let threshold = known.get(1).or(known.first()).copied();
    let is_best = |value: &Option<f64>| matches!((value, threshold), (Some(v), Some(t)) if *v >= t);
    values.iter().map(is_best).collect()
}

fn push_cell(html: &mut String, tag: &str, cell: &Cell) {
    let class = match cell.class {
        "" => String::new(),
        class => format!(" class=\"{class}\""),
    };
    let _ = write!(html, "<{tag}{class}>{}</{tag}>", cell.html);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_set_properly() {
        assert_eq!(number_html("-0.25"), "&minus;0.25");
        assert_eq!(
            number_html("2.1e-5"),
            "2.1&thinsp;&times;&thinsp;10<sup>&minus;5</sup>"
        );
        assert_eq!(number_html("<0.001"), "&lt;0.001");
        assert_eq!(number_html("infinite"), "infinite");
    }

    #[test]
    fn two_are_best_and_ties_share() {
        let best = |values: &[f64]| best_two(&values.iter().copied().map(Some).collect::<Vec<_>>());
        assert_eq!(best(&[0.1, 0.3, 0.2]), [false, true, true]);
        assert_eq!(best(&[0.3, 0.3, 0.3]), [true, true, true]);
        assert_eq!(best_two(&[None, Some(-1.0)]), [false, true]);
    }
}
