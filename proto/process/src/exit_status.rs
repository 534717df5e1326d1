//! How a process ends.

use std::process::ExitCode;

use loto_transport::TransportError;

use crate::ProcessError;

/// How a process ends, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything asked for was done.
    Done = 0,
    /// A job or a run failed.
    Failed = 1,
    /// The input was wrong: an option, a file, an address, a damaged value.
    WrongInput = 2,
    /// The time that a batch system gave the process is up, and there is work left: the same command goes on. The number is that of
    /// `EX_TEMPFAIL` in sysexits.h.
    TimeIsUp = 75,
    /// The process was stopped by Ctrl-C or SIGTERM; the number is the shell's 128 + SIGINT.
    Interrupted = 130,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

impl From<&TransportError> for ExitStatus {
    /// A server that is not there and a value that is damaged are wrong input,
    /// two outcomes of one job are not.
    fn from(error: &TransportError) -> Self {
        match error {
            TransportError::Conflict { .. } => Self::Failed,
            _ => Self::WrongInput,
        }
    }
}

impl From<&ProcessError> for ExitStatus {
    fn from(error: &ProcessError) -> Self {
        match error {
            ProcessError::CannotStart { .. } => Self::Failed,
            ProcessError::Endpoint { .. } => Self::WrongInput,
            ProcessError::Transport(error) => error.into(),
        }
    }
}
