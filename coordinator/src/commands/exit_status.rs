//! How the process ends: the one place where errors become an exit status.

use std::process::ExitCode;

use loto_proto::ProtoError;
use loto_worker::WorkerError;

use crate::CoordinatorError;

/// How the process ends, for scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything asked for was done.
    Done = 0,
    /// A job or a run failed.
    Failed = 1,
    /// The input was wrong: an option, a file, an address, a damaged value.
    WrongInput = 2,
    /// Stopped by Ctrl-C or SIGTERM; the shell's 128 + SIGINT.
    Interrupted = 130,
}

impl ExitStatus {
    /// The exit status of a command that ends with `error`.
    pub fn of(error: &CoordinatorError) -> Self {
        match error {
            CoordinatorError::Proto(error)
            | CoordinatorError::Worker(WorkerError::Proto(error)) => match error {
                ProtoError::Conflict { .. } => Self::Failed,
                _ => Self::WrongInput,
            },
            CoordinatorError::Worker(
                WorkerError::ImpossibleJob(_) | WorkerError::LinearAlgebra { .. },
            )
            | CoordinatorError::GaveUp { .. }
            | CoordinatorError::RunFailed(_)
            | CoordinatorError::Internal(_) => Self::Failed,
            CoordinatorError::Interrupted(_) => Self::Interrupted,
            _ => Self::WrongInput,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}
