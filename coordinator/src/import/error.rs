//! Why data of others cannot be imported.

use std::path::{Path, PathBuf};

use loto_engine::table::records::RecordError;
use loto_proto::limits::{MAX_IMPORTED_BYTES, MAX_TABLE_FILE_BYTES, MAX_UNPACKED_BYTES};
use loto_proto::untrusted_text::HazardousCharacter;

use crate::plan::PlanError;
use crate::table_files::error::TableFileError;

/// Why nothing is imported; no folder is made then.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// The new folder, or a file in it, cannot be written.
    #[error("cannot write {path}: {source}")]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// The folder to be made is there and not empty.
    #[error("{} is there and not empty: name a new folder with --out", .0.display())]
    NotEmpty(PathBuf),

    /// A file has more bytes than are read.
    #[error(
        "{}: it has more bytes than are read: at most {MAX_IMPORTED_BYTES} of a list of values, and \
         {MAX_TABLE_FILE_BYTES} of other files",
        .0.display()
    )]
    LargeFile(PathBuf),

    /// A file is not JSON of the right form.
    #[error("{}: {source}; expected is {expected}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        #[source]
        source: serde_json::Error,
        /// What the file should hold.
        expected: &'static str,
    },

    /// A table of Parquet or CSV cannot be read.
    #[error(transparent)]
    TableFile(#[from] Box<TableFileError>),

    /// A file is not CSV, or cannot be read.
    #[error("{}: {source}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// Why not, with the line.
        #[source]
        source: RecordError,
    },

    /// What a file says is wrong at one place.
    #[error("{}: {place}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// Where, in words.
        place: String,
        /// What is wrong.
        #[source]
        problem: Box<ContentProblem>,
    },

    /// The imported tables and their sweep file, which are written, break a rule.
    #[error(
        "{problem}; what was imported is in {}: correct it there until `loto check` takes it, or remove the folder and import \
         again",
        folder.display()
    )]
    Plan {
        /// The new folder.
        folder: PathBuf,
        /// The rule.
        #[source]
        problem: Box<PlanError>,
    },
}

impl From<TableFileError> for ImportError {
    fn from(error: TableFileError) -> Self {
        Self::TableFile(Box::new(error))
    }
}

impl ImportError {
    pub(super) fn content(path: &Path, place: String, problem: ContentProblem) -> Self {
        Self::Content {
            path: path.to_owned(),
            place,
            problem: Box::new(problem),
        }
    }
}

/// What is wrong with the content of a file.
#[derive(Debug, thiserror::Error)]
pub enum ContentProblem {
    /// There are more or fewer values than configurations.
    #[error("it has {values} values for {configurations} configurations")]
    UnequalLengths {
        /// Number of values.
        values: usize,
        /// Number of configurations.
        configurations: usize,
    },

    /// A configuration has several rows, and no column that tells them apart.
    #[error(
        "the configuration is listed before on this task: if the rows are repeated measurements, name the column that tells them \
         apart with --seed; if they differ in a hyperparameter, name that, too"
    )]
    Repeated,

    /// A configuration has more or fewer hyperparameters than the others.
    #[error("configuration {row} has {found} hyperparameters, others have {expected}")]
    UnequalConfigurations {
        /// The configuration, counted from 0.
        row: usize,
        /// Number of its hyperparameters.
        found: usize,
        /// Number of those of the others.
        expected: usize,
    },

    /// There are several values where one belongs.
    #[error("value {row} is a list of {found} numbers, expected is one")]
    SeveralValues {
        /// The value, counted from 0.
        row: usize,
        /// Number of numbers.
        found: usize,
    },

    /// A task is a source and a target.
    #[error("the data set is in the test data, too: a source must not contain a target")]
    SourceAndTarget,

    /// A search space has no data set to learn from.
    #[error(
        "there is no data set of it with two configurations or more in the training data: leave the search space out with --spaces"
    )]
    NoSource,

    /// A search space that was asked for is not there.
    #[error("there is no such search space in the test data")]
    UnknownSpace,

    /// An initial configuration is none of the data set.
    #[error("the initial configuration {index} is none of the {rows} of the data set")]
    UnknownInitial {
        /// Its number, counted from 0.
        index: u64,
        /// Number of configurations.
        rows: usize,
    },

    /// A name has a character that is not what it looks like.
    #[error(transparent)]
    Hazard(#[from] HazardousCharacter),

    /// A column is not there.
    #[error("there is no such column; {0}")]
    UnknownColumn(String),

    /// A column that is asked for is there twice.
    #[error("it is there twice: rename one of them")]
    ColumnTwice,

    /// A column is named for two things.
    #[error(
        "it can be only one of hyperparameter, objective, task and seed: name each column once"
    )]
    TwoRoles,

    /// Two columns would have one name.
    #[error("two columns would be called `{0}`: rename one of them")]
    SameColumn(String),

    /// A value is missing or no number.
    #[error("`{0}` is not a finite number")]
    NoNumber(String),

    /// A value is missing.
    #[error("there is no value: fill it in, or leave the row out")]
    Empty,

    /// An array of NumPy is damaged, or has another form than expected.
    #[error("it is not an array of NumPy with 4- or 8-byte numbers in the order of C: {0}")]
    Array(&'static str),

    /// An array has other dimensions than the other files say.
    #[error("its shape is {found:?}, expected is {expected}")]
    Shape {
        /// Its dimensions.
        found: Vec<u64>,
        /// What was expected, in words.
        expected: String,
    },

    /// A position of a fidelity is beyond the last.
    #[error("there are {0} fidelities, counted from 1")]
    UnknownFidelity(u64),

    /// No configuration has a value.
    #[error("no configuration has a finite value")]
    NoValue,

    /// A table takes too many bytes.
    #[error(
        "as CSV the table takes more than {MAX_UNPACKED_BYTES} bytes, which is the most allowed"
    )]
    LargeTable,
}
