//! What computes the traces of a simulation: it takes time, and fails as real jobs do.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::Blobs;
use loto_worker::compute::{Compute, ComputeError};

use super::plans::NEW_METHOD;
use super::probe::Probe;
use super::process::Process;
use super::store::SimulatedStore;
use super::truth;

/// The computing processes of a worker.
#[derive(Debug)]
pub(crate) struct SimulatedCompute {
    process: Arc<Process>,
    store: SimulatedStore,
    probe: Arc<Probe>,
    /// Whether the worker is of the release that knows the newest method.
    is_new: bool,
    /// The tables that are in memory.
    tables: Mutex<BTreeSet<String>>,
}

impl SimulatedCompute {
    /// What computes for a worker.
    pub(crate) fn new(
        process: &Arc<Process>,
        store: &SimulatedStore,
        probe: &Arc<Probe>,
        is_new: bool,
    ) -> Self {
        Self {
            process: Arc::clone(process),
            store: store.clone(),
            probe: Arc::clone(probe),
            is_new,
            tables: Mutex::default(),
        }
    }

    /// Reads the table, unless it is in memory.
    async fn table(&self, job: &Job) -> Result<(), ComputeError> {
        let name = job.series.table.blob_name();
        let tables = || self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if tables().contains(&name) {
            return Ok(());
        }
        let reading = || self.store.blob(&name);
        let blob = retry_transient(Backoff::BRIEF, "reading a blob", reading).await?;
        if blob.is_none() {
            let problem = format!("{name} is not in the store");
            return Err(ComputeError::MissingTable(problem));
        }
        tables().insert(name);
        Ok(())
    }
}

fn job_error(error: String) -> ComputeError {
    ComputeError::Job {
        error,
        backtrace: String::new(),
    }
}

#[async_trait]
impl Compute for SimulatedCompute {
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError> {
        let Process { name, world, .. } = &*self.process;
        if world.keeps_log() {
            world.note(format_args!("{name} computes {}", job.id()));
        }
        if job.series.method.id == NEW_METHOD && !self.is_new {
            let problem = format!("method `{NEW_METHOD}` is not known to this release");
            return Err(ComputeError::OtherRelease(problem));
        }
        self.table(job).await?;
        let time = world.draw(|chance| match chance.below(8) {
            0 => chance.milliseconds(2000, 20_000),
            _ => chance.milliseconds(5, 800),
        });
        tokio::time::sleep(time).await;
        self.process.goes_on().await;
        self.probe.arrive(job).await;
        if world.call_goes_wrong() && world.fault("no process", Duration::from_secs(1)) {
            return Err(ComputeError::NoProcess(std::io::Error::other(
                "no memory for a process",
            )));
        }
        let fails = world.truth().fails(job);
        if fails {
            return Err(job_error("the method failed".into()));
        }
        Ok(truth::trace(job))
    }
}
