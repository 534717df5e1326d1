//! How the process ends: the one place where errors become an exit status.

use loto_engine::EngineError;
use loto_process::ExitStatus;

use super::error::CommandError;
use crate::CoordinatorError;
use crate::dispatch::{DeleteError, DispatchError};
use crate::embedded::EmbeddedError;
use crate::merge::MergeError;
use crate::reporting::ReportingError;

impl From<&CommandError> for ExitStatus {
    fn from(error: &CommandError) -> Self {
        use CommandError::*;
        match error {
            Transport(error) => error.into(),
            Coordinator(error) | Reporting(ReportingError::Reading(error)) => of_coordinator(error),
            Process(error) => error.into(),
            Dispatch(error) => of_dispatch(error),
            Delete(DeleteError::Transport(error)) | Merge(MergeError::Transport(error)) => {
                error.into()
            }
            Merge(MergeError::Reading(error)) => of_coordinator(error),
            Embedded(error) => of_embedded(error),
            Engine(error) => of_engine(error),
            RunInterrupted { .. } | VerifyInterrupted { .. } => Self::Interrupted,
            Doubtful(_) => Self::Failed,
            Plan(_)
            | Score(_)
            | Hpob(_)
            | Import(_)
            | Merge(_)
            | NothingToScore
            | DamagedTraces(_)
            | PassedOver(_)
            | Statistics(_)
            | Reporting(_)
            | Delete(_)
            | NotConfirmed(_)
            | OtherReport { .. }
            | UnknownSweep { .. }
            | AmbiguousSweep { .. }
            | LostSweep(_)
            | UnwritableFile(_) => Self::WrongInput,
        }
    }
}

fn of_embedded(error: &EmbeddedError) -> ExitStatus {
    match error {
        EmbeddedError::Dispatch(error) => of_dispatch(error),
        EmbeddedError::Transport(error) => error.into(),
        EmbeddedError::Engine(error) => of_engine(error),
        EmbeddedError::TimeIsUp(_) => ExitStatus::TimeIsUp,
        EmbeddedError::RefusedTraces { .. }
        | EmbeddedError::StoreLost(_)
        | EmbeddedError::TooLittleTime(_) => ExitStatus::Failed,
        EmbeddedError::FolderInUse(_) | EmbeddedError::UnwritableFile(_) => ExitStatus::WrongInput,
    }
}

fn of_dispatch(error: &DispatchError) -> ExitStatus {
    match error {
        DispatchError::Transport(error) => error.into(),
        DispatchError::Reading(error) => of_coordinator(error),
        DispatchError::TableChanged { .. } | DispatchError::DamagedTraces(_) => {
            ExitStatus::WrongInput
        }
        DispatchError::Interrupted(_) => ExitStatus::Interrupted,
        DispatchError::Cancelled(_)
        | DispatchError::LostSweep(_)
        | DispatchError::Unfinished(_)
        | DispatchError::Poisoned { .. }
        | DispatchError::Conflicts(_) => ExitStatus::Failed,
    }
}

fn of_coordinator(error: &CoordinatorError) -> ExitStatus {
    match error {
        CoordinatorError::Transport(error) => error.into(),
        CoordinatorError::Engine(error) => of_engine(error),
        CoordinatorError::ThreadDied { .. } => ExitStatus::Failed,
        _ => ExitStatus::WrongInput,
    }
}

fn of_engine(error: &EngineError) -> ExitStatus {
    match error {
        EngineError::ImpossibleJob(_)
        | EngineError::LinearAlgebra { .. }
        | EngineError::Program(_) => ExitStatus::Failed,
        _ => ExitStatus::WrongInput,
    }
}

#[cfg(test)]
mod tests {
    use loto_engine::ImpossibleJob;
    use loto_proto::identity::JobId;
    use loto_transport::TransportError;
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
            suggestion: "known are rs".into(),
        };
        let interrupted = DispatchError::Interrupted(Interruption::LookingForLostJobs);
        let cases = [
            (CommandError::from(conflict), ExitStatus::Failed),
            (unreachable.into(), ExitStatus::WrongInput),
            (unknown.into(), ExitStatus::WrongInput),
            (
                EngineError::from(ImpossibleJob::NoRow("x")).into(),
                ExitStatus::Failed,
            ),
            (interrupted.into(), ExitStatus::Interrupted),
        ];
        for (error, expected) in cases {
            assert_eq!(ExitStatus::from(&error), expected, "{error}");
        }
    }
}
