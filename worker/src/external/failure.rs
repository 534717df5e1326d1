//! What is told of a program that failed.

use std::fmt;

use loto_engine::external::caller::ProposalProblem;
use loto_proto::excerpt::{excerpt, excerpt_of};

use super::pipes::PipeProblem;

/// Most characters of the last line of a standard error that are shown.
const SHOWN_CHARACTERS: usize = 200;

/// A program failed. Displayed, it names the program, the message that it failed at and its last words.
#[derive(Debug, thiserror::Error)]
#[error(
    "external method `{method}` ({command}), at {step}: {problem}{}",
    said(last_words)
)]
pub(super) struct MethodFailure {
    pub(super) method: String,
    pub(super) command: String,
    pub(super) step: Step,
    #[source]
    pub(super) problem: MethodProblem,
    pub(super) last_words: String,
}

/// The message at which a program failed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    Message(&'static str),
    Iteration(usize),
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message(name) => write!(formatter, "message `{name}`"),
            Self::Iteration(iteration) => {
                write!(formatter, "message `next` of iteration {iteration}")
            }
        }
    }
}

/// How a program failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum MethodProblem {
    /// There is no answer.
    #[error("{0}")]
    Pipes(#[from] PipeProblem),
    /// It ended.
    #[error("it ended with {0}")]
    Ended(EndStatus),
    /// It ended without an error, and without an answer to the first message.
    #[error(
        "it ended with exit status 0 before it was ready: does it call loto.serve, or in another language read messages?"
    )]
    EndedUnready,
    /// It, or its guard, cannot be started.
    #[error("it cannot be started: {0}")]
    NotStarted(#[source] std::io::Error),
    /// What it may know of the table cannot be written.
    #[error("cannot write the table for it: {0}")]
    NotHandedOver(#[source] std::io::Error),
    /// A message to it cannot be written as JSON.
    #[error("the message cannot be written: {0}")]
    Unwritable(#[source] serde_json::Error),
    /// Its line is no answer.
    #[error("it answered `{line}`, which is no message of loto-method/1: {source}")]
    NoAnswer {
        /// The line, which may be cut.
        line: String,
        /// Why not.
        source: serde_json::Error,
    },
    /// It gave an answer to another message.
    #[error("it answered with message `{found}`, expected was {expected}")]
    OtherAnswer {
        /// The message that came.
        found: &'static str,
        /// The messages that may come.
        expected: &'static str,
    },
    /// It answered for another iteration.
    #[error("it answered for iteration {0}")]
    OtherIteration(usize),
    /// It speaks another version of the protocol.
    #[error("it chose version {0} of the protocol, this loto speaks 1")]
    OtherProtocol(u32),
    /// It does not search spaces of this kind.
    #[error("it searches only spaces whose hyperparameters are all categorical: {0} is numeric")]
    UnsuitableSpace(String),
    /// It takes one objective only.
    #[error(
        "it is for one objective, and there are {0}; a program that takes several says so in its message `ready`: \
         \"objectives\":\"several\""
    )]
    OneObjective(usize),
    /// It does not take a parameter.
    #[error("it has no parameter `{name}`, only {known}")]
    UnknownParameter {
        /// The parameter.
        name: String,
        /// Those that it takes.
        known: String,
    },
    /// It reported an error of its own.
    #[error("it reported: {message}", message = excerpt_of(message, SHOWN_CHARACTERS))]
    Reported {
        /// What it says of it.
        message: String,
        /// Where in the program that was; may be empty.
        traceback: String,
    },
    /// It failed before.
    #[error("it failed before")]
    Gone,
    /// Its proposal cannot be evaluated.
    #[error("{0}")]
    Proposal(#[from] ProposalProblem),
}

/// How a program ended, as its guard tells it.
#[derive(Debug, Clone, Copy)]
pub(super) enum EndStatus {
    Code(i32),
    Signal(i32),
    Unknown,
}

impl fmt::Display for EndStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(formatter, "exit status {code}"),
            Self::Signal(9) => {
                formatter.write_str("signal 9, as the system does when memory runs out")
            }
            Self::Signal(signal) => write!(formatter, "signal {signal}"),
            Self::Unknown => formatter.write_str("an unknown status"),
        }
    }
}

/// The line that an answer was, for a message.
pub(super) fn shown(line: &[u8]) -> String {
    excerpt(String::from_utf8_lossy(&line[..line.len().min(1000)]).trim_end())
}

/// The last line of what a program wrote to its standard error, and the last place in a program that Python names there.
fn said(last_words: &str) -> String {
    let lines = || last_words.lines().rev().map(str::trim);
    let Some(last) = lines().find(|line| !line.is_empty()) else {
        return "; it wrote nothing to its standard error".to_owned();
    };
    let last = excerpt_of(last, SHOWN_CHARACTERS);
    match lines().find(|line| line.starts_with("File \"")) {
        Some(place) => {
            let place = excerpt_of(place, SHOWN_CHARACTERS);
            format!("; the end of its standard error: {last} ({place})")
        }
        None => format!("; the end of its standard error: {last}"),
    }
}
