//! Why bytes from the queue or the store are not a message of this protocol.

use std::fmt;
use std::str::Utf8Error;

use crate::excerpt::excerpt;
use crate::identity::{Fingerprint, InvalidIdentifier, ProgramId, SweepId};
use crate::limits::MAX_NAME_BYTES;

/// Bytes are not the message that they should be.
#[derive(Debug, thiserror::Error)]
#[error("{kind} is not valid: {problem}{}", kind.cure())]
pub struct MessageError {
    /// What they should be.
    pub kind: MessageKind,
    /// Why they are not.
    #[source]
    pub problem: MessageProblem,
}

/// A kind of message, for error texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    /// A job on the queue.
    Job,
    /// The plan of a sweep.
    Sweep(SweepId),
    /// A table file with its declarations.
    Table(Fingerprint),
    /// The program of an external method.
    Program(ProgramId),
    /// The outcome of a job.
    Trace,
    /// The record of a job's attempts.
    Attempt,
    /// What a worker tells of itself.
    Heartbeat,
}

impl MessageKind {
    pub(crate) fn refuses(self, problem: MessageProblem) -> MessageError {
        MessageError {
            kind: self,
            problem,
        }
    }

    fn cure(self) -> &'static str {
        match self {
            Self::Table(_) | Self::Program(_) => {
                "; if a newer release of loto submitted the sweep, update this one; \
                 if not, `loto submit` or `loto run` with the sweep file replaces it"
            }
            _ => "",
        }
    }
}

impl fmt::Display for MessageKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job => formatter.write_str("queue message"),
            Self::Sweep(id) => write!(formatter, "sweep {id} in the store"),
            Self::Table(id) => write!(formatter, "blob {} in the store", id.blob_name()),
            Self::Program(id) => write!(formatter, "blob {} in the store", id.blob_name()),
            Self::Trace => formatter.write_str("trace"),
            Self::Attempt => formatter.write_str("attempt"),
            Self::Heartbeat => formatter.write_str("heartbeat"),
        }
    }
}

/// What is wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum MessageProblem {
    /// There is more of something than a limit allows.
    #[error("it has {count} {what}, allowed are {most}")]
    TooMany {
        /// What is counted, for example "bytes".
        what: &'static str,
        /// How many there are.
        count: u64,
        /// How many are allowed.
        most: u64,
    },

    /// A name is empty or too long.
    #[error("{what} has {bytes} bytes, allowed are 1 to {MAX_NAME_BYTES}")]
    NameLength {
        /// What has the name.
        what: &'static str,
        /// How long it is.
        bytes: usize,
    },

    /// A part that every such message has is not there.
    #[error("it has no {0}")]
    Missing(&'static str),

    /// The bytes are not a Protobuf message of the expected type.
    #[error("{0}")]
    Protobuf(#[from] prost::DecodeError),

    /// The text is not JSON of the expected form.
    #[error("{}", excerpt(&.0.to_string()))]
    Json(#[from] serde_json::Error),

    /// The bytes are not text.
    #[error("{0}")]
    Text(#[from] Utf8Error),

    /// A field should hold an identifier.
    #[error("{0}")]
    Identifier(#[from] InvalidIdentifier),

    /// A column of a table has a scale that this release does not know.
    #[error("it has a column of scale `{0}`, which is not known")]
    UnknownScale(String),

    /// The path of a program's file leads out of its folder.
    #[error("it has a file `{0}`, whose path leads out of the program's folder")]
    PathOutside(String),

    /// A rule or a deadline of a program is none that this release knows.
    #[error("its {what} is {value}, which is not known")]
    UnknownValue {
        /// Which one.
        what: &'static str,
        /// Its value.
        value: u64,
    },

    /// A heartbeat does not begin with its number.
    #[error("it does not begin with a number")]
    NoNumber,

    /// A trace's list in short form cannot be unpacked, or its long form is there, too.
    #[error("its packed {0} are damaged")]
    DamagedList(&'static str),

    /// A trace's lists have different lengths.
    #[error("{rows} rows, {values} values and {times} times")]
    UnequalLists {
        /// Number of rows.
        rows: usize,
        /// Number of values.
        values: usize,
        /// Number of times.
        times: usize,
    },

    /// A trace has not the same number of further values for each of its rows.
    #[error(
        "{rows} rows and {further} values of further objectives, which are not as many for each row"
    )]
    FurtherValues {
        /// Number of rows.
        rows: usize,
        /// Number of values of further objectives.
        further: usize,
    },

    /// A value of a trace is infinite or not a number.
    #[error("iteration {iteration} has the value {value}")]
    NotFinite {
        /// Where it is, counted from 1.
        iteration: usize,
        /// The value.
        value: f64,
    },

    /// A black box of a sweep is not valid.
    #[error("black box `{name}`: {problem}")]
    Blackbox {
        /// Its name.
        name: String,
        /// What is wrong with it.
        #[source]
        problem: Box<MessageProblem>,
    },

    /// A stored value has the checksum of another value, or of another key.
    #[error(
        "its checksum is of another value: it was changed, or put here in the place of another"
    )]
    OtherChecksum,

    /// The content does not have the hash that is its name.
    #[error("its {what} hash to {found}")]
    OtherHash {
        /// What is hashed.
        what: &'static str,
        /// The identifier of what was found.
        found: String,
    },
}

/// Refuses more of something than is allowed.
pub(crate) fn check_count(what: &'static str, count: u64, most: u64) -> Result<(), MessageProblem> {
    if count > most {
        return Err(MessageProblem::TooMany { what, count, most });
    }
    Ok(())
}

/// Refuses a name that is empty or too long.
pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), MessageProblem> {
    let bytes = name.len();
    if bytes == 0 || bytes > MAX_NAME_BYTES {
        return Err(MessageProblem::NameLength { what, bytes });
    }
    Ok(())
}
