//! Finds and reads the tables of a sweep file.

use std::borrow::Cow;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_engine::table::error::TableError;
use loto_engine::table::profile::ColumnProfile;
use loto_proto::bounded_file;
use loto_proto::identity::Fingerprint;
use loto_proto::limits::{MAX_INITIAL_FILE_BYTES, MAX_NAME_BYTES};
use loto_proto::sweep_file::BlackboxEntry;
use loto_proto::table_spec::TableSpec;

use super::built_in;
use super::error::{BlackboxProblem, PlanError};
use super::initial::InitialFile;
use crate::table_files;
use crate::table_files::error::TableFileError;

/// A table of a plan: read, checked, and as the bytes that are uploaded.
#[derive(Debug)]
pub struct PlannedTable {
    /// Where it was read from.
    pub path: PathBuf,
    /// How its bytes are to be read.
    pub spec: TableSpec,
    /// The file, unchanged if it is CSV, or its content as CSV.
    pub bytes: Cow<'static, [u8]>,
    /// Its content.
    pub table: Table,
    /// What its columns of hyperparameters hold.
    pub columns: Vec<ColumnProfile>,
}

impl PlannedTable {
    /// The name of the table: a hash of its bytes and declarations.
    pub fn fingerprint(&self) -> Fingerprint {
        self.table.fingerprint
    }

    /// The name of its file, without the folder; `None` if it is too long to be recorded.
    pub fn file_name(&self) -> Option<String> {
        let name = self.path.file_name()?.to_string_lossy();
        (name.len() <= MAX_NAME_BYTES).then(|| name.into_owned())
    }

    /// The name under which the store keeps it.
    pub fn blob_name(&self) -> String {
        self.fingerprint().blob_name()
    }

    /// Checks the column that says what an evaluation costs.
    pub(super) fn check_costs(&self, column: &str) -> Result<(), BlackboxProblem> {
        let name = self.path.display().to_string();
        match Table::read_costs(&self.bytes, &self.spec, column, &name) {
            Ok(_) => Ok(()),
            Err(problem) => {
                let problem = in_its_file(problem, &self.path);
                Err(BlackboxProblem::Costs(Box::new(problem)))
            }
        }
    }

    /// The bytes which the store keeps: the file with its declarations.
    pub fn blob(&self) -> Vec<u8> {
        self.spec.encode_with(&self.bytes)
    }
}

/// A table file that was found.
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    pub(super) bytes: Cow<'static, [u8]>,
    /// The first evaluations, if the sweep file gives them.
    pub(super) initial: Option<InitialFile>,
}

/// Reads the files of a black box, each from the first of `folders` that has it. The built-in table is had without a file.
pub(super) fn load(entry: &BlackboxEntry, folders: &[&Path]) -> Result<TableFile, PlanError> {
    let found = find(entry, "table", &entry.table, folders, table_files::read);
    let (path, bytes) = match (found, built_in::table(&entry.table)) {
        (Err(PlanError::FileNotFound { .. }), Some(built_in)) => built_in,
        (found, _) => found.map(|(path, bytes)| (path, Cow::Owned(bytes)))?,
    };
    let initial = entry.initial.as_ref().map(|name| {
        let (path, bytes) = find(entry, "initial", name, folders, read_initial)?;
        Ok::<_, PlanError>(InitialFile { path, bytes })
    });
    Ok(TableFile {
        path,
        bytes,
        initial: initial.transpose()?,
    })
}

fn find(
    entry: &BlackboxEntry,
    key: &'static str,
    name: &str,
    folders: &[&Path],
    read: impl Fn(&Path) -> Result<Vec<u8>, TableFileError>,
) -> Result<(PathBuf, Vec<u8>), PlanError> {
    let places = folders.iter().map(|folder| folder.join(name));
    let mut places: Vec<PathBuf> = places.collect();
    places.dedup();
    for path in &places {
        match read(path) {
            Ok(bytes) => return Ok((path.clone(), bytes)),
            // Only if there is no such file or folder, so that one which cannot be read is not passed over in
            // silence.
            Err(TableFileError::Unreadable {
                path: missing,
                source,
            }) if missing == *path && source.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Box::new(error).into()),
        }
    }
    Err(PlanError::FileNotFound {
        blackbox: entry.name.clone(),
        key,
        name: name.to_owned(),
        places,
    })
}

/// The bytes of a file of first evaluations, and one more than it may have, which tells who reads them.
fn read_initial(path: &Path) -> Result<Vec<u8>, TableFileError> {
    bounded_file::read(path, MAX_INITIAL_FILE_BYTES).map_err(|source| TableFileError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// The columns which the scales of a black box are for; none are looked up if it declares no scale.
pub(super) fn columns_to_match(
    entry: &BlackboxEntry,
    file: &TableFile,
) -> Result<Vec<String>, PlanError> {
    if entry.scales.is_empty() {
        return Ok(Vec::new());
    }
    let names = Table::hyperparameter_names(&file.bytes, &file.path.display().to_string());
    Ok(names.map_err(EngineError::from)?)
}

/// Names the file and the line in it where a row of a folder is wrong, in place of the line of the joined text.
fn in_its_file(mut error: TableError, path: &Path) -> TableError {
    if let Some(line) = error.problem.line_mut() {
        let (file, own_line) = table_files::origin(path, *line);
        *line = own_line;
        error.table = file.display().to_string();
    }
    error
}

/// Reads a table into `tables` unless it is there already; returns its position.
pub(super) fn position_of(
    tables: &mut Vec<PlannedTable>,
    file: TableFile,
    spec: TableSpec,
) -> Result<usize, TableError> {
    let fingerprint = spec.fingerprint(&file.bytes);
    if let Some(position) = tables
        .iter()
        .position(|known| known.table.fingerprint == fingerprint)
    {
        return Ok(position);
    }
    let name = file.path.display().to_string();
    let read = || {
        let (table, columns) = Table::read_with_profiles(&file.bytes, &spec, &name)?;
        table.check_names(&name)?;
        Ok((table, columns))
    };
    let (table, columns) = read().map_err(|error| in_its_file(error, &file.path))?;
    tables.push(PlannedTable {
        path: file.path,
        spec,
        bytes: file.bytes,
        table,
        columns,
    });
    Ok(tables.len() - 1)
}
