//! Why a file or folder gives no table.

use std::path::PathBuf;

use loto_engine::table::container::ContainerError;
use loto_engine::table::records::RecordError;
use loto_proto::limits::{
    MAX_COLUMNS, MAX_ROWS, MAX_TABLE_FILE_BYTES, MAX_TASKS, MAX_UNPACKED_BYTES,
};
use parquet::errors::ParquetError;

/// Why a file or folder gives no table.
#[derive(Debug, thiserror::Error)]
pub enum TableFileError {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// Two files of a folder are the same task.
    #[error(
        "{} and {} are both the task `{task}`, by their names: take one of them out, or give both a column `task`",
        first.display(),
        second.display()
    )]
    SameTask {
        /// A file.
        first: PathBuf,
        /// A later one.
        second: PathBuf,
        /// The task.
        task: String,
    },

    /// A Parquet file has too many bytes.
    #[error(
        "table {}: the file has more than {MAX_TABLE_FILE_BYTES} bytes, which is the most allowed",
        .0.display()
    )]
    LargeFile(PathBuf),

    /// The content takes too many bytes as CSV.
    #[error(
        "table {}: as CSV it takes more than {MAX_UNPACKED_BYTES} bytes, which is the most allowed",
        .0.display()
    )]
    LargeText(PathBuf),

    /// The content takes too many bytes as CSV, also when it is packed.
    #[error(
        "table {}: as gzipped CSV it takes more than {MAX_TABLE_FILE_BYTES} bytes, which is the most \
         allowed; round its numbers, or make a table of fewer tasks",
        .0.display()
    )]
    LargePackedText(PathBuf),

    /// A Parquet file is damaged, or has what the reader does not know.
    #[error("table {}: it cannot be read as Parquet: {source}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ParquetError,
    },

    /// A Parquet file is so damaged that its reader stopped.
    #[error("table {}: it cannot be read as Parquet: it is damaged", .0.display())]
    DamagedParquet(PathBuf),

    /// A Parquet file is packed in a way that is not read.
    #[error(
        "table {}: column `{column}` is compressed by {codec}, and read are snappy, gzip and none: write the \
         file with pandas.DataFrame.to_parquet(FILE, compression=\"snappy\")",
        path.display()
    )]
    Codec {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The codec.
        codec: String,
    },

    /// A column of a Parquet file holds neither numbers nor texts nor booleans.
    #[error(
        "table {}: column `{column}` has the type {kind}; a column that loto uses holds numbers, texts or \
         true and false",
        path.display()
    )]
    ColumnType {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// Its type.
        kind: String,
    },

    /// A text of a Parquet file is not UTF-8.
    #[error("table {}: row {row}, column `{column}`: the text is not valid UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// The row, counted from 1.
        row: usize,
        /// The column.
        column: String,
    },

    /// The sizes in a Parquet file contradict each other, or are larger than a table may be.
    #[error("table {}: {problem}", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// What is too large or does not fit.
        #[source]
        problem: SizeProblem,
    },

    /// A file in a folder cannot be unpacked or is no CSV.
    #[error("table {}: {source}", path.display())]
    Container {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ContainerError,
    },

    /// A file in a folder is not CSV, or cannot be read.
    #[error("table {}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why not, with the line.
        #[source]
        source: RecordError,
    },

    /// A folder has no file of a table.
    #[error(
        "table {}: the folder has no table: expected is a file per task, NAME.csv, NAME.csv.gz, NAME.csv.zip \
         or NAME.parquet",
        .0.display()
    )]
    EmptyFolder(PathBuf),

    /// A folder has too many files.
    #[error("table {}: the folder has more than {MAX_TASKS} files, which is the most allowed", .0.display())]
    TooManyFiles(PathBuf),

    /// A file of a folder has another column of a hyperparameter, a metric or a feature, or lacks one.
    #[error(
        "table {}: the column `{column}` is missing, which {} has: all files of a folder have the same \
         columns of hyperparameters, metrics and features",
        path.display(),
        other.display()
    )]
    MissingColumn {
        /// The file that lacks it.
        path: PathBuf,
        /// The column.
        column: String,
        /// The file that has it.
        other: PathBuf,
    },

    /// The name of a file, which is that of its task, is not UTF-8.
    #[error("table {}: the file is named as its task, and the name is not UTF-8: rename it", .0.display())]
    FileName(PathBuf),
}

/// What is too large in a Parquet file, or does not fit.
#[derive(Debug, thiserror::Error)]
pub enum SizeProblem {
    /// There are too many columns.
    #[error("it has {0} columns, allowed are {MAX_COLUMNS}")]
    Columns(usize),

    /// There are too many rows.
    #[error("it has more than {MAX_ROWS} rows, which is the most allowed")]
    Rows,

    /// A column has more or fewer values than the file has rows.
    #[error(
        "column `{column}` has {found} values in a group of {expected} rows: the file is damaged"
    )]
    UnequalColumns {
        /// The column.
        column: String,
        /// Number of its values.
        found: usize,
        /// Number of rows.
        expected: usize,
    },

    /// A page says that it unpacks to more than a page may, or unpacks to another size than it says.
    #[error(
        "column `{0}` has a page that unpacks to another size than it says, or to too many bytes"
    )]
    Page(String),

    /// The pages of a column cannot be told apart.
    #[error("column `{0}` has a damaged page header")]
    PageHeader(String),

    /// All pages of the file unpack to too many bytes.
    #[error(
        "its columns unpack to more than {MAX_UNPACKED_BYTES} bytes, which is the most allowed"
    )]
    Unpacked,
}
