//! What makes a text no sweep file.

use std::io;
use std::path::PathBuf;

use crate::limits::{MAX_BLACKBOXES, MAX_NAME_BYTES, MAX_PARAMETERS, MAX_SWEEP_FILE_BYTES};

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
    #[error("sweep file {path}: {problem}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The rule, and where it is broken.
        #[source]
        problem: SweepFileProblem,
    },
}

/// A rule that a sweep file breaks.
#[derive(Debug, thiserror::Error)]
pub enum SweepFileProblem {
    /// The file is too long.
    #[error("it has more than {MAX_SWEEP_FILE_BYTES} bytes, which is the most allowed")]
    TooLong,

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

    /// A section is for a method that is not used; the method's id may be cut.
    #[error(
        "[method.{0}] sets parameters of a method that runs on no black box: \
         add it to methods or take the section out"
    )]
    UnusedMethod(String),

    /// A method has too many parameters.
    #[error("[method.{method}] sets {count} parameters, allowed are {MAX_PARAMETERS}")]
    TooManyParameters {
        /// Id of the method.
        method: String,
        /// How many it has.
        count: usize,
    },

    /// A name is blank or too long.
    #[error("{0} must have 1 to {MAX_NAME_BYTES} characters")]
    NameLength(String),

    /// A name has characters that no terminal should be shown.
    #[error("{0} must not have control characters")]
    ControlCharacters(String),

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

    /// A black box has a list of targets without any.
    #[error("targets is empty: name at least one task or leave it out")]
    NoTargets,

    /// A task is a target and never a target.
    #[error("`{0}` is both in targets and in sources_only")]
    TargetAndSource(String),

    /// No method runs on a black box.
    #[error(
        "black box `{0}` has no methods: name at least one in the sweep's methods or \
         in its own, see `loto methods`"
    )]
    NoMethods(String),

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
