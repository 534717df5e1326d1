//! Reads a folder with a file per task.
//!
//! A task is named as its file, unless the file has a column `task`. Files come in the order of their names, and columns in
//! that of the first file. Columns that describe configurations and tasks are in all files or in none; others, which a sweep file
//! or an import may name, are empty where a file lacks them.

use std::collections::HashMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use loto_engine::table::container::{self, ContainerError};
use loto_engine::table::records::{RecordError, Records};
use loto_proto::bounded_file;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_TABLE_FILE_BYTES, MAX_TASKS, MAX_UNPACKED_BYTES};

use super::csv_text::CsvText;
use super::error::TableFileError;
use super::parquet;

/// Extensions of the files that are read.
const TABLES: [&str; 4] = [".csv", ".csv.gz", ".csv.zip", ".parquet"];

/// Extensions of files that may be beside them.
const OTHERS: [&str; 4] = [".md", ".txt", ".toml", ".bib"];

/// Reads all files of a folder as one table.
///
/// # Errors
/// [`TableFileError`], which names the file.
pub fn read(folder: &Path) -> Result<CsvText, TableFileError> {
    let files = files(folder)?;
    let mut table: Option<Table<'_>> = None;
    let mut files_of_tasks: HashMap<&str, &Path> = HashMap::new();
    for file in &files {
        let task = task_of(file)?;
        with_records(file, |mut records| {
            let header = records.byte_header()?;
            let table = table.get_or_insert_with(|| Table::new(file, &header));
            let positions = table.positions(file, &header)?;
            let mut columns = table.columns.iter().zip(&positions);
            let is_named_by_file =
                columns.any(|(column, position)| column == b"task" && position.is_none());
            if is_named_by_file && let Some(first) = files_of_tasks.insert(task, file) {
                return Err(TableFileError::SameTask {
                    first: first.to_owned(),
                    second: file.clone(),
                    task: task.to_owned(),
                }
                .into());
            }
            let mut record = ByteRecord::new();
            while records.next_bytes(&mut record)?.is_some() {
                let columns = table.columns.iter().zip(&positions);
                let fields = columns.map(|(column, position)| match position {
                    Some(position) => &record[*position],
                    None if column == b"task" => task.as_bytes(),
                    None => b"",
                });
                table.text.push(fields);
                table.text.check_size(folder)?;
            }
            Ok(())
        })?;
    }
    let table = table.ok_or_else(|| TableFileError::EmptyFolder(folder.to_owned()))?;
    Ok(table.text)
}

/// The file, and the line in it, that became the row which begins on this line of the text that [`read`] makes; `None` if none does.
///
/// # Errors
/// [`TableFileError`], which names the file.
pub(super) fn origin(folder: &Path, line: u64) -> Result<Option<(PathBuf, u64)>, TableFileError> {
    let text = read(folder)?.into_bytes(folder)?;
    let mut rows = Records::new(text.as_slice());
    let mut record = ByteRecord::new();
    for file in files(folder)? {
        let found = with_records(&file, |mut records| {
            while let Some(own_line) = records.next_bytes(&mut record)? {
                if rows.next_bytes(&mut record)? == Some(line) {
                    return Ok(Some(own_line));
                }
            }
            Ok(None)
        })?;
        if let Some(own_line) = found {
            return Ok(Some((file, own_line)));
        }
    }
    Ok(None)
}

/// Reads the records of a file, which may be packed or Parquet.
fn with_records<T>(
    file: &Path,
    consume: impl FnOnce(Records<&mut dyn Read>) -> Result<T, FileError>,
) -> Result<T, TableFileError> {
    let opened = Cursor::new(csv_bytes(file)?);
    let read = |text: &mut dyn Read| consume(Records::new(text));
    let found = container::with_csv(opened, MAX_UNPACKED_BYTES, read);
    found.map_err(|error| error.of(file))
}

/// The columns of the first file, and the rows so far.
struct Table<'a> {
    first: &'a Path,
    columns: Vec<Vec<u8>>,
    text: CsvText,
}

impl<'a> Table<'a> {
    fn new(first: &'a Path, header: &ByteRecord) -> Self {
        let names = header.iter().map(<[u8]>::trim_ascii);
        let mut columns: Vec<Vec<u8>> = names.map(<[u8]>::to_vec).collect();
        if !columns.iter().any(|name| name == b"task") {
            columns.push(b"task".to_vec());
        }
        let text = CsvText::new(&columns);
        Self {
            first,
            columns,
            text,
        }
    }

    /// Where the columns are in a file; nowhere if it lacks one that not all files need.
    fn positions(&self, file: &Path, header: &ByteRecord) -> Result<Vec<Option<usize>>, FileError> {
        let missing = |column: &[u8], path: &Path, other: &Path| {
            FileError::Other(TableFileError::MissingColumn {
                path: path.to_owned(),
                column: excerpt(&String::from_utf8_lossy(column)),
                other: other.to_owned(),
            })
        };
        let names: Vec<&[u8]> = header.iter().map(<[u8]>::trim_ascii).collect();
        let is_new =
            |name: &&&[u8]| is_in_all(name) && !self.columns.iter().any(|known| known == *name);
        if let Some(name) = names.iter().find(is_new) {
            return Err(missing(name, self.first, file));
        }
        let position = |column: &Vec<u8>| match names.iter().position(|name| name == column) {
            None if is_in_all(column) => Err(missing(column, file, self.first)),
            position => Ok(position),
        };
        self.columns.iter().map(position).collect()
    }
}

/// Whether a column of this name is in all files of a folder or in none.
fn is_in_all(name: &[u8]) -> bool {
    let prefixes: [&[u8]; 3] = [b"hp_", b"metric_", b"dataset_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

/// The files of a folder that are tables, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>, TableFileError> {
    let unreadable = |source| TableFileError::Unreadable {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let has = |extensions: &[&str]| extensions.iter().any(|end| name.ends_with(end));
        let is_beside = name.starts_with('.') || has(&OTHERS) || !name.contains('.');
        if is_beside || entry.path().is_dir() {
            continue;
        }
        if files.len() == MAX_TASKS {
            return Err(TableFileError::TooManyFiles(folder.to_owned()));
        }
        files.push(entry.path());
    }
    files.sort();
    Ok(files)
}

/// The name of a file without its extension.
fn task_of(file: &Path) -> Result<&str, TableFileError> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| TableFileError::FileName(file.to_owned()))?;
    let mut stems = TABLES.iter().filter_map(|end| name.strip_suffix(end));
    Ok(stems.next().unwrap_or(name))
}

/// The bytes of a CSV file, or of the CSV text that a Parquet file becomes.
fn csv_bytes(file: &Path) -> Result<Vec<u8>, TableFileError> {
    let unreadable = |source| TableFileError::Unreadable {
        path: file.to_owned(),
        source,
    };
    let bytes = bounded_file::read(file, MAX_TABLE_FILE_BYTES as u64).map_err(unreadable)?;
    match bytes.len() > MAX_TABLE_FILE_BYTES {
        true => Err(TableFileError::LargeFile(file.to_owned())),
        false if parquet::is_parquet(&bytes) => parquet::read(bytes, file)?.into_bytes(file),
        false => Ok(bytes),
    }
}

/// What is wrong with a file of the folder.
enum FileError {
    Container(ContainerError),
    Record(RecordError),
    Other(TableFileError),
}

impl From<ContainerError> for FileError {
    fn from(error: ContainerError) -> Self {
        Self::Container(error)
    }
}

impl From<RecordError> for FileError {
    fn from(error: RecordError) -> Self {
        Self::Record(error)
    }
}

impl From<TableFileError> for FileError {
    fn from(error: TableFileError) -> Self {
        Self::Other(error)
    }
}

impl FileError {
    /// Adds the file.
    fn of(self, file: &Path) -> TableFileError {
        let path = file.to_owned();
        match self {
            Self::Container(source) => TableFileError::Container { path, source },
            Self::Record(source) => TableFileError::Record { path, source },
            Self::Other(error) => error,
        }
    }
}
