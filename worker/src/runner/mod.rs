//! Runs one job: the optimisation loop over a target task's rows.

use std::sync::Arc;

use loto_proto::job::Job;
use loto_proto::trace::Trace;

use crate::WorkerError;

/// Where tables come from and fitted priors are shared: the store, seen from a
/// thread that computes. Calls block.
pub trait Blobs: Send + Sync {
    /// The bytes kept under a name.
    ///
    /// # Errors
    /// Whatever the store reports.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, WorkerError>;

    /// Keeps bytes under a name; the first bytes stay.
    ///
    /// # Errors
    /// Whatever the store reports.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), WorkerError>;
}

/// Runs jobs; shared by all threads of a process. Caches tables and priors.
pub struct TraceRunner {
    blobs: Arc<dyn Blobs>,
}

impl TraceRunner {
    /// A runner that takes tables from, and shares priors through, `blobs`.
    pub fn new(blobs: Arc<dyn Blobs>) -> Self {
        Self { blobs }
    }

    /// Runs a job to its end: CPU work, to be called from a thread that may block.
    ///
    /// # Errors
    /// [`WorkerError::Proto`] if the store failed (retrying may help); any other if the job cannot be run.
    pub fn run(&self, job: &Job) -> Result<Trace, WorkerError> {
        let _ = (&self.blobs, job);
        unimplemented!()
    }
}
