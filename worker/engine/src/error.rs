//! The one error type of this crate.

use loto_proto::identity::{Fingerprint, ProgramId};
use loto_proto::message_error::MessageError;

use crate::blobs::BlobError;
use crate::program_error::ProgramError;
use crate::table::error::TableError;

/// What can go wrong while a job is run.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A table breaks a rule.
    #[error(transparent)]
    Table(#[from] TableError),

    /// A method id that no method has.
    #[error("unknown method `{id}`; {suggestion}")]
    UnknownMethod {
        /// The id asked for.
        id: String,
        /// The id that may be meant, and those there are.
        suggestion: String,
    },

    /// A job sets a parameter that its method does not have, or to a value it does not take.
    #[error("method `{method}`: {source}")]
    InvalidParameter {
        /// The method's id.
        method: String,
        /// What is wrong with which parameter, and what it takes.
        source: ParameterError,
    },

    /// A method on a space that it is not made for.
    #[error(
        "method `{method}` searches only spaces whose hyperparameters are all categorical, and {hyperparameter} is \
         taken as numeric: list it under `categorical` if it is not"
    )]
    UnsuitableSpace {
        /// The method's id.
        method: String,
        /// A hyperparameter that is in the way.
        hyperparameter: String,
    },

    /// A method for two objectives, on a table with another number of them.
    #[error(
        "method `{method}` is for two objectives, and there {}: list two columns, \
         objectives = [\"metric_...\", \"metric_...\"]", in_words(*found)
    )]
    OtherObjectives {
        /// The method's id.
        method: String,
        /// How many objectives there are.
        found: usize,
    },

    /// A method that compares tasks by their features, on a table that has none.
    #[error(
        "method `{method}` compares tasks by their features: below the [[blackbox]] write features = \"all\" for the \
         dataset_* columns of its table, or list columns"
    )]
    NoFeatures {
        /// The method's id.
        method: String,
    },

    /// A method that is to run on a stream of tasks, and it is not known what takes its place while there is no source.
    #[error(
        "method `{method}` is not known to run on a stream of tasks: nothing is named that takes its place on the first \
         one, which has no source"
    )]
    NotOnStreams {
        /// The method's id.
        method: String,
    },

    /// A job for another version of a method than this program has.
    #[error(
        "method `{method}`: the job is for version {wanted}, this program has version {available}; \
         run workers and coordinator of the same release"
    )]
    OtherVersion {
        /// The method's id.
        method: String,
        /// The version the job is for.
        wanted: u32,
        /// The version there is.
        available: u32,
    },

    /// A job cannot be run as it stands: its task is not in the table, say.
    #[error("job cannot be run: {0}")]
    ImpossibleJob(#[from] ImpossibleJob),

    /// A matrix that has to be positive definite is not, in floating point.
    #[error("{routine} failed: the matrix is not positive definite (info {info})")]
    LinearAlgebra {
        /// The LAPACK routine, or the engine's own factorisation.
        routine: &'static str,
        /// The order of the leading minor that is not positive.
        info: i32,
    },

    /// A fit in the store is damaged.
    #[error(
        "{name} in the store is corrupt: expected {count} finite numbers in {bytes} bytes with the \
         checksum of this name; \
         delete it to have it made again"
    )]
    CorruptFit {
        /// Name of the fit in the store.
        name: String,
        /// How many numbers it should have.
        count: usize,
        /// How many bytes those take.
        bytes: usize,
    },

    /// A job asks for a table that is not in the store.
    #[error("table {0} is not in the store; submit the sweep again to upload it")]
    MissingTable(Fingerprint),

    /// A job asks for the program of an external method that is not in the store.
    #[error("program {0} is not in the store; submit the sweep again to upload it")]
    MissingProgram(ProgramId),

    /// The program of an external method failed.
    #[error(transparent)]
    Program(#[from] ProgramError),

    /// A job of an external method came to where no program is started.
    #[error("method `{id}` is a program, and none is started here")]
    NoPrograms {
        /// The method's id.
        id: String,
    },

    /// The bytes in the store are not those of a table or a program.
    #[error(transparent)]
    Message(#[from] MessageError),

    /// The store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
}

impl EngineError {
    /// What a program said of its failure; empty if no program failed, or it said nothing.
    pub fn details(&self) -> &str {
        match self {
            Self::Program(error) => &error.details,
            _ => "",
        }
    }

    /// The parameter of a method that is wrong; `None` for other errors.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::InvalidParameter { source, .. } => Some(source.parameter()),
            _ => None,
        }
    }

    /// Whether another release of the program can run the job: it knows the method, or has the version.
    pub fn is_of_another_release(&self) -> bool {
        matches!(self, Self::UnknownMethod { .. } | Self::OtherVersion { .. })
    }
}

/// Why a job cannot be run as it stands.
#[derive(Debug, thiserror::Error)]
pub enum ImpossibleJob {
    /// The table lacks the job's task.
    #[error("the table has no task `{task}`")]
    UnknownTask {
        /// The task the job names.
        task: String,
    },

    /// The job asks for more evaluations than there are rows.
    #[error("{iterations} iterations, but task `{task}` has {rows} rows")]
    TooManyIterations {
        /// Evaluations asked for.
        iterations: usize,
        /// The job's task.
        task: String,
        /// Number of its rows.
        rows: usize,
    },

    /// A method that transfers is to run on a target without any source.
    #[error("task `{task}` has no source task: there is nothing to transfer from")]
    NoSources {
        /// The task.
        task: String,
    },

    /// The tasks of the table are a stream, and the job is for one of them.
    #[error(
        "the tasks of the table are a stream: a job tunes all of them, not task `{task}` alone"
    )]
    TaskOfStream {
        /// The task the job names.
        task: String,
    },

    /// The evaluations of a stream do not spread evenly over its tasks.
    #[error("{iterations} iterations do not spread evenly over the {tasks} tasks of a stream")]
    UnevenStream {
        /// Evaluations asked for, on all tasks together.
        iterations: usize,
        /// Number of tasks.
        tasks: usize,
    },

    /// An external method is to run on a stream.
    #[error("method `{id}` is a program, and programs do not run on streams of tasks")]
    ProgramOnStream {
        /// The method's id, which may be cut.
        id: String,
    },

    /// A source has too few rows to be transformed.
    #[error("source task `{task}` has 1 row, a source needs at least 2: leave it out of the table")]
    SmallSource {
        /// The source.
        task: String,
    },

    /// A prior does not predict the rows of its task.
    #[error("task `{task}` has {rows} rows, its prior predicts {predicted}")]
    OtherRows {
        /// The task.
        task: String,
        /// Number of its rows.
        rows: usize,
        /// Number of predictions.
        predicted: usize,
    },

    /// The method chose a row that does not exist or is evaluated already.
    #[error("the method chose row {row}, which is not a candidate")]
    NotACandidate {
        /// The row.
        row: u32,
    },

    /// A row that is to be evaluated first does not exist or is there twice.
    #[error("row {row} is to be evaluated first, and is not there or is there twice")]
    NotAnInitialRow {
        /// The row.
        row: u32,
    },

    /// The program of the job is not the one that its method is named by.
    #[error("method `{id}` is another program than the one in the store")]
    OtherProgram {
        /// The method's id, which may be cut.
        id: String,
    },

    /// A search found no row to evaluate; a message says why.
    #[error("{0}")]
    NoRow(&'static str),
}

/// What is wrong with a parameter of a job.
#[derive(Debug, thiserror::Error)]
pub enum ParameterError {
    /// The method has no parameters.
    #[error("it has no parameter `{name}`; it has none at all")]
    NoParameters {
        /// The parameter that the job sets.
        name: String,
    },

    /// The method has other parameters.
    #[error("it has no parameter `{name}`, only {known}")]
    UnknownParameter {
        /// The parameter that the job sets.
        name: String,
        /// The parameters there are.
        known: String,
    },

    /// The value is out of range, or a number not in its one spelling.
    #[error("{name} is `{text}`, allowed are {allowed}")]
    InvalidValue {
        /// The parameter.
        name: &'static str,
        /// Its value in the job.
        text: String,
        /// The values it takes.
        allowed: String,
    },
}

impl ParameterError {
    fn parameter(&self) -> &str {
        match self {
            Self::NoParameters { name } | Self::UnknownParameter { name, .. } => name,
            Self::InvalidValue { name, .. } => name,
        }
    }
}

/// So many objectives, in words.
fn in_words(objectives: usize) -> String {
    match objectives {
        1 => "is one".to_owned(),
        several => format!("are {several}"),
    }
}
