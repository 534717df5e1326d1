//! Finds and reads the tables of a sweep file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use loto_engine::EngineError;
use loto_engine::table::Table;
use loto_proto::identity::Fingerprint;
use loto_proto::limits::MAX_TABLE_FILE_BYTES;
use loto_proto::sweep_file::BlackboxEntry;
use loto_proto::table_spec::TableSpec;

use super::error::PlanError;

/// A table of a plan: read, checked, and as the bytes that are uploaded.
#[derive(Debug)]
pub struct PlannedTable {
    /// Where it was read from.
    pub path: PathBuf,
    /// How its bytes are to be read.
    pub spec: TableSpec,
    /// The file, unchanged.
    pub bytes: Cow<'static, [u8]>,
    /// Its content.
    pub table: Table,
}

impl PlannedTable {
    /// The name of the table: a hash of its bytes and declarations.
    pub fn fingerprint(&self) -> Fingerprint {
        self.table.fingerprint
    }

    /// The name under which the store keeps it.
    pub fn blob_name(&self) -> String {
        self.fingerprint().blob_name()
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
}

/// Reads the table file of a black box from the first of `folders` that has it.
pub(super) fn load(entry: &BlackboxEntry, folders: &[&Path]) -> Result<TableFile, PlanError> {
    let places = folders.iter().map(|folder| folder.join(&entry.table));
    let mut places: Vec<PathBuf> = places.collect();
    places.dedup();
    for path in &places {
        if let Some(bytes) = read_if_there(path)? {
            return Ok(TableFile {
                path: path.clone(),
                bytes: Cow::Owned(bytes),
            });
        }
    }
    Err(PlanError::TableNotFound {
        blackbox: entry.name.clone(),
        table: entry.table.clone(),
        places,
    })
}

/// The bytes of a file; `None` only if there is no such file, so that one
/// which cannot be read is not passed over in silence.
fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>, PlanError> {
    let read = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        // One byte more than a table may have, which tells the reader of the table.
        let most = MAX_TABLE_FILE_BYTES as u64 + 1;
        File::open(path)?.take(most).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match read() {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(PlanError::UnreadableTable {
            path: path.to_owned(),
            source,
        }),
    }
}

/// Reads a table into `tables` unless it is there already; returns its position.
pub(super) fn position_of(
    tables: &mut Vec<PlannedTable>,
    file: TableFile,
    spec: TableSpec,
) -> Result<usize, PlanError> {
    let fingerprint = spec.fingerprint(&file.bytes);
    if let Some(position) = tables
        .iter()
        .position(|known| known.table.fingerprint == fingerprint)
    {
        return Ok(position);
    }
    let table = Table::read(&file.bytes, &spec, &file.path.display().to_string())
        .map_err(EngineError::from)?;
    tables.push(PlannedTable {
        path: file.path,
        spec,
        bytes: file.bytes,
        table,
    });
    Ok(tables.len() - 1)
}
