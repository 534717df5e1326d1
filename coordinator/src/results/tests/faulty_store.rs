//! A store that counts what is read and fails on demand.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::error::Reason;
use loto_transport::server::Server;
use loto_transport::store::{
    Attempts, Blobs, ChangeMark, Conflict, Cursor, Deletion, EmbeddedStore, Events, Health,
    Heartbeats, PassedOver, Stored, Sweeps, Traces,
};
use tonic::async_trait;

/// An embedded store in memory behind faults.
pub(crate) struct FaultyStore {
    inner: EmbeddedStore,
    /// Every call fails, as if the server were gone.
    pub(crate) offline: AtomicBool,
    /// The history says that it is incomplete.
    pub(crate) forgetful: AtomicBool,
    /// Traces read one by one.
    pub(crate) single_reads: AtomicUsize,
    /// Reads of several traces of a series at once.
    pub(crate) series_reads: AtomicUsize,
    /// Times the finished seeds were asked for.
    pub(crate) seed_reads: AtomicUsize,
    /// Times attempts were asked for.
    pub(crate) attempt_reads: AtomicUsize,
    /// It tells of its changes; of faults it does not.
    pub(crate) tells_marks: AtomicBool,
    /// The next time that it is asked for its mark, it does not answer for three seconds.
    pub(crate) stalls: AtomicBool,
    damaged: Mutex<HashMap<(SeriesId, u32), Trace>>,
}

impl FaultyStore {
    pub(crate) async fn new() -> Self {
        Self {
            inner: EmbeddedStore::in_memory().await.expect("memory suffices"),
            offline: AtomicBool::new(false),
            forgetful: AtomicBool::new(false),
            single_reads: AtomicUsize::new(0),
            series_reads: AtomicUsize::new(0),
            seed_reads: AtomicUsize::new(0),
            attempt_reads: AtomicUsize::new(0),
            tells_marks: AtomicBool::new(false),
            stalls: AtomicBool::new(false),
            damaged: Mutex::default(),
        }
    }

    /// Shows another trace in place of the stored one; `None` mends it.
    pub(crate) fn damage(&self, job: &Job, trace: Option<Trace>) {
        let mut damaged = self.damaged.lock().unwrap();
        let key = (job.series.id(), job.seed);
        match trace {
            Some(trace) => damaged.insert(key, trace),
            None => damaged.remove(&key),
        };
    }

    /// Reads since the last call: single traces, whole series, seeds.
    pub(crate) fn reads(&self) -> [usize; 3] {
        [&self.single_reads, &self.series_reads, &self.seed_reads]
            .map(|counter| counter.swap(0, Ordering::Relaxed))
    }

    fn reach(&self) -> Result<&EmbeddedStore, TransportError> {
        if self.offline.load(Ordering::Relaxed) {
            return Err(TransportError::Unavailable {
                server: Server::Store,
                address: "test".into(),
                reason: "connection refused".into(),
            });
        }
        Ok(&self.inner)
    }

    fn shown(&self, series: SeriesId, seed: u32, trace: Trace) -> Result<Trace, TransportError> {
        let damaged = self.damaged.lock().unwrap();
        let trace = damaged.get(&(series, seed)).unwrap_or(&trace);
        Trace::decode(&trace.encode()).map_err(|error| TransportError::CorruptValue {
            store: "test".into(),
            key: format!("{series}/{seed}"),
            reason: error.into(),
        })
    }
}

#[async_trait]
impl Sweeps for FaultyStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        self.reach()?.put_sweep(sweep).await
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        self.reach()?.sweep(id).await
    }

    fn passed_over(&self) -> Vec<PassedOver> {
        self.inner.passed_over()
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        self.reach()?.sweeps().await
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        self.reach()?.sweep_state(id).await
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        self.reach()?.mark_published(id, seeds).await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.reach()?.cancel_sweep(id, series).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.reach()?.resume_sweep(id, series).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.reach()?.release_series(id, series).await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        self.reach()?.delete_sweep(deletion).await
    }
}

#[async_trait]
impl Traces for FaultyStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        self.reach()?.put_trace(job, trace).await
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        self.single_reads.fetch_add(1, Ordering::Relaxed);
        let trace = self.reach()?.trace(series, seed).await?;
        trace
            .map(|trace| self.shown(series, seed, trace))
            .transpose()
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.series_reads.fetch_add(1, Ordering::Relaxed);
        let traces = self.reach()?.traces(series).await?.into_iter();
        traces
            .map(|(seed, trace)| Ok((seed, self.shown(series, seed, trace)?)))
            .collect()
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.series_reads.fetch_add(1, Ordering::Relaxed);
        let traces = self.reach()?.traces_of(series, seeds).await?.into_iter();
        traces
            .map(|(seed, trace)| Ok((seed, self.shown(series, seed, trace)?)))
            .collect()
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.reach()?.discard_trace(series, seed).await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        self.seed_reads.fetch_add(1, Ordering::Relaxed);
        self.reach()?.seeds_done(series).await
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        self.reach()?.latest_cursor().await
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        let events = self.reach()?.events_after(cursor, limit).await?;
        if self.forgetful.load(Ordering::Relaxed) {
            return Ok(Events {
                events: Vec::new(),
                incomplete: true,
                ..events
            });
        }
        Ok(events)
    }
}

#[async_trait]
impl Attempts for FaultyStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        self.reach()?.job_record(series, seed).await
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError> {
        self.reach()?.put_attempt(job, expected, attempt).await
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        self.attempt_reads.fetch_add(1, Ordering::Relaxed);
        self.reach()?.attempts(series).await
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        self.reach()?.put_conflict(job, problem).await
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        self.reach()?.conflicts().await
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.reach()?.forget_conflict(series, seed).await
    }
}

#[async_trait]
impl Health for FaultyStore {
    async fn change_mark(&self) -> Result<Option<ChangeMark>, TransportError> {
        if self.stalls.swap(false, Ordering::Relaxed) {
            tokio::time::sleep(Duration::from_secs(3)).await;
        }
        match self.tells_marks.load(Ordering::Relaxed) {
            true => self.reach()?.change_mark().await,
            false => Ok(None),
        }
    }
}

#[async_trait]
impl Heartbeats for FaultyStore {
    async fn put_heartbeat(&self, worker: &str, report: &Heartbeat) -> Result<(), TransportError> {
        self.reach()?.put_heartbeat(worker, report).await
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        self.reach()?.heartbeats().await
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        self.reach()?.forget_worker(worker).await
    }
}

#[async_trait]
impl Blobs for FaultyStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        self.reach()?.put_blob(name, bytes).await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        self.reach()?.blob(name).await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        self.reach()?.discard_blob(name).await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.inner.corrupt_blob(name, reason)
    }
}
