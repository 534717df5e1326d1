//! Brings one delivery to its end; `attempts` has what the store is told on the way.

mod attempts;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::queue::{Delivery, Receipt};
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::server::Server;
use loto_transport::store::Store;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::expectations::Expectations;
use super::misfits::{self, Misfits};
use super::options::ConsumerOptions;
use super::settling::{log, settle};
use super::steps::{Computed, Settled, Stop};
use super::vitals::Vitals;
use crate::compute::{Compute, ComputeError};
use crate::metrics;
use crate::outcome::{Observer, Outcome};

/// Delay before a requeued job comes again if another worker has taken it meanwhile.
const TAKEN: Duration = Duration::from_secs(5);

/// How long a job for others is held at most while the broker has an alarm.
const LONGEST_ALARM: Duration = Duration::from_secs(300);

/// Time between two looks whether an alarm is over.
const ALARM_INTERVAL: Duration = Duration::from_secs(1);

/// What handles the deliveries of one consumer.
pub(super) struct Handler {
    store: Arc<dyn Store>,
    compute: Arc<dyn Compute>,
    options: ConsumerOptions,
    /// One permit per job that may run; redelivered jobs wait here.
    slots: Semaphore,
    vitals: Vitals,
    expectations: Expectations,
    /// Deliveries so far.
    deliveries: AtomicU64,
    /// The consumer ends once this is cancelled.
    shutdown: CancellationToken,
    /// Nothing new is begun once this is cancelled, as it is at the latest when the consumer ends.
    closed: CancellationToken,
    /// Microseconds of computing whose outcome was not stored, because the jobs were left alone.
    lost: AtomicU64,
    /// Running jobs are left alone once this is cancelled.
    abandoned: CancellationToken,
    worker: String,
    observer: Option<Observer>,
    /// Why the consumer has to end before it is asked to.
    refusal: Mutex<Option<TransportError>>,
}

impl Handler {
    pub(super) fn new(
        store: Arc<dyn Store>,
        compute: Arc<dyn Compute>,
        options: ConsumerOptions,
        shutdown: CancellationToken,
        observer: Option<Observer>,
    ) -> Self {
        Self {
            store,
            compute,
            slots: Semaphore::new(options.jobs.max(1).into()),
            vitals: Vitals::default(),
            expectations: Expectations::default(),
            lost: AtomicU64::new(0),
            closed: shutdown.child_token(),
            deliveries: AtomicU64::new(0),
            worker: options.worker.clone(),
            options,
            shutdown,
            abandoned: CancellationToken::new(),
            observer,
            refusal: Mutex::default(),
        }
    }

    /// Begins nothing more; what runs goes on.
    pub(super) fn close(&self) {
        self.closed.cancel();
    }

    /// The time for which jobs were computed that were left alone before their outcome was stored.
    pub(super) fn lost_time(&self) -> Duration {
        Duration::from_micros(self.lost.load(Ordering::Relaxed))
    }

    /// Requeues whatever is still running.
    pub(super) fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// Tells the store which jobs are held, as long as it is polled.
    pub(super) async fn send_heartbeats(self: Arc<Self>, interval: Duration) {
        let store = self.store.as_ref();
        self.vitals
            .send_heartbeats(store, &self.options, interval)
            .await;
    }

    /// Whether there may be other workers.
    fn has_peers(&self) -> bool {
        self.options.heartbeat_interval.is_some()
    }

    /// Tells the store that this worker holds nothing any more.
    pub(super) async fn say_farewell(&self) {
        let store = self.store.as_ref();
        self.vitals.say_farewell(store, &self.worker).await;
    }

    /// Takes note of whether the broker has an alarm.
    pub(super) fn note_alarm(&self, alarm: Option<String>) {
        self.vitals.note_alarm(alarm);
    }

    /// Takes note of why no jobs arrive, or that they do again.
    pub(super) fn note_outage(&self, outage: Option<String>) {
        self.vitals.note_outage(outage);
    }

    /// Runs the job of a delivery and settles the delivery.
    pub(super) async fn handle(self: Arc<Self>, delivery: Delivery) -> Outcome {
        let Delivery { body, receipt } = delivery;
        let (job, addressee) = match Job::decode_addressed(&body) {
            Ok(decoded) => decoded,
            Err(error) => {
                tracing::error!("{error}; {} bytes go to the dead letters", body.len());
                let outcome = Outcome::Refused(error.to_string());
                metrics::delivery_settled(&outcome);
                if let Err(error) = settle(receipt, &outcome, Duration::ZERO).await {
                    tracing::warn!("a delivery could not be settled: {error}");
                }
                return outcome;
            }
        };
        // Whatever is logged at all says of which job it is.
        let span = tracing::error_span!(
            "job",
            id = %job.id(),
            method = metrics::method_in_words(&job),
            task = job.series.task,
            seed = job.seed
        );
        self.bring_to_its_end(&job, addressee, receipt)
            .instrument(span)
            .await
    }

    async fn bring_to_its_end(
        &self,
        job: &Job,
        addressee: Option<StoreId>,
        receipt: Box<dyn Receipt>,
    ) -> Outcome {
        let id = job.id();
        self.vitals.held.take(id);
        let (outcome, delay) = match self.attempt(job, addressee).await {
            Ok(settled) => settled,
            Err(stop) => self.outcome_of(stop, job).await,
        };
        log(&outcome);
        metrics::delivery_settled(&outcome);
        metrics::job_settled(job, &outcome);
        if matches!(outcome, Outcome::Stored | Outcome::Poisoned(_)) {
            self.vitals.held.note_finished();
        }
        if let Some(observer) = &self.observer {
            observer(job, &outcome);
        }
        match settle(receipt, &outcome, delay).await {
            Err(error @ TransportError::Refused { .. }) => self.end_because(error),
            // The message comes again; if its trace is stored, it is found there.
            Err(error) => tracing::warn!("a delivery could not be settled: {error}"),
            Ok(()) => {}
        }
        self.vitals.held.settle(id);
        outcome
    }

    async fn outcome_of(&self, stop: Stop, job: &Job) -> Settled {
        let outcome = match stop {
            Stop::Misfit(outcome) => {
                let hold = self.vitals.misfits.tell(job, &outcome);
                tokio::select! {
                    biased;
                    () = self.closed.cancelled() => {}
                    () = self.hold(job, hold) => {}
                }
                return (outcome, misfits::DELAY);
            }
            Stop::Settled(outcome) => outcome,
            Stop::Interrupted => Outcome::Requeued,
            Stop::Refused(error) => {
                self.end_because(error);
                Outcome::Requeued
            }
            Stop::Permanent(error) => {
                self.record_conflict(job, &error).await;
                Outcome::Refused(error.to_string())
            }
        };
        (outcome, Duration::ZERO)
    }

    /// Holds a job for others, longer while the broker has an alarm: then it cannot be published anew, and the broker counts each time
    /// that it takes a message back, until that makes it a dead letter.
    async fn hold(&self, job: &Job, hold: Duration) {
        let patience = Instant::now() + LONGEST_ALARM;
        tokio::time::sleep(hold).await;
        while self.vitals.has_alarm() && Instant::now() < patience {
            self.vitals.held.note_progress(job.id());
            tokio::time::sleep(ALARM_INTERVAL).await;
        }
    }

    /// Ends the consumer: what it may not do, it may not do for the next job either. If it is the
    /// broker that refuses us, what runs may still be stored.
    pub(super) fn end_because(&self, refusal: TransportError) {
        let TransportError::Refused { server, .. } = &refusal else {
            return;
        };
        if *server == Server::Store {
            self.abandoned.cancel();
        }
        self.shutdown.cancel();
        self.refusal.lock().get_or_insert(refusal);
    }

    /// Why the consumer had to end, if it was refused.
    pub(super) fn refusal(&self) -> Option<TransportError> {
        self.refusal.lock().take()
    }

    /// Runs the job once, unless it is done or nobody wants it any more.
    async fn attempt(&self, job: &Job, addressee: Option<StoreId>) -> Result<Settled, Stop> {
        let asking = || self.vitals.misfits.foreign(addressee, self.store.as_ref());
        let asking = self.patiently(&self.closed, "reading the id of the store", asking);
        let foreign = asking.await?;
        if let Some(misfit) = foreign.or_else(|| self.vitals.misfits.other_release(job)) {
            return Err(Stop::Misfit(misfit));
        }
        let _slot = tokio::select! {
            biased;
            () = self.closed.cancelled() => return Err(Stop::Interrupted),
            slot = self.slots.acquire() => slot.map_err(|_| Stop::Interrupted)?,
        };
        if !self.has_time_for(job).await? {
            return Err(Stop::Interrupted);
        }
        let running = self.begin(job).await?;
        self.vitals.held.note_progress(job.id());
        tracing::debug!(
            attempt = running.attempt.count,
            worker = self.worker,
            "begun"
        );
        let ended = match self.compute(job, addressee).await {
            Ok((computed, took)) => {
                self.vitals.misfits.fits();
                let ended = self.store_outcome(job, &running, computed).await;
                if let Err(Stop::Interrupted) = ended {
                    self.note_lost(took);
                }
                ended
            }
            Err(stop) => Err(stop),
        };
        // What the store says of an outcome that it does not take is no end of ours.
        if let Err(Stop::Interrupted | Stop::Refused(_) | Stop::Misfit(_)) = ended {
            self.requeue(job, &running).await;
        }
        ended
    }

    fn note_lost(&self, time: Duration) {
        let lost = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        self.lost.fetch_add(lost, Ordering::Relaxed);
    }

    /// Whether the job is expected to end while there is time. If not, none is begun any more: another worker may have the time.
    async fn has_time_for(&self, job: &Job) -> Result<bool, Stop> {
        let allocation = &self.options.allocation;
        if !allocation.is_bounded() {
            return Ok(true);
        }
        let asking = || self.expectations.of(job, self.store.as_ref());
        let asking = self.patiently(&self.closed, "looking at what jobs take", asking);
        let Some(expected) = asking.await? else {
            return Ok(true);
        };
        let has_time = allocation.has_time_for(expected);
        if !has_time {
            tracing::info!(
                "the next job is expected to take {:.1} s, for which there is no time: nothing more is begun",
                expected.as_secs_f64()
            );
            allocation.close_for_want_of_time();
            self.close();
        }
        Ok(has_time)
    }

    /// Computes the job's trace, and says how long that took. What keeps it waiting for the store or for a process
    /// costs no attempt.
    async fn compute(
        &self,
        job: &Job,
        addressee: Option<StoreId>,
    ) -> Result<(Computed, Duration), Stop> {
        let _running = metrics::RunningJob::begin();
        for failures in 1.. {
            let begin = Instant::now();
            let computed = tokio::select! {
                biased;
                () = self.abandoned.cancelled() => {
                    self.note_lost(begin.elapsed());
                    return Err(Stop::Interrupted);
                }
                computed = self.compute.compute(job) => computed,
            };
            let took = begin.elapsed();
            let outage = match computed {
                Ok(trace) => {
                    tracing::debug!(seconds = took.as_secs_f64(), "computed");
                    metrics::job_computed(job, &trace, took);
                    self.expectations.note(job, took);
                    return Ok((Computed::Trace(trace), took));
                }
                Err(ComputeError::Job { error, backtrace }) => {
                    return Ok((Computed::Failure { error, backtrace }, took));
                }
                Err(ComputeError::Refused(error)) => return Err(Stop::Refused(error)),
                // A process that is its own coordinator knows of no other.
                Err(ComputeError::OtherRelease(error) | ComputeError::MissingTable(error))
                    if !self.has_peers() =>
                {
                    let backtrace = String::new();
                    return Ok((Computed::Failure { error, backtrace }, took));
                }
                Err(ComputeError::MissingTable(error)) => {
                    return Err(Stop::Misfit(Misfits::missing_table(addressee, error)));
                }
                Err(ComputeError::OtherRelease(error)) => {
                    return Err(Stop::Misfit(
                        self.vitals.misfits.note_other_release(job, error),
                    ));
                }
                Err(outage) => outage,
            };
            self.vitals.held.note_progress(job.id());
            let delay = Backoff::FOREVER.delay(failures);
            let seconds = delay.as_secs_f64();
            tracing::warn!("{outage}; running the job again in {seconds:.1} s");
            tokio::select! {
                biased;
                () = self.closed.cancelled() => return Err(Stop::Interrupted),
                () = tokio::time::sleep(delay) => {}
            }
        }
        Err(Stop::Interrupted)
    }

    /// Calls the store until it answers or `interrupted` is cancelled.
    async fn patiently<Value, Call, Answer>(
        &self,
        interrupted: &CancellationToken,
        doing: &'static str,
        call: Call,
    ) -> Result<Value, Stop>
    where
        Call: FnMut() -> Answer,
        Answer: Future<Output = Result<Value, TransportError>>,
    {
        tokio::select! {
            biased;
            answer = retry_transient(Backoff::FOREVER, doing, call) => Ok(answer?),
            () = interrupted.cancelled() => Err(Stop::Interrupted),
        }
    }
}
