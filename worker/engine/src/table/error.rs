//! Why a table is refused.

use loto_proto::limits::{
    MAX_ARCHIVE_MEMBERS, MAX_COLUMNS, MAX_COORDINATES, MAX_LEVEL_BYTES, MAX_LEVELS, MAX_MAGNITUDE,
    MAX_NAME_BYTES, MAX_TABLE_FILE_BYTES,
};
use loto_proto::untrusted_text::HazardousCharacter;

use super::container::ContainerError;
use super::records::RecordError;

/// Least difference between the extreme values of an objective on a task, if they differ: far from where sums of squares are 0.
pub(super) const LEAST_RANGE: f64 = 1.0 / MAX_MAGNITUDE;

/// A table that is refused.
#[derive(Debug, thiserror::Error)]
#[error("table {table}: {problem}")]
pub struct TableError {
    /// The table, as the caller named it.
    pub table: String,
    /// What is wrong with it.
    #[source]
    pub problem: Box<TableProblem>,
}

/// What is wrong with a table, and where. Texts from the file are excerpts.
#[derive(Debug, thiserror::Error)]
pub enum TableProblem {
    /// The file has too many bytes.
    #[error(
        "the file has more than {MAX_TABLE_FILE_BYTES} bytes, which is the most allowed; \
         zip or gzip it"
    )]
    LargeFile,

    /// A zip archive has too many members.
    #[error(
        "the zip archive has more than {MAX_ARCHIVE_MEMBERS} members, which is the most allowed"
    )]
    TooManyMembers,

    /// The file cannot be read or unpacked.
    #[error(transparent)]
    Container(#[from] ContainerError),

    /// The text is not CSV, or cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),

    /// The header has too many columns.
    #[error("it has {0} columns, allowed are {MAX_COLUMNS}")]
    TooManyColumns(usize),

    /// A column's name is too long.
    #[error(
        "line 1: the name of the column `{column}` has {bytes} bytes, allowed are {MAX_NAME_BYTES}"
    )]
    LongColumnName {
        /// The beginning of the name.
        column: String,
        /// The name's length.
        bytes: usize,
    },

    /// Two columns have the same name.
    #[error("line 1: the column `{0}` is there twice")]
    DuplicateColumn(String),

    /// There is no column of task names.
    #[error(
        "line 1: the column `task` is missing; columns are separated by commas, and these are there: {columns}"
    )]
    NoTaskColumn {
        /// Those there are.
        columns: String,
    },

    /// The objective is none of the columns.
    #[error("line 1: the objective `{objective}` is not a column; {suggestion}")]
    UnknownObjective {
        /// The column that the sweep names.
        objective: String,
        /// The `metric_*` column that may be meant and those there are.
        suggestion: String,
    },

    /// The cost is none of the columns.
    #[error("line 1: the cost `{column}` is not a column; {suggestion}")]
    UnknownCost {
        /// The column that the sweep names.
        column: String,
        /// The `metric_*` column that may be meant and those there are.
        suggestion: String,
    },

    /// There is no column of a hyperparameter.
    #[error("line 1: there is no hyperparameter column (`hp_*`)")]
    NoHyperparameter,

    /// A column that the sweep declares categorical is not a hyperparameter's.
    #[error("line 1: the categorical column `{column}` is not a column; {suggestion}")]
    UnknownCategorical {
        /// The column that the sweep names.
        column: String,
        /// The `hp_*` column that may be meant and those there are.
        suggestion: String,
    },

    /// A column for which the sweep declares a scale is not a hyperparameter's.
    #[error("line 1: `{column}`, which has a scale, is not a column; {suggestion}")]
    UnknownScaled {
        /// The column that the sweep names.
        column: String,
        /// The `hp_*` column that may be meant and those there are.
        suggestion: String,
    },

    /// A column that the sweep declares a feature is not in the table.
    #[error("line 1: the feature `{column}` is not a column; {suggestion}")]
    UnknownFeature {
        /// The column that the sweep names.
        column: String,
        /// The column that may be meant and those there are.
        suggestion: String,
    },

    /// All columns of features are declared, and there is none.
    #[error(
        "line 1: features is \"all\", but there is no {prefix}* column: list the columns by name"
    )]
    NoFeatures {
        /// What their names begin with.
        prefix: &'static str,
    },

    /// The column that says which rows a source has is not in the table.
    #[error("line 1: `{column}`, which is source_rows, is not a column; {suggestion}")]
    UnknownSourceRows {
        /// The column that the sweep names.
        column: String,
        /// The column that may be meant and those there are.
        suggestion: String,
    },

    /// A task has too few rows that methods may learn from.
    #[error(
        "task `{task}` has {count} source row{}, a source needs at least 2: mark more with 1",
        if *count == 1 { "" } else { "s" }
    )]
    FewSourceRows {
        /// The task.
        task: String,
        /// How many it has.
        count: usize,
    },

    /// An ordinal column has more values than an order is of use for.
    #[error(
        "column `{0}` is ordinal and has more than {MAX_LEVELS} values, which is the most allowed; \
         is it linear or log?"
    )]
    TooManyOrdinalValues(String),

    /// There are too many rows, hyperparameter values or tasks.
    #[error("line {line}: it has more than {most} {what}, which is the most allowed")]
    TooMany {
        /// The line of the first one too many.
        line: u64,
        /// The limit.
        most: usize,
        /// What there are too many of.
        what: &'static str,
    },

    /// A field has no value that its column takes.
    #[error("line {line}, column `{column}`: {problem}")]
    Field {
        /// The field's line.
        line: u64,
        /// The name of its column.
        column: String,
        /// What is wrong with its value.
        #[source]
        problem: FieldError,
    },

    /// A task has a configuration twice, or twice with the same seed where there are repeated measurements.
    #[error("line {line}: task `{task}` has this configuration{}", repetition(seed.as_deref()))]
    DuplicateConfiguration {
        /// The second row's line.
        line: u64,
        /// The task.
        task: String,
        /// The seed of the measurement, where they are repeated.
        seed: Option<String>,
    },

    /// Repeated measurements are declared, and nothing tells them apart.
    #[error(
        "line 1: the column `seed` is missing, which tells repeated measurements of a configuration apart: `repeats` is \
         declared"
    )]
    NoSeedColumn,

    /// The values of an objective are so near each other on a task that squares of their differences are 0.
    #[error(
        "task `{task}`: the values of {column} differ by {range:e}, allowed are differences from {LEAST_RANGE:e} on, or none: give them in \
         another unit, or their logarithms"
    )]
    SmallRange {
        /// The task.
        task: String,
        /// The column of the objective.
        column: String,
        /// The greatest value minus the least.
        range: f64,
    },

    /// There is nothing below the header.
    #[error("it has no rows")]
    NoRows,

    /// The encoded rows are too wide.
    #[error(
        "its rows have {0} coordinates (one per numeric hyperparameter and per level), \
         allowed are {MAX_COORDINATES}"
    )]
    TooManyCoordinates(usize),
}

impl TableProblem {
    /// The key of a black box in a sweep file that names a column which the header does not have; `None` if it is the table that
    /// breaks a rule.
    pub fn key(&self) -> Option<&'static str> {
        match self {
            Self::UnknownObjective { .. } => Some("objective"),
            Self::UnknownCategorical { .. } => Some("categorical"),
            Self::UnknownScaled { .. } => Some("scales"),
            Self::UnknownFeature { .. } | Self::NoFeatures { .. } => Some("features"),
            Self::UnknownSourceRows { .. } => Some("source_rows"),
            Self::UnknownCost { .. } => Some("cost"),
            _ => None,
        }
    }

    /// The line that it is about, if that is not the header's.
    pub fn line_mut(&mut self) -> Option<&mut u64> {
        match self {
            Self::TooMany { line, .. }
            | Self::Field { line, .. }
            | Self::DuplicateConfiguration { line, .. } => Some(line),
            _ => None,
        }
    }
}

fn repetition(seed: Option<&str>) -> String {
    match seed {
        None => " already; each may be listed once. If the rows are repeated measurements, give them a column `seed` and \
                 declare repeats = \"mean\" or \"draw\""
            .to_owned(),
        Some(seed) => format!(" with seed {seed} already; each may be listed once for a seed"),
    }
}

/// What is wrong with the value of a field.
#[derive(Debug, thiserror::Error)]
pub enum FieldError {
    /// A task's name is empty or too long.
    #[error("a task's name must be a text of 1 to {MAX_NAME_BYTES} bytes")]
    TaskName,

    /// The name of the black box is too long.
    #[error("the name must be a text of at most {MAX_NAME_BYTES} bytes")]
    BlackboxName,

    /// A name has a character that is not what it looks like.
    #[error("{0}")]
    Hazard(#[from] HazardousCharacter),

    /// The row belongs to another black box than the rows before it.
    #[error("`{found}` after `{expected}`; a table holds one black box")]
    OtherBlackbox {
        /// The row's black box.
        found: String,
        /// The black box of the rows before it.
        expected: String,
    },

    /// A number is so large that distances would overflow.
    #[error(
        "{0:e} is too large a number, allowed are magnitudes up to {max:e}",
        max = MAX_MAGNITUDE
    )]
    LargeNumber(f64),

    /// A text is not a number, or it is one that is not finite.
    #[error("{}", not_finite(.0))]
    NotFinite(String),

    /// A column that is to be numeric has a text.
    #[error(
        "`{text}` is not a finite number; if the column holds names, declare it: \
         categorical = [\"{column}\"]"
    )]
    Text {
        /// The beginning of the text.
        text: String,
        /// The name of the column.
        column: String,
    },

    /// A column that is to be numeric has true or false.
    #[error(
        "`{text}` is not a finite number; declare what the column holds: \
         scales = {{ {column} = \"boolean\" }}"
    )]
    UndeclaredBoolean {
        /// The text.
        text: String,
        /// The name of the column.
        column: String,
    },

    /// A number in a column with a log scale has no logarithm.
    #[error(
        "{0} has no logarithm, and the column's scale is \"log\", which takes positive numbers only: \
         take the column out of scales, or declare it \"ordinal\""
    )]
    NotPositive(f64),

    /// An evaluation costs nothing, or less.
    #[error("a cost is {0}, but has to be above 0, since results are drawn over the costs so far")]
    CostNotPositive(f64),

    /// A text in a boolean column is neither true nor false.
    #[error("`{0}` is neither true nor false, as a boolean column has it")]
    NotBoolean(String),

    /// A feature differs between two rows of a task.
    #[error(
        "{found} after {expected}: a feature describes the task and is the same in all of its rows"
    )]
    ChangedFeature {
        /// The row's value.
        found: f64,
        /// The value of the rows before it.
        expected: f64,
    },

    /// Two measurements of a configuration disagree on whether it is a source row.
    #[error("another measurement of this configuration says otherwise; all have to agree")]
    ChangedSourceRow,

    /// A level is none of those that are declared.
    #[error("`{text}` is none of the levels that scales lists for this column; {suggestion}")]
    UnknownLevel {
        /// The beginning of the text.
        text: String,
        /// What may have been meant, and which levels there are.
        suggestion: String,
    },

    /// A name or a level is not UTF-8.
    #[error("the text is not valid UTF-8: save the table in that encoding")]
    NotUtf8,

    /// A level is too long.
    #[error("the level has {0} bytes, allowed are {MAX_LEVEL_BYTES}")]
    LongLevel(usize),

    /// A categorical column has too many levels.
    #[error("more than {MAX_LEVELS} levels, which is the most allowed; is it numeric?")]
    TooManyLevels,
}

/// What is wrong with a text that should be a number, and how numbers are written.
fn not_finite(text: &str) -> String {
    match text.trim() {
        "" => "there is no value: fill it in, or leave the row out".to_owned(),
        text if text.contains([',', '%']) => format!(
            "`{text}` is not a finite number: write it with a decimal point and without a percent sign"
        ),
        _ => format!("`{text}` is not a finite number"),
    }
}

impl FieldError {
    /// Adds where the field is.
    pub(super) fn at(self, line: u64, column: &str) -> TableProblem {
        TableProblem::Field {
            line,
            column: column.to_owned(),
            problem: self,
        }
    }
}
