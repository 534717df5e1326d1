//! Settles a delivery, and says what became of it.

use std::time::Duration;

use loto_transport::TransportError;
use loto_transport::queue::Receipt;

use crate::outcome::Outcome;

pub(super) async fn settle(
    receipt: Box<dyn Receipt>,
    outcome: &Outcome,
    delay: Duration,
) -> Result<(), TransportError> {
    match outcome {
        Outcome::Stored | Outcome::AlreadyDone | Outcome::Poisoned(_) | Outcome::Dropped => {
            receipt.acknowledge().await
        }
        Outcome::Failed(_)
        | Outcome::Requeued
        | Outcome::Foreign(_)
        | Outcome::OtherRelease(_)
        | Outcome::MissingTable(_) => receipt.requeue(delay).await,
        Outcome::Refused(_) => receipt.reject().await,
    }
}

/// Says what a job came to; the span around it names the job.
pub(super) fn log(outcome: &Outcome) {
    match outcome {
        Outcome::Stored => tracing::debug!("stored"),
        Outcome::AlreadyDone => tracing::debug!("done already"),
        Outcome::Requeued => tracing::info!("requeued"),
        Outcome::Dropped => tracing::debug!("poisoned or cancelled before"),
        Outcome::Failed(problem) => tracing::warn!("it failed: {problem}"),
        Outcome::Poisoned(problem) => tracing::error!("it is poisoned: {problem}"),
        Outcome::Refused(problem) => tracing::error!("it goes to the dead letters: {problem}"),
        Outcome::Foreign(problem)
        | Outcome::OtherRelease(problem)
        | Outcome::MissingTable(problem) => {
            tracing::debug!("requeued: {problem}");
        }
    }
}
