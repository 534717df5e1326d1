//! How the process ends: the one place where errors become an exit status.

use std::process::ExitCode;

use loto_engine::EngineError;
use loto_transport::TransportError;
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
        use CoordinatorError::*;
        match error {
            Transport(error) | Worker(WorkerError::Transport(error)) => Self::of_transport(error),
            Engine(EngineError::ImpossibleJob(_) | EngineError::LinearAlgebra { .. })
            | Worker(WorkerError::Engine(
                EngineError::ImpossibleJob(_) | EngineError::LinearAlgebra { .. },
            ))
            | GaveUp { .. }
            | Conflicts { .. }
            | Cancelled(_)
            | RunFailed(_)
            | ThreadDied { .. }
            | Internal(_) => Self::Failed,
            Interrupted(_) => Self::Interrupted,
            Worker(_)
            | Engine(_)
            | Report(_)
            | Statistics(_)
            | TableNotFound { .. }
            | TableChanged { .. }
            | UnknownSweep { .. }
            | InvalidInput(_)
            | SweepFile(_)
            | UnsuitableSweep { .. }
            | Message(_)
            | LostSweep(_)
            | Endpoint(_)
            | UnreadableFile { .. }
            | UnwritableFile { .. }
            | InvalidTraces { .. }
            | CorruptTrace { .. }
            | TaskNotInTable { .. }
            | Serving { .. } => Self::WrongInput,
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
            (CoordinatorError::from(conflict), ExitStatus::Failed),
            (unreachable.into(), ExitStatus::WrongInput),
            (unknown.into(), ExitStatus::WrongInput),
            (
                EngineError::ImpossibleJob("x".into()).into(),
                ExitStatus::Failed,
            ),
            (
                CoordinatorError::Interrupted("x".into()),
                ExitStatus::Interrupted,
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(ExitStatus::of(&error), expected, "{error}");
        }
    }
}
