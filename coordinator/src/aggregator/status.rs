//! Which gRPC status an error is.

use loto_proto::ProtoError;
use tonic::Status;

use loto_statistics::StatisticsError;

use crate::CoordinatorError;

/// The status of a question that could not be answered.
pub(super) fn to_status(error: CoordinatorError) -> Status {
    let message = error.to_string();
    match error {
        CoordinatorError::Proto(error) => proto_status(&error, message),
        CoordinatorError::UnknownSweep(_) => Status::not_found(message),
        CoordinatorError::Statistics(
            StatisticsError::NoSampledBaseline { .. }
            | StatisticsError::InvalidAnalysisOption { .. },
        ) => Status::invalid_argument(message),
        CoordinatorError::CorruptTrace { .. }
        | CoordinatorError::TaskNotInTable { .. }
        | CoordinatorError::Statistics(StatisticsError::InvalidResults { .. })
        | CoordinatorError::Engine(_)
        // A table that was checked when it was submitted and cannot be read now.
        | CoordinatorError::Worker(_) => Status::data_loss(message),
        _ => {
            tracing::error!("a request failed: {message}");
            Status::internal(message)
        }
    }
}

fn proto_status(error: &ProtoError, message: String) -> Status {
    match error {
        ProtoError::Store { .. } | ProtoError::Broker { .. } => Status::unavailable(message),
        ProtoError::MissingTable(_) | ProtoError::Refused { .. } => {
            Status::failed_precondition(message)
        }
        ProtoError::CorruptValue { .. }
        | ProtoError::Malformed { .. }
        | ProtoError::InvalidIdentifier { .. } => Status::data_loss(message),
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
    use tonic::Code;

    use super::*;

    #[test]
    fn trouble_of_the_store_is_told_apart() {
        let store = || "redis://host".to_string();
        let cases = [
            (
                ProtoError::Store {
                    store: store(),
                    problem: "timed out".into(),
                },
                Code::Unavailable,
            ),
            (
                ProtoError::CorruptValue {
                    store: store(),
                    key: "traces".into(),
                    problem: "cut".into(),
                },
                Code::DataLoss,
            ),
            (
                ProtoError::MissingTable(Fingerprint([1; 16])),
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
