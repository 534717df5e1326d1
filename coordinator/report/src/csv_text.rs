//! Texts as cells of CSV files, which people open with spreadsheets.

use std::borrow::Cow;

use loto_proto::untrusted_text::escape;

/// What a spreadsheet takes for the beginning of a formula, the wide forms included.
const BEGINNINGS: [char; 8] = [
    '=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}',
];

/// The text as a cell that no spreadsheet computes: hazardous characters are escaped, and an apostrophe stands
/// before what would begin a formula. A number stays one.
pub fn text_cell(text: &str) -> Cow<'_, str> {
    let text = escape(text);
    let is_number = text.parse().is_ok_and(f64::is_finite);
    if text.trim_start_matches('\'').starts_with(BEGINNINGS) && !is_number {
        return Cow::Owned(format!("'{text}"));
    }
    text
}

/// The text that [`text_cell`] made a cell of: without the apostrophe before what would begin a formula.
pub fn text_of_cell(cell: &str) -> &str {
    match cell.strip_prefix('\'') {
        Some(text) if text.trim_start_matches('\'').starts_with(BEGINNINGS) => text,
        _ => cell,
    }
}

/// The shortest text that reads back as the same number; empty if there is none.
pub(crate) fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_back_from_its_cell() {
        for text in [
            "wine", "=1+1", "-1.5e3", "+x", "'quoted'", "'=x", "a'=b", "",
        ] {
            assert_eq!(text_of_cell(&text_cell(text)), text);
        }
    }

    #[test]
    fn what_would_be_a_formula_is_a_text_and_a_number_stays_one() {
        for (text, cell) in [
            ("wine", "wine"),
            ("a=b", "a=b"),
            ("-1.5e3", "-1.5e3"),
            ("+7", "+7"),
            ("=1+1", "'=1+1"),
            ("-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"),
            ("+x", "'+x"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("-inf", "'-inf"),
            ("\u{ff1d}1", "'\u{ff1d}1"),
            ("\t=1", "\\t=1"),
            ("\r=1", "\\r=1"),
            ("\n=1", "\\n=1"),
        ] {
            assert_eq!(text_cell(text), cell);
        }
    }
}
