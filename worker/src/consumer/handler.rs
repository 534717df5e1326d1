//! Brings one delivery to its end.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::job::Job;
use loto_proto::lifecycle::{self, Begin};
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::queue::{Delivery, Receipt};
use loto_transport::retry::{RetryPolicy, retry_transient};
use loto_transport::server::Server;
use loto_transport::store::{Store, Stored};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::held_jobs::HeldJobs;
use super::{Compute, ComputeError, ConsumerOptions, Observer, Outcome};
use crate::metrics;

/// Pause before a job comes again that another worker has taken up meanwhile.
const TAKEN_UP: Duration = Duration::from_secs(5);

/// How long the last words to the store may take at a shutdown.
const FAREWELL: Duration = Duration::from_secs(2);

/// What handles the deliveries of one consumer.
pub(super) struct Handler {
    store: Arc<dyn Store>,
    compute: Arc<dyn Compute>,
    options: ConsumerOptions,
    /// One permit per job that may run; redelivered jobs wait here.
    slots: Semaphore,
    held: HeldJobs,
    /// Nothing new is begun once this is cancelled.
    shutdown: CancellationToken,
    /// Running jobs are left alone once this is cancelled.
    abandoned: CancellationToken,
    worker: String,
    observer: Option<Observer>,
    /// Why the consumer has to end before it is asked to.
    refusal: Mutex<Option<TransportError>>,
}

/// An attempt of ours, as the store holds it.
struct Running {
    attempt: Attempt,
    version: AttemptVersion,
}

/// What a delivery came to, and the pause before its message comes again.
type Settled = (Outcome, Duration);

/// Why a delivery did not get its ordinary outcome.
enum Stop {
    /// A shutdown came first.
    Interrupted,
    /// The store refuses this worker: the job may be another's.
    Refused(TransportError),
    /// The store says what trying again cannot mend.
    Permanent(TransportError),
}

impl From<TransportError> for Stop {
    fn from(error: TransportError) -> Self {
        match error {
            TransportError::Refused { .. } => Self::Refused(error),
            error => Self::Permanent(error),
        }
    }
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
            held: HeldJobs::default(),
            options,
            shutdown,
            abandoned: CancellationToken::new(),
            worker: worker_name(),
            observer,
            refusal: Mutex::default(),
        }
    }

    /// Gives back whatever is still running.
    pub(super) fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// Tells the store which jobs are held, as long as it is polled.
    pub(super) async fn report(self: Arc<Self>, interval: Duration) {
        let store = self.store.as_ref();
        let need = self.options.readiness.need("the store");
        self.held.report(&self.worker, store, interval, &need).await;
    }

    /// Tells the store that this worker holds nothing any more.
    pub(super) async fn withdraw_report(&self) {
        let forgetting = self.store.forget_worker(&self.worker);
        // It is forgotten anyway when its report stays the same for long.
        let _forgotten = tokio::time::timeout(FAREWELL, forgetting).await;
    }

    /// Runs the job of a delivery and settles the delivery.
    pub(super) async fn handle(self: Arc<Self>, delivery: Delivery) -> Outcome {
        let Delivery { body, receipt } = delivery;
        let job = match Job::decode(&body) {
            Ok(job) => job,
            Err(error) => {
                tracing::error!("{error}; {} bytes go to the dead letters", body.len());
                let outcome = Outcome::Refused(error.to_string());
                if let Err(error) = settle(receipt, &outcome, Duration::ZERO).await {
                    tracing::warn!("a delivery could not be settled: {error}");
                }
                return outcome;
            }
        };
        let id = job.id();
        let span = tracing::info_span!(
            "job",
            %id,
            method = job.series.method.id,
            task = job.series.task,
            seed = job.seed
        );
        self.bring_to_its_end(&job, receipt).instrument(span).await
    }

    async fn bring_to_its_end(&self, job: &Job, receipt: Box<dyn Receipt>) -> Outcome {
        let id = job.id();
        self.held.take(id);
        let (outcome, pause) = match self.attempt(job).await {
            Ok(settled) => settled,
            Err(Stop::Interrupted) => (Outcome::GivenBack, Duration::ZERO),
            Err(Stop::Refused(error)) => {
                self.end_because(error);
                (Outcome::GivenBack, Duration::ZERO)
            }
            Err(Stop::Permanent(error)) => {
                self.record_conflict(job, &error).await;
                (Outcome::Refused(error.to_string()), Duration::ZERO)
            }
        };
        log(&outcome);
        metrics::job_settled(job, &outcome);
        if let Some(observer) = &self.observer {
            observer(job, &outcome);
        }
        match settle(receipt, &outcome, pause).await {
            Err(error @ TransportError::Refused { .. }) => self.end_because(error),
            // The message comes again; if its trace is stored, it is found there.
            Err(error) => tracing::warn!("a delivery could not be settled: {error}"),
            Ok(()) => {}
        }
        self.held.settle(id);
        outcome
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
        lock(&self.refusal).get_or_insert(refusal);
    }

    /// Why the consumer had to end, if it was refused.
    pub(super) fn refusal(&self) -> Option<TransportError> {
        lock(&self.refusal).take()
    }

    /// Runs the job once, unless it is done or nobody wants it any more.
    async fn attempt(&self, job: &Job) -> Result<Settled, Stop> {
        let _slot = tokio::select! {
            () = self.shutdown.cancelled() => return Err(Stop::Interrupted),
            slot = self.slots.acquire() => slot.map_err(|_| Stop::Interrupted)?,
        };
        let at_once = |outcome| Ok((outcome, Duration::ZERO));
        let running = match self.begin(job).await? {
            Ok(running) => running,
            Err(outcome) => return at_once(outcome),
        };
        let number = running.attempt.count;
        tracing::debug!(attempt = number, worker = self.worker, "begun");
        let trace = match self.compute(job).await {
            Ok(Ok(trace)) => trace,
            Ok(Err((error, backtrace))) => {
                let give_up = self.options.give_up;
                let next = lifecycle::fail(&running.attempt, &error, &backtrace, give_up);
                if self.replace(job, &running.version, &next).await?.is_none() {
                    return Ok((Outcome::GivenBack, TAKEN_UP));
                }
                return match next.state {
                    AttemptState::Poisoned => at_once(Outcome::Poisoned(error)),
                    _ => {
                        let pause = self.options.failure_pauses.pause(next.failures);
                        Ok((Outcome::Failed(error), pause))
                    }
                };
            }
            Err(stop) => {
                self.hand_back(job, &running).await;
                return Err(stop);
            }
        };
        let storing = || self.store.put_trace(job, &trace);
        match self
            .patiently(&self.abandoned, "storing a trace", storing)
            .await?
        {
            Stored::New => at_once(Outcome::Stored),
            Stored::Already => at_once(Outcome::AlreadyDone),
        }
    }

    /// Records that the job begins; the inner error is what becomes of it if it does not.
    async fn begin(&self, job: &Job) -> Result<Result<Running, Outcome>, Stop> {
        let series = job.series.id();
        loop {
            let reading = || self.store.job_record(series, job.seed);
            let record = self
                .patiently(&self.shutdown, "looking at a job", reading)
                .await?;
            let (attempt, outcome) =
                match lifecycle::begin(&record, &self.worker, self.options.give_up) {
                    Begin::Done => return Ok(Err(Outcome::AlreadyDone)),
                    Begin::Drop => return Ok(Err(Outcome::Dropped)),
                    Begin::Run(attempt) => (attempt, None),
                    Begin::GiveUp(attempt) => {
                        let problem = attempt.error.clone();
                        (attempt, Some(Outcome::Poisoned(problem)))
                    }
                };
            // If another worker was faster, what it recorded decides.
            if let Some(version) = self.replace(job, &record.version, &attempt).await? {
                return Ok(match outcome {
                    None => Ok(Running { attempt, version }),
                    Some(outcome) => Err(outcome),
                });
            }
        }
    }

    async fn replace(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, Stop> {
        let recording = || self.store.put_attempt(job, expected, attempt);
        self.patiently(&self.abandoned, "recording an attempt", recording)
            .await
    }

    /// An attempt that we end ourselves costs the job nothing; if the store does not
    /// hear of it in time, it costs it little.
    async fn hand_back(&self, job: &Job, running: &Running) {
        let next = lifecycle::hand_back(&running.attempt);
        let recording = self.store.put_attempt(job, &running.version, &next);
        let _recorded = tokio::time::timeout(FAREWELL, recording).await;
    }

    /// Makes another outcome than the stored one known to those who look at the sweep.
    async fn record_conflict(&self, job: &Job, error: &TransportError) {
        if matches!(error, TransportError::Conflict { .. }) {
            let problem = format!("{error}; found by {}", self.worker);
            let recording = || self.store.put_conflict(job, &problem);
            let recording = self.patiently(&self.abandoned, "recording a conflict", recording);
            let _interrupted = recording.await;
        }
    }

    /// Computes the job's trace. What went wrong with the job is the inner error, with its
    /// backtrace; an outage is waited for and costs no attempt.
    async fn compute(&self, job: &Job) -> Result<Result<Trace, (String, String)>, Stop> {
        let _running = metrics::RunningJob::begin();
        for failures in 1.. {
            let begin = Instant::now();
            let computed = tokio::select! {
                () = self.abandoned.cancelled() => return Err(Stop::Interrupted),
                computed = self.compute.compute(job) => computed,
            };
            let problem = match computed {
                Ok(trace) => {
                    let took = begin.elapsed();
                    tracing::debug!(seconds = took.as_secs_f64(), "computed");
                    metrics::job_computed(job, &trace, took);
                    return Ok(Ok(trace));
                }
                Err(ComputeError::Job { error, backtrace }) => return Ok(Err((error, backtrace))),
                Err(ComputeError::Refused(error)) => return Err(Stop::Refused(error)),
                Err(ComputeError::Outage(problem)) => problem,
            };
            let pause = RetryPolicy::FOREVER.pause(failures);
            let seconds = pause.as_secs_f64();
            tracing::warn!("{problem}; running the job again in {seconds:.1} s");
            tokio::select! {
                () = self.shutdown.cancelled() => return Err(Stop::Interrupted),
                () = tokio::time::sleep(pause) => {}
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
            answer = retry_transient(RetryPolicy::FOREVER, doing, call) => Ok(answer?),
            () = interrupted.cancelled() => Err(Stop::Interrupted),
        }
    }
}

fn lock(refusal: &Mutex<Option<TransportError>>) -> MutexGuard<'_, Option<TransportError>> {
    // Nothing panics while it holds the lock.
    refusal.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn settle(
    receipt: Box<dyn Receipt>,
    outcome: &Outcome,
    pause: Duration,
) -> Result<(), TransportError> {
    match outcome {
        Outcome::Stored | Outcome::AlreadyDone | Outcome::Poisoned(_) | Outcome::Dropped => {
            receipt.acknowledge().await
        }
        Outcome::Failed(_) | Outcome::GivenBack => receipt.give_back(pause).await,
        Outcome::Refused(_) => receipt.reject().await,
    }
}

/// Says what a job came to; the span around it names the job.
fn log(outcome: &Outcome) {
    match outcome {
        Outcome::Stored => tracing::debug!("stored"),
        Outcome::AlreadyDone => tracing::debug!("done already"),
        Outcome::GivenBack => tracing::info!("given back"),
        Outcome::Dropped => tracing::debug!("given up or cancelled before"),
        Outcome::Failed(problem) => tracing::warn!("it failed: {problem}"),
        Outcome::Poisoned(problem) => tracing::error!("it is given up: {problem}"),
        Outcome::Refused(problem) => tracing::error!("it goes to the dead letters: {problem}"),
    }
}

/// Host name and process id.
fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = host.as_deref().map_or("unknown-host", str::trim);
    format!("{host}:{}", std::process::id())
}
