//! Errors of a store on their way from the host to who asked.

use loto_proto::identity::JobId;

use super::channel::Place;
use super::protocol::wire::store_problem::Problem;
use super::protocol::wire::{CorruptKey, OtherOutcome, StoreProblem};
use crate::error::TransportError;

/// The error as the host tells it.
pub(crate) fn to_wire(error: TransportError) -> StoreProblem {
    let problem = match error {
        TransportError::CorruptValue { key, reason, .. } => Problem::Corrupt(CorruptKey {
            key,
            reason: reason.to_string(),
        }),
        TransportError::Conflict {
            job,
            iteration,
            linear_algebra,
        } => Problem::Conflict(OtherOutcome {
            job: job.0.to_vec(),
            iteration: iteration as u64,
            linear_algebra,
        }),
        TransportError::InvalidCursor { cursor, .. } => Problem::InvalidCursor(cursor),
        error if error.is_transient() => Problem::Unavailable(error.to_string()),
        error => Problem::Refused(error.to_string()),
    };
    StoreProblem {
        problem: Some(problem),
    }
}

/// The error as it is for who asked the host at that place.
pub(crate) fn from_wire(problem: StoreProblem, place: &Place) -> TransportError {
    let Some(problem) = problem.problem else {
        return garbled(place);
    };
    match problem {
        Problem::Corrupt(CorruptKey { key, reason }) => TransportError::CorruptValue {
            store: place.name().to_owned(),
            key,
            reason: reason.into(),
        },
        Problem::Conflict(OtherOutcome {
            job,
            iteration,
            linear_algebra,
        }) => match job.try_into() {
            Ok(job) => TransportError::Conflict {
                job: JobId(job),
                iteration: iteration as usize,
                linear_algebra,
            },
            Err(_) => garbled(place),
        },
        Problem::InvalidCursor(cursor) => TransportError::InvalidCursor {
            cursor,
            store: "the store of a host",
        },
        Problem::Unavailable(reason) => place.unavailable(reason),
        Problem::Refused(reason) => place.refused(reason),
    }
}

/// The answer is not one to what was asked.
pub(crate) fn garbled(place: &Place) -> TransportError {
    place.refused("its answer is none to what was asked: it may be of another release")
}
