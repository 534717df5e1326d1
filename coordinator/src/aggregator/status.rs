//! Which gRPC status an error is.

use loto_transport::TransportError;
use tonic::Status;

use loto_statistics::StatisticsError;

use crate::CoordinatorError;

/// The status of a question that could not be answered.
pub(crate) fn to_status(error: CoordinatorError) -> Status {
    let message = error.to_string();
    match error {
        CoordinatorError::Transport(error) => transport_status(&error, message),
        CoordinatorError::UnknownSweep(_) => Status::not_found(message),
        CoordinatorError::Statistics(
            StatisticsError::NoSampledBaseline { .. }
            | StatisticsError::InvalidAnalysisOption { .. },
        ) => Status::invalid_argument(message),
        CoordinatorError::CorruptTrace { .. }
        | CoordinatorError::Message(_)
        | CoordinatorError::TaskNotInTable { .. }
        | CoordinatorError::Statistics(StatisticsError::InvalidResults { .. })
        // A table that was checked when it was submitted and cannot be read now.
        | CoordinatorError::Engine(_) => Status::data_loss(message),
        _ => {
            tracing::error!("a request failed: {message}");
            Status::internal(message)
        }
    }
}

fn transport_status(error: &TransportError, message: String) -> Status {
    match error {
        TransportError::Unavailable { .. } => Status::unavailable(message),
        TransportError::MissingTable(_)
        | TransportError::MissingProgram(_)
        | TransportError::Refused { .. } => Status::failed_precondition(message),
        TransportError::CorruptValue { .. }
        | TransportError::NotAStore { .. }
        | TransportError::InvalidCursor { .. } => Status::data_loss(message),
        _ => Status::internal(message),
    }
}

/// The status of an answer that is cut short because the service stops.
pub(super) fn stopping() -> Status {
    Status::unavailable("the service is shutting down; ask again")
}

#[cfg(test)]
mod tests {
    use loto_proto::identity::Fingerprint;
    use loto_transport::server::Server;
    use tonic::Code;

    use super::*;

    #[test]
    fn trouble_of_the_store_is_told_apart() {
        let store = || "redis://host".to_string();
        let cases = [
            (
                TransportError::Unavailable {
                    server: Server::Store,
                    address: store(),
                    reason: "timed out".into(),
                },
                Code::Unavailable,
            ),
            (
                TransportError::CorruptValue {
                    store: store(),
                    key: "traces".into(),
                    reason: "cut".into(),
                },
                Code::DataLoss,
            ),
            (
                TransportError::MissingTable(Fingerprint([1; 16])),
                Code::FailedPrecondition,
            ),
        ];
        for (error, code) in cases {
            let status = to_status(error.into());
            assert_eq!(status.code(), code);
            assert!(!status.message().is_empty());
        }
    }
}
