//! Why a sweep file cannot be planned.

use std::path::PathBuf;

use loto_engine::table::error::TableError;
use loto_engine::{EngineError, ImpossibleJob};
use loto_proto::limits::{MAX_ITERATIONS, MAX_PROGRAM_BYTES};
use loto_proto::message_error::MessageProblem;
use loto_proto::sweep_file::{ScaleProblem, SweepFile, SweepFileError, place};
use loto_statistics::hypervolume::MOST_ROWS;

use super::initial_problem::InitialProblem;
use crate::table_files::error::TableFileError;

/// Why there is no plan for a sweep file.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The sweep file cannot be read, or breaks a rule of its own.
    #[error(transparent)]
    SweepFile(#[from] SweepFileError),

    /// A table cannot be read, or is in a form that is not read.
    #[error(transparent)]
    TableFile(#[from] Box<TableFileError>),

    /// A file of an external method cannot be read.
    #[error("[external.{method}]: cannot read {}: {source}", path.display())]
    UnreadableProgram {
        /// Name of the method.
        method: String,
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// A table breaks a rule.
    #[error(transparent)]
    Table(#[from] EngineError),

    /// A table, or a file of first evaluations, is in none of the folders where they are looked for.
    #[error(
        "black box `{blackbox}`: {key} {name} is not there; looked at {}; \
         say with --data DIR or LOTO_DATA where the tables are",
        listed(places)
    )]
    FileNotFound {
        /// The black box that needs it.
        blackbox: String,
        /// The key of the sweep file that names it.
        key: &'static str,
        /// The file, as the sweep file names it.
        name: String,
        /// Every place looked at.
        places: Vec<PathBuf>,
    },

    /// The sweep file asks for what its tables or the methods do not have.
    #[error("{}: {problem}", place(path, *line))]
    InvalidSweep {
        /// The sweep file.
        path: PathBuf,
        /// The line, where there is one.
        line: Option<usize>,
        /// What does not fit.
        #[source]
        problem: SweepProblem,
    },
}

/// What in a sweep file does not fit its tables or the methods.
#[derive(Debug, thiserror::Error)]
pub enum SweepProblem {
    /// A black box cannot be run.
    #[error("black box `{blackbox}`: {problem}")]
    Blackbox {
        /// The black box.
        blackbox: String,
        /// Why not.
        #[source]
        problem: Box<BlackboxProblem>,
    },

    /// Two black boxes would share a trace, and their jobs be counted twice.
    #[error(
        "black boxes `{first}` and `{second}` are the same table with the same target \
         `{target}`: leave one of them out"
    )]
    SharedSeries {
        /// A black box.
        first: String,
        /// A later one.
        second: String,
        /// A target task of both.
        target: String,
    },

    /// An external method has the name of a method of loto.
    #[error("[external.{name}]: `{name}` is a method of loto: choose another name")]
    ExternalIsBuiltIn {
        /// The name.
        name: String,
    },

    /// The files of an external method are too large.
    #[error(
        "[external.{name}]: its files have more than {MAX_PROGRAM_BYTES} bytes, which is the most allowed"
    )]
    LargeProgram {
        /// Name of the method.
        name: String,
    },

    /// The sweep is larger than a sweep may be.
    #[error(transparent)]
    TooLarge(#[from] MessageProblem),
}

/// Why a black box cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum BlackboxProblem {
    /// No task is left to learn from.
    #[error(
        "table {table} has only one task; leaving one task out needs at least one other as a source"
    )]
    OneTask {
        /// The table.
        table: String,
    },

    /// The scales do not fit the columns of the table.
    #[error(transparent)]
    Scale(#[from] ScaleProblem),

    /// A task is named that the table does not have.
    #[error("{key}: task `{task}` is not in the table; {suggestion}")]
    UnknownTask {
        /// The key of the sweep file that names it.
        key: &'static str,
        /// The task.
        task: String,
        /// What may have been meant, and what there is.
        suggestion: String,
    },

    /// Every task of the table is a source.
    #[error("{key} leaves no target: take at least one task out of it")]
    NoTarget {
        /// The key of the sweep file that names the sources.
        key: &'static str,
    },

    /// A trace would need more rows than its target has.
    #[error(
        "iterations is {iterations}, but target `{target}` has only {} and each is \
         evaluated at most once: set iterations of the black box to at most {rows}{}",
        counted(*rows),
        match is_stream {
            true => "",
            false => " or put the task into sources_only",
        }
    )]
    TooFewRows {
        /// Number of evaluations in a trace.
        iterations: u32,
        /// The target task.
        target: String,
        /// The number of its rows.
        rows: usize,
        /// Whether the tasks are a stream, of which none can be a source only.
        is_stream: bool,
    },

    /// A task of a stream would be no source of later ones.
    #[error(
        "iterations is 1, but protocol = \"stream\" needs at least 2 evaluations on each task, so that later tasks can \
         learn from it"
    )]
    ShortStream,

    /// There are more objectives than statistics know.
    #[error(
        "objectives: {0} are listed, but at most 2 can be compared by their hypervolume: leave the others out"
    )]
    ManyObjectives(usize),

    /// A task with two objectives is too large for the exact expectation of random search.
    #[error(
        "task `{task}` has {rows} rows, but with two objectives a task may have at most {MOST_ROWS}: give the table fewer rows, or \
         declare one objective"
    )]
    LargeTask {
        /// The task.
        task: String,
        /// Number of its rows.
        rows: usize,
    },

    /// A trace over all tasks of a stream would have too many values.
    #[error(
        "{evaluations} evaluations in a stream (iterations times tasks) times {objectives} objectives are more values than \
         a trace may have, {MAX_ITERATIONS}: lower iterations"
    )]
    LongStream {
        /// Iterations times tasks.
        evaluations: u64,
        /// How many objectives there are.
        objectives: u64,
    },

    /// A column is named that the table does not have.
    #[error("{problem}")]
    Declaration {
        /// The key of the sweep file that names it.
        key: &'static str,
        /// The column, what may have been meant, and what there is.
        #[source]
        problem: Box<TableError>,
    },

    /// The column of costs is not what it should be.
    #[error("cost: {0}")]
    Costs(#[source] Box<TableError>),

    /// The file of first evaluations is not what it should be.
    #[error("initial: {path}{problem}", path = path.display())]
    Initial {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        problem: InitialProblem,
    },

    /// A job has no first evaluations, though others have.
    #[error(
        "initial: there are no first evaluations of target `{target}` with seed {seed}: add them to the file, or \
         take the target or the seed out of the sweep"
    )]
    NoInitialRows {
        /// The target task.
        target: String,
        /// The seed.
        seed: u32,
    },

    /// There are more first evaluations than evaluations.
    #[error(
        "initial: there are {rows} first evaluations of target `{target}` with seed {seed}, and iterations is \
         {iterations}: a trace has to be longer, so that a method chooses something"
    )]
    TooManyInitialRows {
        /// The target task.
        target: String,
        /// The seed.
        seed: u32,
        /// The number of its first evaluations.
        rows: usize,
        /// Number of evaluations in a trace.
        iterations: u32,
    },

    /// There is no method of that id.
    #[error("{problem}; a program of your own needs a section [external.NAME]")]
    UnknownMethod {
        /// The name that is listed.
        name: String,
        /// The id, and those there are.
        #[source]
        problem: EngineError,
    },

    /// A parameter of a method is not known, or the method does not run under the protocol of the black box.
    #[error("{problem}")]
    Method {
        /// The name that is listed.
        name: String,
        /// What is wrong.
        #[source]
        problem: EngineError,
    },

    /// The name of a method is the id of another one.
    #[error(
        "[[method]] `{name}` has the id `{id}`, but its name is the id of another method: choose \
         another name"
    )]
    TakenName {
        /// The name.
        name: String,
        /// The id.
        id: String,
    },

    /// Two methods would have the same traces.
    #[error(
        "`{first}` and `{second}` are both the method `{id}` with the same parameters: leave one of \
         them out, or give them different parameters"
    )]
    SameMethod {
        /// A name.
        first: String,
        /// A later one.
        second: String,
        /// The method's id.
        id: String,
    },

    /// Some of the methods cannot run on the black box.
    #[error("{problem}; or {}", own_methods(suitable))]
    UnsuitableMethods {
        /// Names of the black box's methods that can run on it.
        suitable: Vec<String>,
        /// Why the first of the others cannot, and what to do about it.
        #[source]
        problem: UnsuitableMethod,
    },
}

/// Why a method cannot run on a black box, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum UnsuitableMethod {
    /// It does not search its kind of hyperparameters, needs features of the tasks that are not declared, is made for another number
    /// of objectives, or does not run on streams of tasks.
    #[error(transparent)]
    Method(#[from] EngineError),

    /// It learns from sources, and a task has a single row; or it is a program, and the tasks are a stream.
    #[error(transparent)]
    Job(#[from] ImpossibleJob),
}

/// What to do about methods that cannot run on a black box, given those that can.
fn own_methods(suitable: &[String]) -> String {
    if suitable.is_empty() {
        return "give this black box its own `methods`: none that it has now can run on it"
            .to_owned();
    }
    format!(
        "give this black box its own `methods`, those that can run on it: methods = {suitable:?}"
    )
}

impl BlackboxProblem {
    /// The line of the sweep file that is to be changed: one of a method's section, or one of the black box at `position`.
    pub(super) fn line(&self, file: &SweepFile, position: usize) -> Option<usize> {
        let of_method = match self {
            Self::UnknownMethod { name, .. } => file.line_of_method(name, "id"),
            Self::Method { name, problem } => problem
                .parameter()
                .and_then(|parameter| file.line_of_method(name, parameter)),
            Self::TakenName { name, .. } => file.line_of_method(name, "name"),
            _ => None,
        };
        of_method.or_else(|| file.line_of_blackbox(position, self.key()))
    }

    /// The key of the black box that is to be changed.
    fn key(&self) -> &'static str {
        match self {
            Self::OneTask { .. } => "table",
            Self::Scale(_) => "scales",
            Self::UnknownTask { key, .. }
            | Self::NoTarget { key }
            | Self::Declaration { key, .. } => key,
            Self::ManyObjectives(_) => "objectives",
            Self::LargeTask { .. } => "table",
            Self::Costs(_) => "cost",
            Self::TooFewRows { .. } | Self::ShortStream | Self::LongStream { .. } => "iterations",
            Self::Initial { .. } | Self::NoInitialRows { .. } | Self::TooManyInitialRows { .. } => {
                "initial"
            }
            Self::UnknownMethod { .. }
            | Self::Method { .. }
            | Self::UnsuitableMethods { .. }
            | Self::TakenName { .. }
            | Self::SameMethod { .. } => "methods",
        }
    }
}

fn counted(rows: usize) -> String {
    match rows {
        1 => "1 row".to_owned(),
        _ => format!("{rows} rows"),
    }
}

fn listed(places: &[PathBuf]) -> String {
    let places = places.iter().map(|place| place.display().to_string());
    places.collect::<Vec<_>>().join(", ")
}
