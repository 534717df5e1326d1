//! What the steps on the way of a delivery come to.

use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::trace::Trace;
use loto_transport::TransportError;

use crate::outcome::Outcome;

/// An attempt of ours, as the store holds it.
pub(super) struct Running {
    pub(super) attempt: Attempt,
    pub(super) version: AttemptVersion,
}

/// What a delivery came to, and the delay before its message comes again.
pub(super) type Settled = (Outcome, Duration);

/// What computing a job's trace came to.
pub(super) enum Computed {
    Trace(Trace),
    Failure { error: String, backtrace: String },
}

/// Why a delivery ends before its job is run, or without the outcome of that.
pub(super) enum Stop {
    /// There is nothing to run, or the job may not be run any more.
    Settled(Outcome),
    /// This worker cannot run the job now, and the job is not at fault.
    Misfit(Outcome),
    /// A shutdown came first.
    Interrupted,
    /// The store refuses this worker: the job may be another's.
    Refused(TransportError),
    /// The store says what trying again cannot mend.
    Permanent(TransportError),
}

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Refused { .. } => Self::Refused(error),
            error => Self::Permanent(error),
        }
    }
}
