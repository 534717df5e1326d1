//! Brings one delivery to its end.

use std::sync::Arc;

use loto_proto::ProtoError;
use loto_proto::job::Job;
use loto_proto::queue::{Delivery, Receipt};
use loto_proto::retry::{RetryPolicy, retry_transient};
use loto_proto::store::{Attempt, AttemptState, Store, Stored};
use loto_proto::trace::Trace;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::{Compute, ConsumerOptions, Observer, Outcome};
use crate::WorkerError;

/// How often a job may be begun and not come to any end before it is taken for
/// one that kills its worker. Below the broker's delivery limit, which would
/// drop the job without a word on why.
const MAX_UNFINISHED: u32 = 10;

/// What handles the deliveries of one consumer.
pub(super) struct Handler {
    store: Arc<dyn Store>,
    compute: Compute,
    options: ConsumerOptions,
    /// One permit per job that may run; redelivered jobs wait here.
    slots: Semaphore,
    /// Nothing new is begun once this is cancelled.
    shutdown: CancellationToken,
    /// Running jobs are left alone once this is cancelled.
    abandoned: CancellationToken,
    worker: String,
    observer: Option<Observer>,
}

/// Why a delivery did not get its ordinary outcome.
enum Stop {
    /// A shutdown came first.
    Interrupted,
    /// The store says what trying again cannot mend.
    Permanent(ProtoError),
}

impl From<ProtoError> for Stop {
    fn from(error: ProtoError) -> Self {
        Self::Permanent(error)
    }
}

impl Handler {
    pub(super) fn new(
        store: Arc<dyn Store>,
        compute: Compute,
        options: ConsumerOptions,
        shutdown: CancellationToken,
        observer: Option<Observer>,
    ) -> Self {
        Self {
            store,
            compute,
            slots: Semaphore::new(options.jobs.max(1).into()),
            options,
            shutdown,
            abandoned: CancellationToken::new(),
            worker: worker_name(),
            observer,
        }
    }

    /// Gives back whatever is still running.
    pub(super) fn abandon(&self) {
        self.abandoned.cancel();
    }

    /// Runs the job of a delivery and settles the delivery.
    pub(super) async fn handle(self: Arc<Self>, delivery: Delivery) -> Outcome {
        let Delivery { body, receipt } = delivery;
        let outcome = match Job::decode(&body) {
            Ok(job) => {
                let outcome = self.outcome(&job).await;
                log(&job, &outcome);
                if let Some(observer) = &self.observer {
                    observer(&job, &outcome);
                }
                outcome
            }
            Err(error) => {
                tracing::error!("{error}; {} bytes go to the dead letters", body.len());
                Outcome::Refused(error.to_string())
            }
        };
        if matches!(outcome, Outcome::Failed(_)) {
            // The job's slot is free again, and its message waits here rather than go round in haste.
            tokio::select! {
                () = self.shutdown.cancelled() => {}
                () = tokio::time::sleep(self.options.failure_pause) => {}
            }
        }
        if let Err(error) = settle(receipt, &outcome).await {
            // The message comes again; if its trace is stored, it is found there.
            tracing::warn!("a delivery could not be settled: {error}");
        }
        outcome
    }

    async fn outcome(&self, job: &Job) -> Outcome {
        match self.attempt(job).await {
            Ok(outcome) => outcome,
            Err(Stop::Interrupted) => Outcome::GivenBack,
            Err(Stop::Permanent(error)) => Outcome::Refused(error.to_string()),
        }
    }

    /// Runs the job once, unless it is done already.
    async fn attempt(&self, job: &Job) -> Result<Outcome, Stop> {
        let _slot = tokio::select! {
            () = self.shutdown.cancelled() => return Err(Stop::Interrupted),
            slot = self.slots.acquire() => slot.map_err(|_| Stop::Interrupted)?,
        };
        let series = job.series.id();
        let store = &*self.store;
        let looking = || store.trace(series, job.seed);
        if self
            .patiently(&self.shutdown, "looking for a trace", looking)
            .await?
            .is_some()
        {
            return Ok(Outcome::AlreadyDone);
        }
        let previous = self.previous_attempt(job).await?;
        let mut attempt = Attempt {
            count: previous
                .as_ref()
                .map_or(0, |attempt| attempt.count)
                .saturating_add(1),
            state: AttemptState::Running,
            worker: self.worker.clone(),
            error: previous.map_or(String::new(), |attempt| attempt.error),
        };
        if attempt.count > MAX_UNFINISHED.max(self.options.max_attempts) {
            return self
                .poison(job, attempt, "its worker died whenever it ran")
                .await;
        }
        self.record(job, &attempt).await?;
        let trace = match self.compute(job).await? {
            Ok(trace) => trace,
            Err(problem) if attempt.count >= self.options.max_attempts => {
                return self.poison(job, attempt, &problem).await;
            }
            Err(problem) => {
                attempt.state = AttemptState::Failed;
                attempt.error.clone_from(&problem);
                self.record(job, &attempt).await?;
                return Ok(Outcome::Failed(problem));
            }
        };
        let storing = || store.put_trace(job, &trace);
        match self
            .patiently(&self.abandoned, "storing a trace", storing)
            .await?
        {
            Stored::New => Ok(Outcome::Stored),
            Stored::Already => Ok(Outcome::AlreadyDone),
        }
    }

    /// The last attempt that counts: a poisoned job that was submitted again begins afresh.
    async fn previous_attempt(&self, job: &Job) -> Result<Option<Attempt>, Stop> {
        let series = [job.series.id()];
        let reading = || self.store.attempts(&series);
        let attempts = self
            .patiently(&self.shutdown, "reading attempts", reading)
            .await?;
        let mut attempts = attempts.into_iter().flatten();
        let last = attempts
            .find(|(seed, _)| *seed == job.seed)
            .map(|(_, attempt)| attempt);
        Ok(last.filter(|attempt| attempt.state != AttemptState::Poisoned))
    }

    async fn poison(
        &self,
        job: &Job,
        mut attempt: Attempt,
        problem: &str,
    ) -> Result<Outcome, Stop> {
        attempt.state = AttemptState::Poisoned;
        attempt.error = problem.to_owned();
        self.record(job, &attempt).await?;
        Ok(Outcome::Poisoned(problem.to_owned()))
    }

    async fn record(&self, job: &Job, attempt: &Attempt) -> Result<(), Stop> {
        let recording = || self.store.put_attempt(job, attempt);
        self.patiently(&self.abandoned, "recording an attempt", recording)
            .await
    }

    /// Computes the job's trace on a thread of its own. What went wrong with the
    /// job is the inner error; an outage of the store is waited for and costs no attempt.
    async fn compute(&self, job: &Job) -> Result<Result<Trace, String>, Stop> {
        for failures in 1.. {
            let (compute, job) = (self.compute.clone(), job.clone());
            let computing = tokio::task::spawn_blocking(move || compute(&job));
            let computed = tokio::select! {
                // The thread cannot be stopped; its trace is not waited for.
                () = self.abandoned.cancelled() => return Err(Stop::Interrupted),
                computed = computing => computed,
            };
            let pause = RetryPolicy::FOREVER.pause(failures);
            match computed {
                Ok(Err(WorkerError::Proto(error))) if error.is_transient() => {
                    tracing::warn!(
                        "{error}; running the job again in {:.1} s",
                        pause.as_secs_f64()
                    );
                }
                Ok(result) => return Ok(result.map_err(|error| error.to_string())),
                Err(error) => return Ok(Err(panic_message(error))),
            }
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
        doing: &str,
        call: Call,
    ) -> Result<Value, Stop>
    where
        Call: FnMut() -> Answer,
        Answer: Future<Output = Result<Value, ProtoError>>,
    {
        tokio::select! {
            answer = retry_transient(RetryPolicy::FOREVER, doing, call) => Ok(answer?),
            () = interrupted.cancelled() => Err(Stop::Interrupted),
        }
    }
}

async fn settle(receipt: Box<dyn Receipt>, outcome: &Outcome) -> Result<(), ProtoError> {
    match outcome {
        Outcome::Stored | Outcome::AlreadyDone | Outcome::Poisoned(_) => {
            receipt.acknowledge().await
        }
        Outcome::Failed(_) | Outcome::GivenBack => receipt.give_back().await,
        Outcome::Refused(_) => receipt.reject().await,
    }
}

fn log(job: &Job, outcome: &Outcome) {
    let id = job.id();
    let name = format!(
        "job {id} ({} on {}, seed {})",
        job.series.method.id, job.series.task, job.seed
    );
    match outcome {
        Outcome::Stored => tracing::debug!("{name}: stored"),
        Outcome::AlreadyDone => tracing::debug!("{name}: done already"),
        Outcome::GivenBack => tracing::info!("{name}: given back"),
        Outcome::Failed(problem) => tracing::warn!("{name} failed: {problem}"),
        Outcome::Poisoned(problem) => tracing::error!("{name} is given up: {problem}"),
        Outcome::Refused(problem) => tracing::error!("{name} goes to the dead letters: {problem}"),
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

/// Host name and process id.
fn worker_name() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let host = host.as_deref().map_or("unknown-host", str::trim);
    format!("{host}:{}", std::process::id())
}
