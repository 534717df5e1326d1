//! What is wrong with a file of first evaluations.

use loto_engine::table::records::RecordError;
use loto_engine::table::row_lookup::RowLookupError;
use loto_proto::limits::{MAX_INITIAL_BYTES, MAX_INITIAL_FILE_BYTES};

/// What is wrong with a file of first evaluations. Displayed, it follows the name of the file.
#[derive(Debug, thiserror::Error)]
pub enum InitialProblem {
    /// The file is too long.
    #[error(" has more than {MAX_INITIAL_FILE_BYTES} bytes, which is the most allowed")]
    LargeFile,

    /// The text is not CSV, or cannot be read.
    #[error(": {0}")]
    Record(#[from] RecordError),

    /// A column is missing.
    #[error(
        ", line 1: the column `{0}` is missing; needed are `task`, `seed`, and either `row` or the columns of the \
         table's hyperparameters"
    )]
    MissingColumn(String),

    /// A column is there twice.
    #[error(", line 1: the column `{0}` is there twice")]
    ColumnTwice(String),

    /// A row is given in two ways.
    #[error(
        ", line 1: there are both the column `row` and columns of hyperparameters: take one of them out"
    )]
    TwoWays,

    /// A field is not a number of the expected kind.
    #[error(", line {line}, column `{column}`: `{text}` is not a number from 0 to {most}")]
    NotANumber {
        /// The line.
        line: u64,
        /// The column.
        column: &'static str,
        /// What is there.
        text: String,
        /// The largest number that may be there.
        most: u64,
    },

    /// The table has no such row.
    #[error(", line {line}: {problem}")]
    NoRow {
        /// The line.
        line: u64,
        /// Why not.
        #[source]
        problem: RowLookupError,
    },

    /// A row is there twice for a task and a seed.
    #[error(
        ", line {line}: this row is there already for task `{task}` and seed {seed}; each is evaluated once"
    )]
    Repeated {
        /// The second line.
        line: u64,
        /// The task.
        task: String,
        /// The seed.
        seed: u32,
    },

    /// There is nothing below the header.
    #[error(" has no rows")]
    NoRows,

    /// There are too many.
    #[error(": its rows take {0} bytes with the table, allowed are {MAX_INITIAL_BYTES}")]
    TooMany(usize),
}
