//! Scores traces that were recorded elsewhere against the tables of a sweep file.
//!
//! `source` opens the file, `recording` reads and checks its lines, `foreign` finds
//! values that are in no table, `assemble` arranges the rest. The outcome has the shape of a
//! sweep's own results, so the same statistics and reports follow.

mod assemble;
mod foreign;
mod foreign_report;
mod recording;
mod source;

use std::path::Path;

pub use foreign::{ForeignValues, OnForeign};

use crate::CoordinatorError;
use crate::plan::Plan;
use loto_statistics::results::SweepResults;

/// Recorded traces, checked and arranged like a sweep's own results.
#[derive(Debug)]
pub struct ScoredTraces {
    /// The traces; the methods are the optimizers, in the order of their first line.
    pub results: SweepResults,
    /// What readers of the scores must know about values that are in no table, one sentence each.
    pub notes: Vec<String>,
}

/// Reads recorded traces: a CSV file, either plain, gzipped, or the first member of a zip.
///
/// Columns `blackbox`, `task`, `optimizer`, `seed`, `iteration` and `value` are used, in any order; lines
/// may come in any order, too. Iterations count from 0 or from 1, the same in the whole file; seeds from 0.
/// Black boxes and tasks go by the names of the sweep file and its tables. Black boxes of
/// the sweep file that are not in the traces are left out.
///
/// A value that is in the table up to a relative distance of 1e-12 (what other programs lose when they write
/// or read a number) is taken to be the table's. What is done with other values is up to `foreign_values`.
///
/// # Errors
/// [`CoordinatorError::InvalidTraces`], naming line and value: lines that cannot be
/// read, names that are not in the sweep file or its tables, seeds that are not planned, an
/// iteration that is missing or there twice, foreign values that are refused.
/// [`loto_transport::TransportError::UnreadableFile`] if there is no such file.
pub fn read(
    traces: &Path,
    plan: &Plan,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, CoordinatorError> {
    let invalid = |problem| CoordinatorError::InvalidTraces {
        path: traces.to_owned(),
        problem,
    };
    foreign_values
        .check(plan)
        .map_err(CoordinatorError::InvalidInput)?;
    let targets = assemble::Targets::new(plan)?;
    let recording = source::with_reader(traces, |reader| {
        recording::Recording::read(reader, &targets)
    })?;
    let name = traces
        .file_name()
        .unwrap_or(traces.as_os_str())
        .to_string_lossy();
    assemble::assemble(&name, recording, &targets, foreign_values).map_err(invalid)
}

#[cfg(test)]
mod tests;
