//! Reads a Parquet file.
//!
//! Values become the texts that CSV has for them: numbers with all their digits, `true` and `false`, an empty field for what is
//! missing. A 4-byte number is the 8-byte number of the same value.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_BYTES};
use parquet::basic::{Compression, ConvertedType, Type};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::ColumnDescriptor;

use super::csv_text::CsvText;
use super::error::{SizeProblem, TableFileError};
use super::pages;

/// Rows that are read at a time.
const ROWS_AT_A_TIME: usize = 4096;

/// Whether these are the first bytes of a Parquet file.
pub(crate) fn is_parquet(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PAR1")
}

/// Reads the columns of a file that hold numbers, texts or booleans.
///
/// # Errors
/// [`TableFileError`], which calls the file `path`.
pub fn read(file: Vec<u8>, path: &Path) -> Result<CsvText, TableFileError> {
    // The library promises no freedom from panics on damaged files.
    let reading = catch_unwind(AssertUnwindSafe(|| File { path }.read(Bytes::from(file))));
    reading.unwrap_or_else(|_| Err(TableFileError::DamagedParquet(path.to_owned())))
}

struct File<'a> {
    path: &'a Path,
}

/// A column that is read.
struct Column {
    position: usize,
    name: String,
    unsigned: bool,
}

impl File<'_> {
    fn read(&self, bytes: Bytes) -> Result<CsvText, TableFileError> {
        let opened = SerializedFileReader::new(bytes.clone());
        let reader = opened.map_err(|source| self.damaged(source))?;
        let columns = self.columns(&reader)?;
        pages::check(&reader, &bytes, self.path)?;
        let mut text = CsvText::new(columns.iter().map(|column| &column.name));
        let mut rows: usize = 0;
        for number in 0..reader.num_row_groups() {
            let group = reader.get_row_group(number);
            let group = group.map_err(|source| self.damaged(source))?;
            let here = usize::try_from(group.metadata().num_rows()).unwrap_or(usize::MAX);
            rows = here.saturating_add(rows);
            if rows > MAX_ROWS {
                return Err(self.size(SizeProblem::Rows));
            }
            self.read_group(group.as_ref(), &columns, &mut text)?;
        }
        Ok(text)
    }

    /// The columns that can be read, and an error if one that matters cannot.
    fn columns(&self, reader: &SerializedFileReader<Bytes>) -> Result<Vec<Column>, TableFileError> {
        let schema = reader.metadata().file_metadata().schema_descr();
        if schema.num_columns() > MAX_COLUMNS {
            return Err(self.size(SizeProblem::Columns(schema.num_columns())));
        }
        let mut columns = Vec::new();
        for (position, column) in schema.columns().iter().enumerate() {
            let name = column.path().parts().join(".");
            match kind(column) {
                Kind::Value { unsigned } => columns.push(Column {
                    position,
                    name,
                    unsigned,
                }),
                Kind::Other(kind) if is_used(&name) => {
                    return Err(TableFileError::ColumnType {
                        path: self.path.to_owned(),
                        column: excerpt(&name),
                        kind,
                    });
                }
                Kind::Other(_) => {}
            }
        }
        for group in reader.metadata().row_groups() {
            for column in &columns {
                let codec = group.column(column.position).compression();
                if !matches!(
                    codec,
                    Compression::UNCOMPRESSED | Compression::SNAPPY | Compression::GZIP(_)
                ) {
                    return Err(TableFileError::Codec {
                        path: self.path.to_owned(),
                        column: excerpt(&column.name),
                        codec: codec.to_string(),
                    });
                }
            }
        }
        Ok(columns)
    }

    fn read_group(
        &self,
        group: &dyn RowGroupReader,
        columns: &[Column],
        text: &mut CsvText,
    ) -> Result<(), TableFileError> {
        let open = |column: &Column| group.get_column_reader(column.position);
        let readers: Result<Vec<_>, _> = columns.iter().map(open).collect();
        let mut readers = readers.map_err(|source| self.damaged(source))?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
        let mut done = 0;
        while done < rows {
            let wanted = ROWS_AT_A_TIME.min(rows - done);
            let mut fields = Vec::with_capacity(columns.len());
            let mut most_bytes = MAX_UNPACKED_BYTES;
            for (reader, column) in readers.iter_mut().zip(columns) {
                let read = read_column(reader, wanted, column.unsigned, &mut most_bytes);
                let read = read.map_err(|source| self.damaged(source))?;
                let read = read.map_err(|row| TableFileError::NotUtf8 {
                    path: self.path.to_owned(),
                    row: done + row + 1,
                    column: excerpt(&column.name),
                })?;
                if read.len() != wanted {
                    return Err(self.size(SizeProblem::UnequalColumns {
                        column: excerpt(&column.name),
                        found: done + read.len(),
                        expected: rows,
                    }));
                }
                fields.push(read);
            }
            for row in 0..wanted {
                text.push(fields.iter().map(|column| &column[row]));
            }
            text.check_size(self.path)?;
            done += wanted;
        }
        Ok(())
    }

    fn damaged(&self, source: ParquetError) -> TableFileError {
        TableFileError::Parquet {
            path: self.path.to_owned(),
            source,
        }
    }

    fn size(&self, problem: SizeProblem) -> TableFileError {
        TableFileError::Size {
            path: self.path.to_owned(),
            problem,
        }
    }
}

/// What a column holds.
enum Kind {
    /// Numbers, texts or booleans.
    Value { unsigned: bool },
    /// Something else, by its name.
    Other(String),
}

fn kind(column: &ColumnDescriptor) -> Kind {
    if column.max_rep_level() > 0 || column.path().parts().len() > 1 {
        return Kind::Other("of a list or a structure".to_owned());
    }
    let converted = column.converted_type();
    let is_value = match column.physical_type() {
        Type::BOOLEAN | Type::FLOAT | Type::DOUBLE => true,
        Type::INT32 | Type::INT64 => matches!(
            converted,
            ConvertedType::NONE
                | ConvertedType::INT_8
                | ConvertedType::INT_16
                | ConvertedType::INT_32
                | ConvertedType::INT_64
                | ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64
        ),
        Type::BYTE_ARRAY => matches!(
            converted,
            ConvertedType::NONE | ConvertedType::UTF8 | ConvertedType::ENUM
        ),
        Type::INT96 | Type::FIXED_LEN_BYTE_ARRAY => false,
    };
    match is_value {
        true => Kind::Value {
            unsigned: matches!(converted, ConvertedType::UINT_32 | ConvertedType::UINT_64),
        },
        false => Kind::Other(format!("{} ({converted})", column.physical_type())),
    }
}

/// Whether a sweep may use a column of this name.
fn is_used(name: &str) -> bool {
    name.starts_with("hp_") || name.starts_with("metric_") || matches!(name, "task" | "blackbox")
}

/// Reads the fields of so many rows, or fewer at the end; the inner error is the first row that is not UTF-8.
fn read_column(
    reader: &mut ColumnReader,
    rows: usize,
    unsigned: bool,
    most_bytes: &mut u64,
) -> Result<Result<Vec<String>, usize>, ParquetError> {
    let number = |value: f64| value.to_string();
    let fields = match reader {
        ColumnReader::BoolColumnReader(reader) => values(reader, rows, |value| value.to_string())?,
        ColumnReader::Int32ColumnReader(reader) => values(reader, rows, |value| match unsigned {
            true => value.cast_unsigned().to_string(),
            false => value.to_string(),
        })?,
        ColumnReader::Int64ColumnReader(reader) => values(reader, rows, |value| match unsigned {
            true => value.cast_unsigned().to_string(),
            false => value.to_string(),
        })?,
        ColumnReader::FloatColumnReader(reader) => {
            values(reader, rows, |value| number(f64::from(*value)))?
        }
        ColumnReader::DoubleColumnReader(reader) => values(reader, rows, |value| number(*value))?,
        ColumnReader::ByteArrayColumnReader(reader) => {
            let texts: Vec<Option<ByteArray>> = optional(reader, rows)?;
            // A long text of a dictionary may stand in every row.
            let lengths = texts.iter().flatten().map(|bytes| bytes.len() as u64);
            let left = most_bytes.checked_sub(lengths.sum());
            *most_bytes = left.ok_or_else(|| {
                ParquetError::General("its texts are too long for a table".to_owned())
            })?;
            let text = |(row, field): (usize, Option<ByteArray>)| match field {
                None => Ok(String::new()),
                Some(bytes) => String::from_utf8(bytes.data().to_vec()).map_err(|_| row),
            };
            return Ok(texts.into_iter().enumerate().map(text).collect());
        }
        // Columns of other types are not among those that are read.
        ColumnReader::Int96ColumnReader(_) | ColumnReader::FixedLenByteArrayColumnReader(_) => {
            Vec::new()
        }
    };
    Ok(Ok(fields))
}

fn values<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    show: impl Fn(&T::T) -> String,
) -> Result<Vec<String>, ParquetError> {
    let values = optional(reader, rows)?;
    let field = |value: &Option<T::T>| value.as_ref().map_or_else(String::new, &show);
    Ok(values.iter().map(field).collect())
}

/// The values of so many rows, or fewer at the end; `None` where one is missing.
fn optional<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
) -> Result<Vec<Option<T::T>>, ParquetError> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (read, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        values.truncate(read);
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    let placed = levels.into_iter().map(|level| match level {
        0 => None,
        _ => values.next(),
    });
    Ok(placed.collect())
}
