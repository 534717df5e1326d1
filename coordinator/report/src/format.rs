//! The formats in which a report can be written to a stream.

use std::io::{self, Write};

use crate::report::Report;
use crate::{html, json, scores_csv, text};

/// A format in which a report can be written to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Aligned tables for a terminal.
    Text,
    /// All statistics, as in `statistics.json`.
    Json,
    /// One line per black box and method, as in `scores.csv`.
    Csv,
    /// One self-contained page with charts, as in `report.html`.
    Html,
}

impl Report<'_> {
    /// The text of `report.html`.
    pub fn page(&self) -> String {
        html::page(self)
    }

    /// Writes the report in one format.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write(&self, format: Format, output: &mut impl Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, output),
            Format::Json => json::write(self, output),
            Format::Csv => scores_csv::write_scores(self.analysis, output),
            Format::Html => output.write_all(self.page().as_bytes()),
        }
    }
}
