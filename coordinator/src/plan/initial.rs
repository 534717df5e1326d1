//! The first evaluations that a sweep file gives: from a CSV file to rows of the table.

use std::path::{Path, PathBuf};

use csv::ByteRecord;
use loto_engine::table::error::TableError;
use loto_engine::table::records::Records;
use loto_engine::table::row_lookup::RowLookup;
use loto_proto::excerpt::excerpt;
use loto_proto::initial_rows::InitialRows;
use loto_proto::limits::{MAX_INITIAL_BYTES, MAX_INITIAL_FILE_BYTES, MAX_SEEDS};
use loto_proto::sweep::Blackbox;
use loto_proto::table_spec::TableSpec;

use super::error::BlackboxProblem;
use super::initial_problem::InitialProblem;

/// A file of first evaluations that was found.
pub(super) struct InitialFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Vec<u8>,
}

/// Reads the configurations of a table, to find rows by them.
///
/// # Errors
/// [`TableError`] if the table cannot be read.
pub(super) fn lookup(path: &Path, table: &[u8], spec: &TableSpec) -> Result<RowLookup, TableError> {
    RowLookup::read(table, spec, &path.display().to_string())
}

/// Where the columns are.
struct Columns {
    task: usize,
    seed: usize,
    rows: RowColumns,
}

/// How rows are given.
enum RowColumns {
    Number(usize),
    Configuration(Vec<usize>),
}

impl Columns {
    fn find(header: &ByteRecord, lookup: &RowLookup) -> Result<Self, InitialProblem> {
        let names = header.iter().map(String::from_utf8_lossy);
        let names: Vec<String> = names.map(|name| name.trim().to_owned()).collect();
        let position = |wanted: &str| {
            let mut found = (0..names.len()).filter(|&column| names[column] == wanted);
            match (found.next(), found.next()) {
                (Some(only), None) => Ok(only),
                (Some(_), Some(_)) => Err(InitialProblem::ColumnTwice(wanted.to_owned())),
                (None, _) => Err(InitialProblem::MissingColumn(wanted.to_owned())),
            }
        };
        let has_configuration = names.iter().any(|name| name.starts_with("hp_"));
        let rows = match (position("row"), has_configuration) {
            (Ok(_), true) => return Err(InitialProblem::TwoWays),
            (Ok(row), false) => RowColumns::Number(row),
            (Err(_), true) => {
                let columns = lookup.columns().map(position);
                RowColumns::Configuration(columns.collect::<Result<_, _>>()?)
            }
            (Err(problem), false) => return Err(problem),
        };
        Ok(Self {
            task: position("task")?,
            seed: position("seed")?,
            rows,
        })
    }
}

/// Finds the rows of the table that a file gives. They are in the order of its lines.
///
/// # Errors
/// [`InitialProblem`].
pub(super) fn read(file: &InitialFile, lookup: &RowLookup) -> Result<InitialRows, InitialProblem> {
    let bytes = file.bytes.as_slice();
    if bytes.len() as u64 > MAX_INITIAL_FILE_BYTES {
        return Err(InitialProblem::LargeFile);
    }
    let mut records = Records::new(bytes);
    let columns = Columns::find(&records.byte_header()?, lookup)?;
    let mut initial = InitialRows::default();
    let mut record = ByteRecord::new();
    while let Some(line) = records.next_bytes(&mut record)? {
        let no_row = |problem| InitialProblem::NoRow { line, problem };
        let task = String::from_utf8_lossy(&record[columns.task]);
        let seed = number(
            &record[columns.seed],
            line,
            "seed",
            u64::from(MAX_SEEDS) - 1,
        )?;
        let row = match &columns.rows {
            RowColumns::Configuration(positions) => {
                let fields = positions.iter().map(|&position| &record[position]);
                lookup.row(&task, fields).map_err(no_row)?
            }
            RowColumns::Number(position) => {
                let count = lookup.count(&task).map_err(no_row)?;
                number(&record[*position], line, "row", count as u64 - 1)?
            }
        };
        if !initial.add(&task, seed, row) {
            let task = excerpt(&task);
            return Err(InitialProblem::Repeated { line, task, seed });
        }
    }
    match initial.size() {
        0 => Err(InitialProblem::NoRows),
        size if size > MAX_INITIAL_BYTES => Err(InitialProblem::TooMany(size)),
        _ => Ok(initial),
    }
}

fn number(field: &[u8], line: u64, column: &'static str, most: u64) -> Result<u32, InitialProblem> {
    let text = String::from_utf8_lossy(field);
    let number = text.trim().parse::<u32>().ok();
    let number = number.filter(|&number| u64::from(number) <= most);
    number.ok_or_else(|| InitialProblem::NotANumber {
        line,
        column,
        text: excerpt(&text),
        most,
    })
}

/// Checks that each job has first evaluations if any has, and something left to choose.
pub(super) fn check(
    initial: &InitialRows,
    blackbox: &Blackbox,
    seeds: u32,
) -> Result<(), BlackboxProblem> {
    if initial.is_empty() {
        return Ok(());
    }
    for target in &blackbox.targets {
        for seed in 0..seeds {
            let rows = initial.rows(target, seed).len();
            if rows == 0 {
                return Err(BlackboxProblem::NoInitialRows {
                    target: target.clone(),
                    seed,
                });
            }
            if rows >= blackbox.iterations as usize {
                return Err(BlackboxProblem::TooManyInitialRows {
                    target: target.clone(),
                    seed,
                    rows,
                    iterations: blackbox.iterations,
                });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
