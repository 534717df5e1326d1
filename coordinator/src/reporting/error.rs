//! Why there is no report.

use loto_statistics::StatisticsError;
use loto_transport::TransportError;

use crate::CoordinatorError;
use crate::score::ScoreError;

/// Why finished traces cannot be made a report of.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportingError {
    /// They or their tables cannot be read.
    #[error(transparent)]
    Reading(#[from] CoordinatorError),

    /// Recorded traces cannot be put beside them.
    #[error(transparent)]
    Score(#[from] ScoreError),

    /// The reference of a report has the name of a method.
    #[error(
        "--best: a method of the sweep is called `best`, too: give it another name in the sweep file"
    )]
    BestTaken,
}

impl From<TransportError> for ReportingError {
    fn from(error: TransportError) -> Self {
        Self::Reading(error.into())
    }
}

impl From<StatisticsError> for ReportingError {
    fn from(error: StatisticsError) -> Self {
        Self::Reading(error.into())
    }
}
