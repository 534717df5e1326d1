//! `about.json`: what the CSV files beside it hold, and of what.

use std::collections::BTreeMap;
use std::io::{self, Write};

use loto_statistics::analysis::LinearAlgebra;
use loto_statistics::random_search::Baseline;
use serde::Serialize;

use crate::about::About;
use crate::conditional_columns;
use crate::csv_columns::{self, CsvFile};
use crate::json;
use crate::report::Report;
use crate::traces_csv;

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
    let file = |file: &&CsvFile| {
        let mut columns: BTreeMap<_, _> = file.columns().collect();
        if file.name == csv_columns::TRACES_FILE {
            columns.extend(traces_csv::further_columns(report.results));
        }
        (
            file.name,
            AboutFile {
                row: file.row,
                columns,
            },
        )
    };
    let mut files: Vec<&CsvFile> = csv_columns::FILES.iter().collect();
    let blackboxes = &analysis.blackboxes;
    if blackboxes.iter().any(|known| !known.measure.is_distance()) {
        files.push(&conditional_columns::FRONTS);
    }
    if blackboxes.iter().any(|known| known.over_cost.is_some()) {
        files.push(&conditional_columns::COST_CURVES);
    }
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
        files: files.iter().map(file).collect(),
    };
    json::write_escaped(&about, output)
}
