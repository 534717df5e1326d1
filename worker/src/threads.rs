//! Computes on threads of this process, for programs and tests that trust their methods.

use std::sync::Arc;

use async_trait::async_trait;
use loto_engine::EngineError;
use loto_engine::blobs::{BlobError, Blobs};
use loto_engine::runner::TraceRunner;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::Store;
use tokio::runtime::Handle;

use crate::blobs;
use crate::compute::{Compute, ComputeError, panic_message};

/// Computes on threads of this process: nothing limits a job's time and memory here, and one that
/// crashes ends the process. Programs that do not trust their methods:
/// [`crate::isolation::ProcessPool`].
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
        let outcome = tokio::task::spawn_blocking(move || run(&job)).await;
        match outcome.map_err(tokio::task::JoinError::try_into_panic) {
            Ok(computed) => computed.map_err(compute_error),
            Err(Ok(panic)) => {
                let panic = panic_message(&*panic);
                Err(ComputeError::job(format!("the method panicked: {panic}")))
            }
            Err(Err(_)) => Err(ComputeError::job("the process is shutting down")),
        }
    }
}

/// Who is at fault that the engine has no trace.
fn compute_error(error: EngineError) -> ComputeError {
    match error {
        EngineError::Blobs(error) if error.unavailable => ComputeError::Unavailable(error.source),
        EngineError::Blobs(error) => match error.source.downcast::<TransportError>() {
            Ok(error) => (*error).into(),
            Err(error) => ComputeError::job(error),
        },
        error @ (EngineError::MissingTable(_) | EngineError::MissingProgram(_)) => {
            ComputeError::MissingTable(error.to_string())
        }
        error if error.is_of_another_release() => ComputeError::OtherRelease(error.to_string()),
        error => ComputeError::Job {
            error: error.to_string(),
            backtrace: error.details().to_owned(),
        },
    }
}

/// The blobs of a store, seen from a thread that computes. A short outage is waited for, so that it
/// does not cost the job what it has computed so far.
pub struct StoreBlobs {
    store: Arc<dyn Store>,
    runtime: Handle,
}

impl StoreBlobs {
    /// The blobs of `store`, whose calls run on `runtime`.
    pub fn new(store: Arc<dyn Store>, runtime: Handle) -> Self {
        Self { store, runtime }
    }
}

impl Blobs for StoreBlobs {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let getting = blobs::get(&*self.store, name);
        self.runtime.block_on(getting).map_err(blob_error)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError> {
        let putting = blobs::put(&*self.store, name, bytes);
        self.runtime.block_on(putting).map_err(blob_error)
    }
}

fn blob_error(error: TransportError) -> BlobError {
    BlobError {
        unavailable: error.is_transient(),
        source: Box::new(error),
    }
}
