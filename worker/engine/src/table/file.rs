//! Reads a table file.

use std::io::{Cursor, Read};

use loto_proto::identity::Fingerprint;
use loto_proto::limits::{MAX_ARCHIVE_MEMBERS, MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};
use loto_proto::table_spec::TableSpec;

use super::csv_reader::Contents;
use super::error::{TableError, TableProblem};
use super::fields::number;
use super::lookup_table::Table;
use super::profile::{ColumnProfile, profiles};
use super::scaling::scale;
use super::{container, csv_reader, features};

impl Table {
    /// Reads a table file: CSV, either plain, gzipped, or the first member of a zip.
    ///
    /// It uses the `hp_*` columns, the objectives, `task`, `blackbox` if it is there, `seed` if measurements are repeated,
    /// and the columns that are declared as features or source rows.
    ///
    /// # Errors
    /// [`TableError`], which calls the table `name`: an archive that cannot be unpacked, a column
    /// that is missing, a number that is none or not finite, a configuration listed twice on a
    /// task, a value that its column's scale does not take, a limit exceeded.
    pub fn read(file: &[u8], spec: &TableSpec, name: &str) -> Result<Self, TableError> {
        read(file, spec)
            .and_then(|contents| table(contents, spec, spec.fingerprint(file)))
            .map_err(|problem| of_table(name, problem))
    }

    /// As [`Self::read`]; also says what each column of hyperparameters holds.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_with_profiles(
        file: &[u8],
        spec: &TableSpec,
        name: &str,
    ) -> Result<(Self, Vec<ColumnProfile>), TableError> {
        let profiled = read(file, spec).and_then(|contents| {
            let profiles = profiles(&contents.hyperparameters, &contents.tasks);
            let table = table(contents, spec, spec.fingerprint(file))?;
            Ok((table, profiles))
        });
        profiled.map_err(|problem| of_table(name, problem))
    }

    /// The names of a table's hyperparameter columns, in their order.
    ///
    /// # Errors
    /// [`TableError`] if the file has no header that can be read, or one without a task or a hyperparameter.
    pub fn hyperparameter_names(file: &[u8], name: &str) -> Result<Vec<String>, TableError> {
        let names = with_csv(file, |csv| csv_reader::hyperparameter_names(csv));
        names.map_err(|problem| of_table(name, problem))
    }
}

pub(super) fn of_table(name: &str, problem: TableProblem) -> TableError {
    TableError {
        table: name.to_owned(),
        problem: Box::new(problem),
    }
}

pub(super) fn read(file: &[u8], spec: &TableSpec) -> Result<Contents, TableProblem> {
    with_csv(file, |csv| csv_reader::read(csv, spec, number))
}

pub(super) fn with_csv<T>(
    file: &[u8],
    consume: impl FnOnce(&mut dyn Read) -> Result<T, TableProblem>,
) -> Result<T, TableProblem> {
    if file.len() > MAX_TABLE_FILE_BYTES {
        return Err(TableProblem::LargeFile);
    }
    // Whatever number of members an archive claims, each has one of these in its directory.
    let entries = file.windows(4).filter(|bytes| bytes == b"PK\x01\x02");
    if file.starts_with(b"PK") && entries.count() > MAX_ARCHIVE_MEMBERS {
        return Err(TableProblem::TooManyMembers);
    }
    container::with_csv(Cursor::new(file), MAX_UNPACKED_BYTES, consume)
}

fn table(
    contents: Contents,
    spec: &TableSpec,
    fingerprint: Fingerprint,
) -> Result<Table, TableProblem> {
    let mut tasks = contents.tasks;
    let space = scale(contents.hyperparameters, &mut tasks)?;
    features::scale(&mut tasks);
    let source_rows = contents.source_rows.iter().flatten();
    let thinned = source_rows.zip(&tasks).map(|(rows, task)| rows.thin(task));
    Ok(Table {
        fingerprint,
        blackbox: contents.blackbox,
        space,
        objectives: spec.objectives().map(str::to_owned).collect(),
        thinned: thinned.collect::<Result<_, _>>()?,
        tasks,
        sources: spec.sources.clone(),
        direction: spec.direction,
        initial: spec.initial.clone(),
        protocol: spec.protocol,
    })
}
