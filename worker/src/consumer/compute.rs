//! Who computes a job's trace.

use std::sync::Arc;

use async_trait::async_trait;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::runtime::Handle;

use super::StoreBlobs;
use loto_engine::EngineError;
use loto_engine::runner::TraceRunner;

/// Why there is no trace.
#[derive(Debug)]
pub enum ComputeError {
    /// The job is at fault: this costs it an attempt.
    Job {
        /// What went wrong.
        error: String,
        /// Where in the program, or what its process said last; empty if that is not known.
        backtrace: String,
    },
    /// The store is out of reach, or this host cannot start a process: the job may
    /// be computed later and is not at fault.
    Outage(String),
    /// The store refuses this worker; the job is not at fault.
    Refused(TransportError),
}

/// Computes traces.
#[async_trait]
pub trait Compute: Send + Sync {
    /// Computes the trace of a job. Who drops the future is no longer interested.
    ///
    /// # Errors
    /// [`ComputeError`] says who is at fault.
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError>;
}

/// Computes on threads of this process, for programs and tests that trust their
/// methods: nothing limits a job's time and memory here, and one that crashes ends
/// the process. Programs that do not: [`crate::isolation::ProcessPool`].
pub struct Threads<Run>(Arc<Run>);

/// The methods of this program on threads, with blobs from `store`.
pub fn methods_on_threads(store: Arc<dyn Store>) -> impl Compute {
    let runner = TraceRunner::new(Arc::new(StoreBlobs::new(store, Handle::current())));
    Threads::new(move |job: &Job| runner.run(job))
}

impl<Run> Threads<Run>
where
    Run: Fn(&Job) -> Result<Trace, EngineError> + Send + Sync + 'static,
{
    /// Computes with `run`, which may block.
    pub fn new(run: Run) -> Self {
        Self(Arc::new(run))
    }
}

#[async_trait]
impl<Run> Compute for Threads<Run>
where
    Run: Fn(&Job) -> Result<Trace, EngineError> + Send + Sync + 'static,
{
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError> {
        let (run, job) = (Arc::clone(&self.0), job.clone());
        let error = match tokio::task::spawn_blocking(move || run(&job)).await {
            Ok(Ok(trace)) => return Ok(trace),
            Ok(Err(EngineError::Blobs(error))) if error.unavailable => {
                return Err(ComputeError::Outage(error.to_string()));
            }
            Ok(Err(EngineError::Blobs(error))) => match error.source.downcast::<TransportError>() {
                Ok(error) if error.concerns_server() => return Err(ComputeError::Refused(*error)),
                Ok(error) => error.to_string(),
                Err(error) => error.to_string(),
            },
            Ok(Err(error)) => error.to_string(),
            Err(error) => panic_message(error),
        };
        let backtrace = String::new();
        Err(ComputeError::Job { error, backtrace })
    }
}

fn panic_message(error: tokio::task::JoinError) -> String {
    let Ok(panic) = error.try_into_panic() else {
        return "the process is shutting down".into();
    };
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!(
        "the method panicked: {}",
        text.as_deref().unwrap_or("without a message")
    )
}
