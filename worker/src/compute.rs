//! What computes a job's trace.

use std::any::Any;

use async_trait::async_trait;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::error::Reason;

/// Computes traces.
#[async_trait]
pub trait Compute: Send + Sync {
    /// Computes the trace of a job. Who drops the future is no longer interested.
    ///
    /// # Errors
    /// [`ComputeError`] says who is at fault.
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError>;
}

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum ComputeError {
    /// The job is at fault: this costs it an attempt.
    #[error("{error}")]
    Job {
        /// What went wrong.
        error: String,
        /// Where in the program, or what its process said last; empty if that is not known.
        backtrace: String,
    },
    /// The job is for another release of the method than this program has; the job is not at fault.
    #[error("{0}")]
    OtherRelease(String),
    /// The store does not have the job's table: it has lost it, or the job is another store's. The job is not at fault.
    #[error("{0}")]
    MissingTable(String),
    /// The store is unavailable: the job may be computed later and is not at fault.
    #[error("{0}")]
    Unavailable(#[source] Reason),
    /// This host cannot start a process: the job may be computed later and is not at fault.
    #[error("cannot start a process: {0}")]
    NoProcess(#[source] std::io::Error),
    /// The store refuses this worker; the job is not at fault.
    #[error(transparent)]
    Refused(TransportError),
}

impl ComputeError {
    /// The job failed, nobody knows where in the program.
    pub(crate) fn job(error: impl ToString) -> Self {
        Self::Job {
            error: error.to_string(),
            backtrace: String::new(),
        }
    }
}

impl From<TransportError> for ComputeError {
    /// What the store does not give this job it may give another.
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Unavailable { .. } => Self::Unavailable(error.into()),
            TransportError::Refused { .. } => Self::Refused(error),
            _ => Self::job(error),
        }
    }
}

/// What a panic says.
pub(crate) fn panic_message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message")
}
