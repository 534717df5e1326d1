//! Why recorded traces cannot be scored.

use std::path::{Path, PathBuf};

use loto_engine::table::container::ContainerError;
use loto_engine::table::error::TableError;
use loto_engine::table::records::RecordError;
use loto_proto::limits::{
    MAX_MAGNITUDE, MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES, MAX_SEEDS,
};
use loto_proto::untrusted_text::HazardousCharacter;

use super::evaluation::NEEDED;
use super::foreign::ForeignRuleError;

/// Why there are no scores.
#[derive(Debug, thiserror::Error)]
pub enum ScoreError {
    /// The file of traces cannot be opened.
    #[error("cannot read {path}: {source}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// The rules for foreign values contradict each other or the sweep file.
    #[error(transparent)]
    ForeignRule(#[from] ForeignRuleError),

    /// The plan lacks the table of a black box or target, which no plan of a sweep file does.
    #[error("results of {0} are not valid: its table is not part of the plan")]
    IncompletePlan(String),

    /// A table of the sweep cannot be read again.
    #[error(transparent)]
    Table(#[from] TableError),

    /// The file of traces breaks a rule.
    #[error("traces {}: {problem}", path.display())]
    InvalidTraces {
        /// The file.
        path: PathBuf,
        /// What is wrong and where.
        #[source]
        problem: TracesProblem,
    },
}

impl ScoreError {
    pub(super) fn invalid(path: &Path, problem: TracesProblem) -> Self {
        let path = path.to_owned();
        Self::InvalidTraces { path, problem }
    }
}

/// What is wrong with a file of traces, and where.
#[derive(Debug, thiserror::Error)]
pub enum TracesProblem {
    /// The file cannot be unpacked.
    #[error(transparent)]
    Container(#[from] ContainerError),

    /// A line is not CSV, or cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),

    /// A table of the sweep cannot be read again.
    #[error(transparent)]
    Table(#[from] TableError),

    /// The header lacks a column.
    #[error(
        "column {column} is missing: needed are {NEEDED}; columns are separated by commas, and these are there: {known}"
    )]
    MissingColumn {
        /// The column.
        column: &'static str,
        /// Those that are there.
        known: String,
    },

    /// The header has a column twice.
    #[error("column {0} is there twice")]
    DoubleColumn(String),

    /// The header has two columns for the name of the optimizer.
    #[error("there is a column optimizer and a column method, which mean the same: leave one out")]
    OptimizerTwice,

    /// The header has some hyperparameters of a table, but not all.
    #[error(
        "column {column} is missing: the table of black box `{blackbox}` has it, and a configuration is looked \
         up by all hyperparameters; leave all hp_ columns out to look values up alone"
    )]
    MissingHyperparameter {
        /// The column.
        column: String,
        /// The black box.
        blackbox: String,
    },

    /// The file has more lines than are read; this is the first one too many.
    #[error("line {0}: it has more than {MAX_RECORDED_LINES} lines, which is the most allowed")]
    TooManyLines(u64),

    /// There are more seeds than a sweep may have.
    #[error("it has {0} seeds, allowed are {MAX_SEEDS}")]
    TooManySeeds(usize),

    /// A line breaks a rule.
    #[error("line {line}: {problem}")]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        #[source]
        problem: LineProblem,
    },

    /// There is nothing below the header.
    #[error("it has no lines below its header")]
    NoLines,

    /// The iterations of the file count neither from 0 nor from 1, but from a later one.
    #[error("its least iteration is {0}: iterations must count from 0 or from 1")]
    LateStart(u32),

    /// A trace is not whole.
    #[error("{trace}: {problem}")]
    Trace {
        /// Black box, task, optimizer and seed.
        trace: String,
        /// What is wrong with it.
        #[source]
        problem: TraceProblem,
    },

    /// A trace is to go on from its best value so far when there is none.
    #[error(
        "line {line}: the first value of {trace} is {value}, which is in no table, so it cannot be \
         dropped: there is no best value yet to go on from; if the traces were recorded on another \
         table, --allow-foreign-values={blackbox} scores them as recorded"
    )]
    ForeignFirstValue {
        /// The line of the value.
        line: u64,
        /// Black box, task, optimizer and seed.
        trace: String,
        /// The value.
        value: f64,
        /// The black box.
        blackbox: String,
    },

    /// Two objectives follow from rows that are not known.
    #[error(
        "line {line}: black box {blackbox} has two objectives, which follow from the row: give every evaluation its row, or the \
         columns of the hyperparameters, and allow and drop no foreign values of {blackbox}"
    )]
    NoRows {
        /// The line of the first evaluation of a trace without.
        line: u64,
        /// The black box.
        blackbox: String,
    },

    /// Values are in no table, and the rules say neither to keep nor to drop them.
    #[error(
        "{foreign} of {total} values are not in the tables of the sweep file:{listing}\n\
         use --allow-foreign-values to score them as recorded, --drop-foreign-values to go on from \
         the best value before them; either takes names of black boxes: --allow-foreign-values=NAME"
    )]
    ForeignValues {
        /// Number of these values.
        foreign: usize,
        /// Number of all values.
        total: usize,
        /// The values with their lines, by task or trace, for people.
        listing: String,
    },
}

/// What is wrong with a line of a file of traces.
#[derive(Debug, thiserror::Error)]
pub enum LineProblem {
    /// A black box that the sweep file does not have.
    #[error("black box `{blackbox}` is not in the sweep, which has {known}")]
    UnknownBlackbox {
        /// The black box.
        blackbox: String,
        /// Those of the sweep file.
        known: String,
    },

    /// A task that is not a target of its black box.
    #[error("task `{task}` is not a target of black box `{blackbox}`, whose targets are {known}")]
    UnknownTask {
        /// The task.
        task: String,
        /// The black box.
        blackbox: String,
        /// Its targets.
        known: String,
    },

    /// A seed or an iteration is not a number in its range.
    #[error("{column} is `{text}`, expected a whole number from 0 to {most}")]
    NoWholeNumber {
        /// The column.
        column: &'static str,
        /// What is there.
        text: String,
        /// The largest number allowed.
        most: u32,
    },

    /// A value is not a number, or too large.
    #[error("value is `{0}`, expected a number of a magnitude up to {MAX_MAGNITUDE:e}")]
    NoValue(String),

    /// The seconds are not a number, or negative, or too large.
    #[error("seconds is `{0}`, expected a number from 0 to {MAX_MAGNITUDE:e}, or nothing")]
    NoSeconds(String),

    /// The table has fewer rows on the task.
    #[error("row is {row}, but task `{task}` has {rows} rows, counted from 0")]
    UnknownRow {
        /// The row.
        row: u32,
        /// The task.
        task: String,
        /// Number of its rows.
        rows: usize,
    },

    /// The table has no such configuration on the task.
    #[error("task `{task}` has no configuration with {configuration}")]
    UnknownConfiguration {
        /// The task.
        task: String,
        /// The beginning of the configuration.
        configuration: String,
    },

    /// The row and the configuration of a line are two.
    #[error("row is {said}, but the configuration is that of row {found}")]
    OtherRow {
        /// The row in the column `row`.
        said: u32,
        /// The row with the configuration.
        found: u32,
    },

    /// The table has another value for the configuration.
    #[error("value is {value}, but row {row} of task `{task}` has {known} in the table")]
    OtherValue {
        /// The recorded value.
        value: f64,
        /// The row.
        row: u32,
        /// The task.
        task: String,
        /// The value of the table.
        known: f64,
    },

    /// The name of an optimizer is empty or has too many bytes.
    #[error("the optimizer's name has {0} bytes, allowed are 1 to {MAX_NAME_BYTES}")]
    OptimizerName(usize),

    /// The name of an optimizer has a character that is not what it looks like.
    #[error("column `optimizer`: {0}")]
    Hazard(#[from] HazardousCharacter),

    /// There are more optimizers than can be compared; this is the first one too many.
    #[error("`{0}` is one optimizer too many, allowed are {MAX_OPTIMIZERS}")]
    TooManyOptimizers(String),
}

/// Why a recorded trace is not whole.
#[derive(Debug, thiserror::Error)]
pub enum TraceProblem {
    /// An iteration is there twice.
    #[error("line {line}: iteration {iteration} is there twice")]
    DoubleIteration {
        /// The iteration.
        iteration: u32,
        /// The line on which it is there again.
        line: u64,
    },

    /// An iteration is missing.
    #[error("iteration {iteration} is missing before line {line}")]
    MissingIteration {
        /// The iteration.
        iteration: u32,
        /// The line of the next one.
        line: u64,
    },

    /// A field is empty in some lines of a trace, but not in all.
    #[error(
        "line {line}: {column} is empty, and other lines of the trace have it: fill it in or leave it empty in all"
    )]
    EmptyField {
        /// The column.
        column: &'static str,
        /// The line.
        line: u64,
    },

    /// The trace is shorter than planned.
    #[error(
        "it has {found} iterations and ends at line {line}, but the sweep plans {planned}: \
         complete the trace or set iterations of the black box"
    )]
    TooShort {
        /// The number of its iterations.
        found: usize,
        /// The line of the last one.
        line: u64,
        /// The number that the sweep plans.
        planned: usize,
    },
}
