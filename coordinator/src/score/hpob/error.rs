//! Why recorded results of HPO-B cannot be scored.

use std::fmt;
use std::path::PathBuf;

use loto_engine::table::container::ContainerError;
use loto_proto::excerpt::excerpt;
use loto_proto::limits::{MAX_NAME_BYTES, MAX_OPTIMIZERS, MAX_RECORDED_LINES};
use loto_proto::untrusted_text::HazardousCharacter;

/// A trace in a file of results.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceInFile {
    /// Number of the search space on OpenML.
    pub search_space: String,
    /// Number of the data set, which is the task.
    pub data_set: String,
    /// Name of the repetition, for example `test0`.
    pub seed: String,
}

impl fmt::Display for PlaceInFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [space, data, seed] =
            [&self.search_space, &self.data_set, &self.seed].map(|name| excerpt(name));
        write!(
            formatter,
            "search space {space}, data set {data}, seed {seed}"
        )
    }
}

/// Why there are no scores of HPO-B results.
#[derive(Debug, thiserror::Error)]
pub enum HpobError {
    /// A file cannot be opened or read.
    #[error("cannot read {path}: {source}")]
    UnreadableFile {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },

    /// A file cannot be unpacked, or to more than is allowed.
    #[error("results {}: {source}", path.display())]
    Container {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: ContainerError,
    },

    /// A file is not JSON of the right form.
    #[error(
        "results {}: {source}; expected is {{\"search space\": {{\"data set\": {{\"seed\": [values]}}}}}}, \
         as in the results of HPO-B",
        path.display()
    )]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column.
        #[source]
        source: serde_json::Error,
    },

    /// A file has no trace.
    #[error("results {}: it has no values", .0.display())]
    NoValues(PathBuf),

    /// A value is no normalised accuracy.
    #[error(
        "results {}: {place}, value {number} is {value}, expected a number from 0 to 1: \
         HPO-B's values are scaled to the range of their task",
        path.display()
    )]
    Value {
        /// The file.
        path: PathBuf,
        /// The trace.
        place: Box<PlaceInFile>,
        /// Position of the value, counted from 0, which is the best of the initial configurations.
        number: usize,
        /// The value.
        value: f64,
    },

    /// A trace has too few values.
    #[error(
        "results {}: {place} has {found} values, but {needed} are needed to compare after {trials} \
         trials (the first is the best of the initial configurations): leave the file out{}",
        path.display(),
        or_earlier(*found),
        needed = trials + 1,
    )]
    ShortTrace {
        /// The file.
        path: PathBuf,
        /// The trace.
        place: Box<PlaceInFile>,
        /// Number of its values.
        found: usize,
        /// Number of trials after which methods are compared.
        trials: usize,
    },

    /// A file lacks a trace that another has.
    #[error(
        "results {}: {place} is missing, which {} has: methods are compared on the same traces",
        path.display(),
        other.display()
    )]
    MissingTrace {
        /// The file.
        path: PathBuf,
        /// The trace.
        place: Box<PlaceInFile>,
        /// The file that has it.
        other: PathBuf,
    },

    /// The name of a file, without its extension, is no name of a method.
    #[error(
        "results {}: the method is named as its file, and this name is empty, longer than \
         {MAX_NAME_BYTES} bytes or not UTF-8: rename the file",
        .0.display()
    )]
    MethodName(PathBuf),

    /// The name of a file has a character that is not what it looks like.
    #[error("results {path}: {source}")]
    Hazard {
        /// The file.
        path: PathBuf,
        /// The character.
        source: HazardousCharacter,
    },

    /// Two files have the same name, and methods are named as their files.
    #[error("results {} and {} have the same name, and methods are named as their files: rename one",
        first.display(), second.display())]
    SameMethod {
        /// A file.
        first: PathBuf,
        /// A later one.
        second: PathBuf,
    },

    /// There are too many files.
    #[error("there are {0} files, allowed are {MAX_OPTIMIZERS}")]
    TooManyMethods(usize),

    /// All files together have too many values.
    #[error(
        "results {}: with this file there are more than {MAX_RECORDED_LINES} values, which is the \
         most allowed",
        .0.display()
    )]
    TooManyValues(PathBuf),
}

/// What else may be done about a trace with so few values; of one or none nothing can be compared.
fn or_earlier(found: usize) -> String {
    match found {
        0 | 1 => String::new(),
        _ => format!(", or compare earlier with --trials {}", found - 1),
    }
}
