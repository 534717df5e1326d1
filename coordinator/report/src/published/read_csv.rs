//! Reads the tables of published figures that are compiled in.

use serde::de::DeserializeOwned;

/// The lines of a table that is compiled in; a test reads each.
pub(super) fn read_csv<Line: DeserializeOwned>(text: &str) -> Vec<Line> {
    let mut builder = csv::ReaderBuilder::new();
    let mut reader = builder.comment(Some(b'#')).from_reader(text.as_bytes());
    let lines: Result<_, _> = reader.deserialize().collect();
    lines.expect("the published tables are well formed")
}
