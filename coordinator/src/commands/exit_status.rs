//! How the process ends: the one place where errors become an exit status.

use std::process::ExitCode;

use loto_engine::EngineError;
use loto_transport::TransportError;
use loto_worker::WorkerError;

use super::error::CommandError;
use crate::CoordinatorError;
use crate::dispatch::DispatchError;
use crate::embedded::EmbeddedError;
use crate::plan::PlanError;

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
    pub(super) fn of(error: &CommandError) -> Self {
        use CommandError::*;
        match error {
            Transport(error) => Self::of_transport(error),
            Engine(error) => Self::of_engine(error),
            Dispatch(error) => Self::of_dispatch(error),
            Embedded(error) => Self::of_embedded(error),
            Coordinator(CoordinatorError::Transport(error)) => Self::of_transport(error),
            Coordinator(CoordinatorError::Engine(error)) | Plan(PlanError::Table(error)) => {
                Self::of_engine(error)
            }
            RunInterrupted { .. } => Self::Interrupted,
            Coordinator(CoordinatorError::ThreadDied { .. }) | CannotStart { .. } => Self::Failed,
            Plan(_)
            | Score(_)
            | Coordinator(_)
            | Report(_)
            | Statistics(_)
            | UnknownSweep { .. }
            | AmbiguousSweep { .. }
            | LostSweep(_)
            | Endpoint(_)
            | InvalidLogFilter { .. }
            | UnwritableOutput(_) => Self::WrongInput,
        }
    }

    fn of_embedded(error: &EmbeddedError) -> Self {
        match error {
            EmbeddedError::Dispatch(error) => Self::of_dispatch(error),
            EmbeddedError::Transport(error)
            | EmbeddedError::Worker(WorkerError::Transport(error)) => Self::of_transport(error),
            EmbeddedError::Engine(error) | EmbeddedError::Worker(WorkerError::Engine(error)) => {
                Self::of_engine(error)
            }
            EmbeddedError::RefusedTraces { .. } => Self::Failed,
            EmbeddedError::Worker(_)
            | EmbeddedError::FolderInUse(_)
            | EmbeddedError::UnwritableFolder { .. } => Self::WrongInput,
        }
    }

    fn of_dispatch(error: &DispatchError) -> Self {
        match error {
            DispatchError::Transport(error) => Self::of_transport(error),
            DispatchError::TableChanged { .. } => Self::WrongInput,
            DispatchError::Interrupted(_) => Self::Interrupted,
            DispatchError::Cancelled(_)
            | DispatchError::Unfinished(_)
            | DispatchError::Poisoned { .. }
            | DispatchError::Conflicts(_) => Self::Failed,
        }
    }

    fn of_engine(error: &EngineError) -> Self {
        match error {
            EngineError::ImpossibleJob(_) | EngineError::LinearAlgebra { .. } => Self::Failed,
            _ => Self::WrongInput,
        }
    }

    /// A server that is not there and a value that is damaged are wrong input,
    /// two outcomes of one job are not.
    fn of_transport(error: &TransportError) -> Self {
        match error {
            TransportError::Conflict { .. } => Self::Failed,
            _ => Self::WrongInput,
        }
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::JobId;
    use loto_transport::server::Server;

    use super::*;
    use crate::dispatch::Interruption;

    #[test]
    fn errors_end_as_documented() {
        let conflict = TransportError::Conflict {
            job: JobId([0; 16]),
            iteration: 1,
            linear_algebra: String::new(),
        };
        let unreachable = TransportError::Unavailable {
            server: Server::Store,
            address: "redis://localhost".into(),
            reason: "connection refused".into(),
        };
        let unknown = EngineError::UnknownMethod {
            id: "x".into(),
            known: "rs".into(),
        };
        let cases = [
            (CommandError::from(conflict), ExitStatus::Failed),
            (unreachable.into(), ExitStatus::WrongInput),
            (unknown.into(), ExitStatus::WrongInput),
            (
                EngineError::ImpossibleJob("x".into()).into(),
                ExitStatus::Failed,
            ),
            (
                DispatchError::Interrupted(Interruption::LookingForLostJobs).into(),
                ExitStatus::Interrupted,
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(ExitStatus::of(&error), expected, "{error}");
        }
    }
}
