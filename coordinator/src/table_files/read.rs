//! Reads what a sweep file names as a table.

use std::path::{Path, PathBuf};

use loto_proto::bounded_file;
use loto_proto::limits::MAX_TABLE_FILE_BYTES;

use super::error::TableFileError;
use super::{folder, parquet};

/// The bytes of a table file: those of a CSV file, packed or not, as they are; of a Parquet file or a folder, its content as
/// CSV.
///
/// # Errors
/// [`TableFileError`], which names the file.
pub fn read(path: &Path) -> Result<Vec<u8>, TableFileError> {
    let unreadable = |source| TableFileError::Unreadable {
        path: path.to_owned(),
        source,
    };
    if path.is_dir() {
        return folder::read(path)?.finish(path);
    }
    // The reader of a table that is too long tells it by the last byte.
    let bytes = bounded_file::read(path, MAX_TABLE_FILE_BYTES as u64).map_err(unreadable)?;
    match parquet::is_parquet(&bytes) {
        false => Ok(bytes),
        true if bytes.len() > MAX_TABLE_FILE_BYTES => {
            Err(TableFileError::LargeFile(path.to_owned()))
        }
        true => parquet::read(bytes, path)?.finish(path),
    }
}

/// The file and the line in it from which a line of what [`read`] returned comes: for a folder one of its files, unless they
/// cannot be read again.
pub(crate) fn origin(path: &Path, line: u64) -> (PathBuf, u64) {
    match path.is_dir().then(|| folder::origin(path, line)) {
        Some(Ok(Some(found))) => found,
        _ => (path.to_owned(), line),
    }
}
