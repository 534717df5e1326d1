//! Scores traces that were recorded elsewhere against the tables of a sweep file.
//!
//! `source` opens the file, `recording` reads its lines and checks them against the `targets`
//! of the sweep file, `foreign` finds values that are in no table, `assemble` arranges the rest.
//! The outcome has the shape of a sweep's own results, so the same statistics and reports follow.

mod assemble;
mod error;
mod evaluation;
mod foreign;
mod foreign_report;
mod recording;
mod source;
mod targets;

use std::path::Path;

pub use assemble::ScoredTraces;
pub use error::{LineProblem, ScoreError, TraceProblem, TracesProblem};
pub use foreign::{ForeignRuleError, ForeignValues, OnForeign};

use crate::plan::Plan;

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
/// [`ScoreError::InvalidTraces`], naming line and value: lines that cannot be
/// read, names that are not in the sweep file or its tables, seeds that are not planned, an
/// iteration that is missing or there twice, foreign values that are refused.
/// [`ScoreError::ForeignRule`] if `foreign_values` names a black box that the plan does not have,
/// [`ScoreError::UnreadableFile`] if there is no such file.
pub fn read(
    traces: &Path,
    plan: &Plan,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, ScoreError> {
    foreign_values.check(plan)?;
    let targets = targets::Targets::new(plan)?;
    let recording = source::read(traces, &targets)?;
    let name = traces.file_name().unwrap_or(traces.as_os_str());
    assemble::assemble(&name.to_string_lossy(), recording, &targets, foreign_values)
        .map_err(|problem| ScoreError::invalid(traces, problem))
}

#[cfg(test)]
mod tests;
