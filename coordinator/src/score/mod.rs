//! Scores traces that were recorded elsewhere against the tables of a sweep, and joins them to its results.
//!
//! `source` opens the file, `columns` finds its columns, `recording` reads each `line` and checks it against the
//! `targets` of the sweep and their tables, `foreign` finds values that are in no table, `assemble` arranges
//! the rest with `seeds` counted as the sweep's, and `joining` puts it beside the sweep's own results.
//! [`hpob`] scores the results of a benchmark that need no sweep file.
//! The outcome has the shape of a sweep's own results, so the same statistics and reports follow.

mod assemble;
mod columns;
mod error;
mod evaluation;
mod foreign;
mod foreign_report;
pub mod hpob;
mod joining;
mod line;
mod recording;
mod seeds;
mod source;
mod targets;

use std::path::Path;

use loto_proto::sweep::Sweep;

pub use assemble::ScoredTraces;
pub use error::{LineProblem, ScoreError, TraceProblem, TracesProblem};
pub use foreign::{ForeignRuleError, ForeignValues, OnForeign};
pub use joining::join;
pub use targets::TableOfSweep;

use crate::plan::Plan;

/// Reads recorded traces: a CSV file, either plain, gzipped, or the first member of a zip.
///
/// Columns `task`, `optimizer` (or `method`), `seed`, `iteration`, `value` and, unless the sweep has a single black box, `blackbox`
/// are used, in any order; lines may come in any order, too. Iterations count from 0 or from 1, the same in the whole file;
/// a trace that is longer than planned is cut. Seeds may have any number. Black boxes and tasks go by the names of
/// the sweep and its tables. Black boxes of the sweep that are not in the traces are left out.
///
/// A `row`, counted from 0 within its task, and the hyperparameters (`hp_*`, all of a table or none) say which configuration
/// was evaluated: the table must have it, with this value. Without them, a value that is in the
/// table up to a relative distance of 1e-12 (what other programs lose when they write or read a number) is taken to be the table's.
/// What is done with other values is up to `foreign_values`. `seconds` are the processor time of an iteration.
///
/// # Errors
/// [`ScoreError::InvalidTraces`], naming line and value: lines that cannot be
/// read, names that are not in the sweep or its tables, an iteration that is missing or there twice,
/// configurations and values that are not those of the table.
/// [`ScoreError::ForeignRule`] if `foreign_values` names a black box that the sweep does not have,
/// [`ScoreError::UnreadableFile`] if there is no such file.
pub fn read(
    traces: &Path,
    plan: &Plan,
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, ScoreError> {
    let planned = plan.tables.iter().map(|planned| TableOfSweep {
        table: &planned.table,
        spec: &planned.spec,
        file: &planned.bytes,
    });
    let tables: Vec<_> = planned.collect();
    read_for(traces, &plan.sweep, &tables, foreign_values)
}

/// As [`read`], for a sweep of which there is no plan.
///
/// # Errors
/// As [`read`].
pub fn read_for(
    traces: &Path,
    sweep: &Sweep,
    tables: &[TableOfSweep<'_>],
    foreign_values: &ForeignValues,
) -> Result<ScoredTraces, ScoreError> {
    foreign_values.check(sweep)?;
    let mut targets = targets::Targets::new(sweep, tables)?;
    let recording = source::read(traces, &mut targets, foreign_values)?;
    let name = traces.file_name().unwrap_or(traces.as_os_str());
    assemble::assemble(&name.to_string_lossy(), recording, &targets, foreign_values)
        .map_err(|problem| ScoreError::invalid(traces, problem))
}

#[cfg(test)]
mod reading_tests;
#[cfg(test)]
mod tests;
