//! `about.json`: what the CSV files beside it hold, and of what.

use std::collections::BTreeMap;
use std::io::{self, Write};

use loto_statistics::analysis::LinearAlgebra;
use loto_statistics::random_search::Baseline;
use serde::Serialize;

use crate::about::About;
use crate::csv_columns::{self, CsvFile};
use crate::json;
use crate::report::Report;

/// The structure of the file.
#[derive(Serialize)]
struct AboutFiles<'a> {
    name: &'a str,
    #[serde(flatten)]
    about: &'a About,
    linear_algebra: &'a [LinearAlgebra],
    seeds: u32,
    finished_traces: u64,
    planned_traces: u64,
    baseline: Baseline,
    confidence: f64,
    bootstrap_resamples: usize,
    files: BTreeMap<&'static str, AboutFile>,
}

#[derive(Serialize)]
struct AboutFile {
    row: &'static str,
    columns: BTreeMap<&'static str, &'static str>,
}

/// Writes the file: what statistics.json says of itself, and every column of every CSV file but that of published figures.
pub(crate) fn write(report: &Report<'_>, output: &mut impl Write) -> io::Result<()> {
    let analysis = report.analysis;
    let file = |file: &CsvFile| {
        let columns = file.columns().collect();
        (
            file.name,
            AboutFile {
                row: file.row,
                columns,
            },
        )
    };
    let about = AboutFiles {
        name: &analysis.name,
        about: report.about,
        linear_algebra: &analysis.linear_algebra,
        seeds: analysis.planned_seeds,
        finished_traces: analysis.finished_traces,
        planned_traces: analysis.planned_traces,
        baseline: analysis.baseline,
        confidence: analysis.confidence,
        bootstrap_resamples: analysis.bootstrap_resamples,
        files: csv_columns::FILES.iter().map(file).collect(),
    };
    json::write_escaped(&about, output)
}
