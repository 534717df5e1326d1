//! Reports: what users and papers get to see of a sweep.
//!
//! [`Report::write_folder`] writes everything; the other functions of
//! [`Report`] write one format each. Every number comes from
//! [`loto_statistics`]; nothing is computed here but what is shown.

mod atomic_file;
pub mod charts;
pub mod error;
mod escape;
mod folder;
mod html;
mod missing;
pub mod numbers;
pub mod published;
mod published_csv;
mod scores_csv;
mod text;
mod traces_csv;

pub use error::ReportError;

use std::io::{self, Write};

use loto_proto::identity::SweepId;

use loto_statistics::analysis::SweepAnalysis;
use loto_statistics::random_search::Baseline;
use loto_statistics::results::SweepResults;

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

/// All that a report is made from.
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    /// The finished traces.
    pub results: &'a SweepResults,
    /// Their statistics.
    pub analysis: &'a SweepAnalysis,
    /// The sweep; none for traces that were recorded elsewhere.
    pub sweep: Option<SweepId>,
    /// What readers must know about the data, one sentence each; shown before all else.
    pub notes: &'a [String],
}

impl Report<'_> {
    /// Writes the report in one format.
    ///
    /// # Errors
    /// Those of `output`.
    pub fn write(&self, format: Format, output: &mut impl Write) -> io::Result<()> {
        match format {
            Format::Text => text::write(self, output),
            Format::Json => write_statistics(self.analysis, output),
            Format::Csv => scores_csv::write_scores(self.analysis, output),
            Format::Html => output.write_all(html::page(self).as_bytes()),
        }
    }

    /// CPU seconds per trace of a method on a black box, the mean over its finished traces; `None` if they
    /// were not recorded.
    fn seconds_per_trace(&self, blackbox: &str, method: &str) -> Option<f64> {
        let blackbox = self
            .results
            .blackboxes
            .iter()
            .find(|known| known.name == blackbox)?;
        let position = blackbox.methods.iter().position(|known| known == method)?;
        let traces = blackbox
            .tasks
            .iter()
            .filter_map(|task| task.traces.get(position));
        let totals: Vec<f64> = traces
            .flat_map(|seeds| seeds.values())
            .filter(|trace| !trace.seconds.is_empty())
            .map(|trace| trace.seconds.iter().sum())
            .collect();
        (!totals.is_empty()).then(|| totals.iter().sum::<f64>() / totals.len() as f64)
    }

    /// What the improvement is measured against, in words.
    fn baseline_in_words(&self) -> &'static str {
        match self.analysis.baseline {
            Baseline::Exact => "exact expectation of random search without replacement",
            Baseline::ExactWithReplacement => "exact expectation of random search with replacement",
            Baseline::Sampled => "sampled random search of the sweep itself (rs)",
        }
    }
}

fn write_statistics(analysis: &SweepAnalysis, output: &mut impl Write) -> io::Result<()> {
    serde_json::to_writer(&mut *output, analysis)?;
    output.write_all(b"\n")
}

#[cfg(test)]
mod tests;
