//! How the process ends: the one place where errors become an exit status.

use loto_engine::EngineError;
use loto_process::ExitStatus;

use crate::CoordinatorError;

impl From<&CoordinatorError> for ExitStatus {
    fn from(error: &CoordinatorError) -> Self {
        use CoordinatorError::*;
        match error {
            Transport(error) => error.into(),
            Process(error) => error.into(),
            Engine(EngineError::ImpossibleJob(_) | EngineError::LinearAlgebra { .. })
            | GaveUp { .. }
            | Conflicts { .. }
            | Cancelled(_)
            | RunFailed(_)
            | ThreadDied { .. } => Self::Failed,
            Interrupted(_) => Self::Interrupted,
            Engine(_)
            | Statistics(_)
            | TableNotFound { .. }
            | TableChanged { .. }
            | UnknownSweep { .. }
            | InvalidInput(_)
            | SweepFile(_)
            | UnsuitableSweep { .. }
            | Message(_)
            | LostSweep(_)
            | UnreadableFile { .. }
            | UnwritableFile(_)
            | InvalidTraces { .. }
            | CorruptTrace { .. }
            | TaskNotInTable { .. }
            | Serving { .. } => Self::WrongInput,
        }
    }
}

#[cfg(test)]
mod tests {
    use loto_engine::ImpossibleJob;
    use loto_proto::identity::JobId;
    use loto_transport::TransportError;
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
                EngineError::from(ImpossibleJob::NoRow("x")).into(),
                ExitStatus::Failed,
            ),
            (
                CoordinatorError::Interrupted("x".into()),
                ExitStatus::Interrupted,
            ),
        ];
        for (error, expected) in cases {
            assert_eq!(ExitStatus::from(&error), expected, "{error}");
        }
    }
}
