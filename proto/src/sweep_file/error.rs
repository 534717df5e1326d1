//! What makes a text no sweep file.

use std::io;
use std::path::{Path, PathBuf};

use crate::limits::{
    MAX_BLACKBOXES, MAX_ITERATIONS, MAX_NAME_BYTES, MAX_PARAMETERS, MAX_SWEEP_FILE_BYTES,
};
use crate::untrusted_text::HazardousCharacter;

/// There is no sweep file, or it breaks a rule.
#[derive(Debug, thiserror::Error)]
pub enum SweepFileError {
    /// The file could not be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },

    /// The file breaks a rule.
    #[error("{}: {problem}", place(path, *line))]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The line, where there is one.
        line: Option<usize>,
        /// The rule, and where it is broken.
        #[source]
        problem: SweepFileProblem,
    },
}

/// The beginning of a message about a sweep file.
pub fn place(path: &Path, line: Option<usize>) -> String {
    let path = path.display();
    match line {
        Some(line) => format!("sweep file {path}, line {line}"),
        None => format!("sweep file {path}"),
    }
}

/// A rule that a sweep file breaks.
#[derive(Debug, thiserror::Error)]
pub enum SweepFileProblem {
    /// The file is too long.
    #[error("it has more than {MAX_SWEEP_FILE_BYTES} bytes, which is the most allowed")]
    TooLong,

    /// It has bytes that are no UTF-8, from that line on.
    #[error("it is not in UTF-8, as TOML has to be: save it in that encoding")]
    NotUtf8,

    /// It is no TOML, or has keys or types that a sweep file has not.
    #[error("{excerpt}")]
    Toml {
        /// The parser's message, short enough for a message of ours.
        excerpt: String,
        /// The whole of it.
        source: Box<toml::de::Error>,
    },

    /// There is no black box.
    #[error("there is no [[blackbox]]: add at least one")]
    NoBlackbox,

    /// There are too many black boxes.
    #[error("it has {0} black boxes, allowed are {MAX_BLACKBOXES}")]
    TooManyBlackboxes(usize),

    /// A section is for a method that is not used.
    #[error(
        "[method.{name}] is for a method that runs on no black box: \
         add `{name}` to methods, correct its name there, or take the section out (methods has {methods})"
    )]
    UnusedMethod {
        /// The name, which may be cut.
        name: String,
        /// Which methods run.
        methods: String,
    },

    /// A method has too many parameters.
    #[error("[method.{method}] sets {count} parameters, allowed are {MAX_PARAMETERS}")]
    TooManyParameters {
        /// Id of the method.
        method: String,
        /// How many it has.
        count: usize,
    },

    /// A name or a parameter is empty or has blanks alone.
    #[error("{0} is blank: write 1 to {MAX_NAME_BYTES} bytes")]
    Blank(String),

    /// A name or a parameter is too long; of a number all digits count.
    #[error("{what} has {bytes} bytes, allowed are 1 to {MAX_NAME_BYTES}")]
    NameLength {
        /// What it is.
        what: String,
        /// How long it is.
        bytes: usize,
    },

    /// A method would be given another value for a parameter than the sweep file has.
    #[error(
        "{what} is {value}, and the method would be given {given}: write a text that reads as neither a number nor true or \
         false, or a number that is finite and, if it is whole, at most 2^53"
    )]
    UnfaithfulParameter {
        /// Which parameter.
        what: String,
        /// Its value.
        value: String,
        /// What would become of it.
        given: String,
    },

    /// A text has a character that no terminal should be shown.
    #[error("line {line}, {key}: {hazard}")]
    Hazard {
        /// The line on which the text begins.
        line: usize,
        /// The key of the text.
        key: String,
        /// The character.
        #[source]
        hazard: HazardousCharacter,
    },

    /// A number is 0 or too large.
    #[error("{key} is {value}, allowed are 1 to {most}")]
    OutOfRange {
        /// Its key.
        key: &'static str,
        /// The number.
        value: u32,
        /// The largest one allowed.
        most: u32,
    },

    /// A list is too long.
    #[error("{key}: {count} are listed, allowed are {most}")]
    LongList {
        /// Its key.
        key: &'static str,
        /// How many entries it has.
        count: usize,
        /// How many are allowed.
        most: usize,
    },

    /// A list has an entry twice.
    #[error("{key}: `{name}` is listed twice")]
    Repeated {
        /// Its key.
        key: &'static str,
        /// The entry.
        name: String,
    },

    /// `categorical` is a word, but not the one there is.
    #[error("categorical is \"{0}\": write \"all\" or a list of hp_ columns")]
    UnknownWord(String),

    /// `features` is a word, but not the one there is.
    #[error("features is \"{0}\": write \"all\" or a list of columns")]
    UnknownFeatures(String),

    /// A column that is declared holds something else already.
    #[error("{key}: `{column}` is {holds} already: name another column")]
    TakenColumn {
        /// The key of the column.
        key: &'static str,
        /// The column.
        column: String,
        /// What it holds.
        holds: &'static str,
    },

    /// A scale is a word, but none that there is.
    #[error("scales: {column} is \"{word}\"; {suggestion}")]
    UnknownScale {
        /// The column or pattern.
        column: String,
        /// The word.
        word: String,
        /// What may have been meant, and which words there are.
        suggestion: String,
    },

    /// A pattern has a list of levels.
    #[error("scales: `{0}` has a list of levels: write it for each column by its full name")]
    LevelsOfPattern(String),

    /// A list of levels is too short to have an order.
    #[error(
        "scales: {0} lists fewer than two levels: list all levels of the column in their order"
    )]
    FewLevels(String),

    /// A black box has a list of targets without any.
    #[error("targets is empty: name at least one task or leave it out")]
    NoTargets,

    /// A black box has a list of sources without any.
    #[error("sources is empty: name at least one task or leave it out")]
    NoSources,

    /// A black box says in two ways which tasks are sources.
    #[error(
        "sources and sources_only are both there: with sources, no other task is a source, and \
         those are never targets; leave sources_only out"
    )]
    SourcesTwice,

    /// A stream chooses among the tasks of its table.
    #[error(
        "{0} cannot be with protocol = \"stream\": a stream has all tasks of its table as they arrive, and what a \
         method evaluated on earlier ones is all that it learns from; take one of the two out"
    )]
    ChoiceInStream(&'static str),

    /// The objective is a hyperparameter.
    #[error(
        "objective is `{0}`, which is a hyperparameter: name a column of measurements (metric_*)"
    )]
    HyperparameterObjective(String),

    /// A black box has no objective.
    #[error(
        "there is no objective: name the column of measurements to minimise, for example \
         objective = \"metric_error\", or several, objectives = [\"metric_error\", \"metric_latency\"]"
    )]
    NoObjective,

    /// A black box says in two ways what is minimised.
    #[error(
        "objective and objectives are both there: keep objective for a single column, or list all \
         columns in objectives"
    )]
    ObjectiveTwice,

    /// A list of several objectives has fewer than two.
    #[error(
        "objectives lists fewer than two columns: write objective = \"...\" for one, or list two or more"
    )]
    FewObjectives,

    /// Several objectives have a direction.
    #[error(
        "direction cannot be with objectives, all of which are minimised: take it out, and where large \
         values are good, give the table a column of their negatives"
    )]
    DirectionOfObjectives,

    /// A trace would have too many values.
    #[error(
        "{iterations} iterations times {objectives} objectives are more values than a trace may have, \
         {MAX_ITERATIONS}: lower iterations"
    )]
    ManyValues {
        /// Iterations of the black box.
        iterations: u32,
        /// How many objectives it has.
        objectives: u64,
    },

    /// A task is a target and never a target.
    #[error("`{task}` is both in targets and in {key}: take it out of one of them")]
    TargetAndSource {
        /// The key of the other list.
        key: &'static str,
        /// The task.
        task: String,
    },

    /// No method runs on a black box.
    #[error(
        "black box `{0}` has no methods: name at least one in the sweep's methods or \
         in its own, see `loto methods`"
    )]
    NoMethods(String),

    /// An external method breaks a rule.
    #[error("[external.{name}]: {problem}")]
    External {
        /// Its name, which may be cut.
        name: String,
        /// The rule.
        #[source]
        problem: Box<SweepFileProblem>,
    },

    /// An external method runs on no black box.
    #[error(
        "it runs on no black box: add `{name}` to methods, correct its name there, or take the section out (methods has {methods})"
    )]
    UnusedExternal {
        /// Its name, which may be cut.
        name: String,
        /// Which methods run.
        methods: String,
    },

    /// An external method has no command.
    #[error(
        "command is empty: write the program and its arguments, for example [\"python3\", \"mine.py\"]"
    )]
    NoCommand,

    /// Nothing tells one version of an external method from the next.
    #[error(
        "there are neither files nor a version: list the files that the method consists of, or give \
         a version that you raise whenever its traces change"
    )]
    NoFiles,

    /// A file of an external method does not lie beside the sweep file or below.
    #[error("files: `{0}` must be a path below the folder of the sweep file, without `..`")]
    FileOutside(String),

    /// A black box breaks a rule.
    #[error("black box `{name}`: {problem}")]
    Blackbox {
        /// Its name.
        name: String,
        /// The rule.
        #[source]
        problem: Box<SweepFileProblem>,
    },
}

impl SweepFileProblem {
    /// The key at the top or of the black box that is to be changed, if there is one.
    pub(super) fn key(&self) -> Option<&str> {
        match self {
            Self::TooLong
            | Self::NotUtf8
            | Self::Toml { .. }
            | Self::Hazard { .. }
            | Self::NoBlackbox => None,
            Self::TooManyBlackboxes(_) => Some("blackbox"),
            Self::UnusedMethod { .. } | Self::TooManyParameters { .. } => Some("method"),
            Self::Blank(what)
            | Self::NameLength { what, .. }
            | Self::UnfaithfulParameter { what, .. } => {
                Some(match what.strip_prefix("[[blackbox]] ") {
                    Some(key) => key,
                    None if what.starts_with("[method.") => "method",
                    None if what.ends_with(" in scales") => "scales",
                    None if what.ends_with("[[method]]") => "method",
                    None => what,
                })
            }
            Self::OutOfRange { key, .. } => Some(key),
            Self::LongList { key, .. } | Self::Repeated { key, .. } => Some(match *key {
                "the names of the black boxes" => "blackbox",
                "the names of [[method]]" => "method",
                key if key.starts_with("scales") => "scales",
                key => key,
            }),
            Self::UnknownWord(_) => Some("categorical"),
            Self::UnknownFeatures(_) => Some("features"),
            Self::TakenColumn { key, .. } => Some(key),
            Self::UnknownScale { .. } | Self::LevelsOfPattern(_) | Self::FewLevels(_) => {
                Some("scales")
            }
            Self::NoTargets => Some("targets"),
            Self::ChoiceInStream(key) => Some(key),
            Self::NoSources => Some("sources"),
            Self::SourcesTwice => Some("sources_only"),
            Self::HyperparameterObjective(_) | Self::NoObjective => Some("objective"),
            Self::ObjectiveTwice | Self::FewObjectives => Some("objectives"),
            Self::DirectionOfObjectives => Some("direction"),
            Self::ManyValues { .. } => Some("iterations"),
            Self::TargetAndSource { key, .. } => Some(key),
            Self::NoMethods(_) => Some("methods"),
            Self::External { .. }
            | Self::UnusedExternal { .. }
            | Self::NoCommand
            | Self::NoFiles
            | Self::FileOutside(_) => Some("external"),
            Self::Blackbox { problem, .. } => problem.key(),
        }
    }
}
