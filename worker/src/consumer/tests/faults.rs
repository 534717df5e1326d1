//! A store and a queue that fail on purpose.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::heartbeat::Heartbeat;
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use loto_transport::error::Reason;
use loto_transport::queue::{Delivery, InProcessQueue, Receipt};
use loto_transport::store::{
    Attempts, Blobs, Conflict, Cursor, Deletion, Events, Health, Heartbeats, Stored, Sweeps, Traces,
};

use super::super::*;
use super::{EmbeddedStore, TransportError};
use loto_transport::server::Server;

/// Fails the first calls of each kind that a consumer makes, and all while it is away.
pub(super) struct FlakyStore {
    store: Arc<EmbeddedStore>,
    failures_each: u32,
    failed: Mutex<HashMap<&'static str, u32>>,
    /// Whether a call that fails was carried out, and its answer lost.
    loses_answers: bool,
    pub(super) is_away: AtomicBool,
}

impl FlakyStore {
    pub(super) fn new(store: Arc<EmbeddedStore>, failures_each: u32) -> Self {
        let failed = Mutex::default();
        Self {
            store,
            failures_each,
            failed,
            loses_answers: false,
            is_away: AtomicBool::new(false),
        }
    }

    /// Carries out every call and loses the first answers to each kind.
    pub(super) fn losing_answers(store: Arc<EmbeddedStore>, lost_each: u32) -> Self {
        Self {
            loses_answers: true,
            ..Self::new(store, lost_each)
        }
    }

    /// How many calls failed.
    pub(super) fn failures(&self) -> u32 {
        self.failed.lock().unwrap().values().sum()
    }

    fn fail(&self, call: &'static str) -> Result<(), TransportError> {
        let mut failed = self.failed.lock().unwrap();
        let failed = failed.entry(call).or_default();
        if *failed >= self.failures_each && !self.is_away.load(SeqCst) {
            return Ok(());
        }
        *failed += 1;
        Err(TransportError::Unavailable {
            server: Server::Store,
            address: "flaky".into(),
            reason: "out of reach".into(),
        })
    }
}

#[async_trait]
impl Sweeps for FlakyStore {
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError> {
        self.store.put_sweep(sweep).await
    }

    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError> {
        self.store.sweep(id).await
    }

    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError> {
        self.store.sweeps().await
    }

    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError> {
        self.store.sweep_state(id).await
    }

    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError> {
        self.store.mark_published(id, seeds).await
    }

    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.store.cancel_sweep(id, series).await
    }

    async fn resume_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.store.resume_sweep(id, series).await
    }

    async fn release_series(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError> {
        self.store.release_series(id, series).await
    }

    async fn delete_sweep(&self, deletion: &Deletion) -> Result<(), TransportError> {
        self.store.delete_sweep(deletion).await
    }
}

#[async_trait]
impl Traces for FlakyStore {
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError> {
        let failed = self.fail("put_trace");
        if failed.is_err() && !self.loses_answers {
            return failed.map(|()| Stored::New);
        }
        let put = self.store.put_trace(job, trace).await;
        failed.and(put)
    }

    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError> {
        self.store.trace(series, seed).await
    }

    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.store.traces(series).await
    }

    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        self.store.traces_of(series, seeds).await
    }

    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.store.discard_trace(series, seed).await
    }

    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError> {
        self.store.seeds_done(series).await
    }

    async fn latest_cursor(&self) -> Result<Cursor, TransportError> {
        self.store.latest_cursor().await
    }

    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError> {
        self.store.events_after(cursor, limit).await
    }
}

#[async_trait]
impl Attempts for FlakyStore {
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError> {
        self.fail("job_record")?;
        self.store.job_record(series, seed).await
    }

    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError> {
        let failed = self.fail("put_attempt");
        if failed.is_err() && !self.loses_answers {
            return failed.map(|()| None);
        }
        let put = self.store.put_attempt(job, expected, attempt).await;
        failed.and(put)
    }

    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError> {
        self.store.attempts(series).await
    }

    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError> {
        self.store.put_conflict(job, problem).await
    }

    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError> {
        self.store.conflicts().await
    }

    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError> {
        self.store.forget_conflict(series, seed).await
    }
}

impl Health for FlakyStore {}

#[async_trait]
impl Heartbeats for FlakyStore {
    async fn put_heartbeat(&self, worker: &str, report: &Heartbeat) -> Result<(), TransportError> {
        self.store.put_heartbeat(worker, report).await
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        self.store.heartbeats().await
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        self.store.forget_worker(worker).await
    }
}

#[async_trait]
impl Blobs for FlakyStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        self.store.put_blob(name, bytes).await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        self.store.blob(name).await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        self.store.discard_blob(name).await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.store.corrupt_blob(name, reason)
    }
}

/// Loses the connection after some deliveries, and refuses the first reconnections.
pub(super) struct LossyQueue {
    queue: InProcessQueue,
    deliveries: u32,
    consumed: AtomicU32,
    refusals: u32,
}

impl LossyQueue {
    pub(super) fn new(queue: InProcessQueue, deliveries: u32, refusals: u32) -> Self {
        let consumed = AtomicU32::new(0);
        Self {
            queue,
            deliveries,
            consumed,
            refusals,
        }
    }

    /// Cannot be consumed from at all.
    pub(super) fn unreachable() -> Self {
        let consumed = AtomicU32::new(1);
        Self {
            queue: InProcessQueue::new(),
            deliveries: 0,
            consumed,
            refusals: u32::MAX,
        }
    }
}

fn lost() -> TransportError {
    TransportError::Unavailable {
        server: Server::Broker,
        address: "lossy".into(),
        reason: "connection lost".into(),
    }
}

#[async_trait]
impl Queue for LossyQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.queue.publish(jobs).await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        self.queue.waiting().await
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        let consumed = self.consumed.fetch_add(1, SeqCst);
        if consumed > 0 && consumed <= self.refusals {
            return Err(lost());
        }
        Ok(Box::new(LossyConsumer {
            consumer: self.queue.consume(in_flight).await?,
            deliveries: self.deliveries,
        }))
    }
}

struct LossyConsumer {
    consumer: Box<dyn Consumer>,
    deliveries: u32,
}

#[async_trait]
impl Consumer for LossyConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        if self.deliveries == 0 {
            return Err(lost());
        }
        let next = self.consumer.next().await;
        self.deliveries -= 1;
        next
    }
}

/// Never answers to what is done with its deliveries.
pub(super) struct SilentQueue(pub(super) InProcessQueue);

#[async_trait]
impl Queue for SilentQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.0.publish(jobs).await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        self.0.waiting().await
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        Ok(Box::new(SilentConsumer(self.0.consume(in_flight).await?)))
    }
}

struct SilentConsumer(Box<dyn Consumer>);

#[async_trait]
impl Consumer for SilentConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        let next = self.0.next().await?;
        Ok(next.map(|delivery| Delivery {
            receipt: Box::new(SilentReceipt {
                _held: delivery.receipt,
            }),
            body: delivery.body,
        }))
    }
}

struct SilentReceipt {
    /// The delivery goes back when this is dropped, as when a connection ends.
    _held: Box<dyn Receipt>,
}

#[async_trait]
impl Receipt for SilentReceipt {
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError> {
        std::future::pending().await
    }

    async fn requeue(self: Box<Self>, _delay: Duration) -> Result<(), TransportError> {
        std::future::pending().await
    }

    async fn reject(self: Box<Self>) -> Result<(), TransportError> {
        std::future::pending().await
    }
}
