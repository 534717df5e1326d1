//! The loop that turns queued jobs into stored traces.
//!
//! A delivery is acknowledged only when its trace is in the store, so nothing is
//! lost whatever dies in between; the store keeps a job that runs twice from
//! counting twice. The loop outlives restarts of the broker and of the store.
//!
//! - [`run`] takes deliveries from a queue and keeps jobs running side by side;
//! - `handler` brings one delivery to its end;
//! - `compute` says who computes: threads here, or [`crate::isolation::ProcessPool`];
//! - `blobs` gives the runner's threads access to the store;
//! - `held_jobs` tells the store which jobs this worker holds.

mod blobs;
mod compute;
mod handler;
mod held_jobs;

use std::sync::Arc;
use std::time::Duration;

use loto_process::observation::readiness::{Need, Readiness};
use loto_proto::job::Job;
use loto_proto::lifecycle::GiveUp;
use loto_transport::TransportError;
use loto_transport::metrics::RECONNECTS;
use loto_transport::queue::{Consumer, Queue};
use loto_transport::retry::RetryPolicy;
use loto_transport::store::Store;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

pub use self::blobs::StoreBlobs;
pub use self::compute::{Compute, ComputeError, Threads, methods_on_threads};
use self::handler::Handler;
use crate::WorkerError;

/// How a consumer works.
#[derive(Debug, Clone)]
pub struct ConsumerOptions {
    /// Jobs that run side by side.
    pub jobs: u16,
    /// When a job is poisoned.
    pub give_up: GiveUp,
    /// Pauses before a failed job is tried again, growing from failure to failure.
    pub failure_pauses: RetryPolicy,
    /// How long running jobs may take to end after a shutdown was asked for.
    pub grace: Duration,
    /// How long to wait without a job before the loop ends; `None`: for ever.
    pub exit_when_idle: Option<Duration>,
    /// Time between two reports to the store on the jobs that are held; `None`: nobody
    /// asks, as in a process that is its own coordinator.
    pub reports: Option<Duration>,
    /// Told whether the broker sends jobs and the store takes reports.
    pub readiness: Readiness,
}

impl Default for ConsumerOptions {
    fn default() -> Self {
        Self {
            jobs: 1,
            give_up: GiveUp {
                failures: 3,
                // Below the broker's delivery limit, which would drop the job without a word on why.
                vanished: 10,
            },
            failure_pauses: RetryPolicy::FAILED_JOB,
            grace: Duration::from_secs(30),
            exit_when_idle: None,
            reports: None,
            readiness: Readiness::default(),
        }
    }
}

/// What became of one delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The job ran and its trace is stored.
    Stored,
    /// The trace was in the store already.
    AlreadyDone,
    /// The job failed and goes back to the queue; the error says why.
    Failed(String),
    /// The job failed too often and is given up; the error of the last attempt says why.
    Poisoned(String),
    /// The message went to the dead letters: it is no job, or the store holds
    /// another or a damaged outcome for it. Trying again cannot help.
    Refused(String),
    /// The job goes back to the queue: a shutdown came first, or another worker has
    /// taken it up.
    GivenBack,
    /// The job was given up or its sweep cancelled: its message is forgotten.
    Dropped,
}

/// How many deliveries had which outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsumerSummary {
    /// Jobs that ran and whose trace was stored.
    pub stored: u64,
    /// Jobs whose trace was there already.
    pub already_done: u64,
    /// Attempts that failed and were put back.
    pub failed: u64,
    /// Jobs that were given up.
    pub poisoned: u64,
    /// Messages that went to the dead letters.
    pub refused: u64,
    /// Jobs given back.
    pub given_back: u64,
    /// Jobs that were given up or cancelled before.
    pub dropped: u64,
}

impl ConsumerSummary {
    fn count(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Stored => &mut self.stored,
            Outcome::AlreadyDone => &mut self.already_done,
            Outcome::Failed(_) => &mut self.failed,
            Outcome::Poisoned(_) => &mut self.poisoned,
            Outcome::Refused(_) => &mut self.refused,
            Outcome::GivenBack => &mut self.given_back,
            Outcome::Dropped => &mut self.dropped,
        } += 1;
    }
}

/// Called with every job that was settled; must return quickly.
pub type Observer = Arc<dyn Fn(&Job, &Outcome) + Send + Sync>;

/// Runs jobs from the queue until it is closed and drained, `shutdown` is cancelled, or
/// there was no job for as long as the options say.
///
/// # Errors
/// [`WorkerError::Transport`] if the queue cannot be consumed from at the beginning.
/// A connection that is lost later is opened again, for as long as it takes. A broker or a store
/// that refuses us ends it ([`TransportError::Refused`]): what runs is given back.
pub async fn run(
    queue: Arc<dyn Queue>,
    store: Arc<dyn Store>,
    compute: Arc<dyn Compute>,
    options: ConsumerOptions,
    shutdown: CancellationToken,
    observer: Option<Observer>,
) -> Result<ConsumerSummary, WorkerError> {
    let reports = options.reports;
    let (jobs, grace) = (options.jobs.max(1), options.grace);
    // Ours alone: a refusal ends this consumer, not what else the caller runs.
    let shutdown = shutdown.child_token();
    let exit_when_idle = options.exit_when_idle;
    let receiving = Receiving::new(&options);
    let mut consumer = queue.consume(jobs).await?;
    receiving.set(true);
    let handler = Arc::new(Handler::new(
        store,
        compute,
        options,
        shutdown.clone(),
        observer,
    ));
    let reporting = reports.map(|interval| tokio::spawn(handler.clone().report(interval)));
    let mut running = JoinSet::new();
    let mut summary = ConsumerSummary::default();
    let mut idle_since = Instant::now();
    loop {
        let idle_until = idle_since + exit_when_idle.unwrap_or_default();
        tokio::select! {
            () = shutdown.cancelled() => break,
            Some(ended) = running.join_next() => {
                summary.count(&outcome_of(ended));
                idle_since = Instant::now();
            }
            () = tokio::time::sleep_until(idle_until),
                if exit_when_idle.is_some() && running.is_empty() =>
            {
                tracing::info!("ending: there was no job");
                break;
            }
            next = consumer.next() => match next {
                Ok(Some(delivery)) => {
                    running.spawn(handler.clone().handle(delivery));
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!("{error}; running jobs go on");
                    receiving.set(false);
                    match consume_anew(&*queue, jobs, &shutdown).await {
                        Ok(Some(anew)) => {
                            consumer = anew;
                            idle_since = Instant::now();
                        }
                        Ok(None) => break,
                        Err(refusal) => {
                            handler.end_because(refusal);
                            break;
                        }
                    }
                    receiving.set(true);
                    metrics::counter!(RECONNECTS, "server" => "broker").increment(1);
                }
            },
        }
    }
    // No more deliveries: what the broker sends from here on goes back to it.
    drop(consumer);
    receiving.set(false);
    let in_time = tokio::time::timeout(grace, drain(&mut running, &mut summary)).await;
    if in_time.is_err() {
        tracing::warn!(
            "{} jobs did not end in time and are given back",
            running.len()
        );
        handler.abandon();
        drain(&mut running, &mut summary).await;
    }
    if let Some(reporting) = reporting {
        reporting.abort();
        handler.withdraw_report().await;
    }
    match handler.refusal() {
        Some(refusal) => Err(refusal.into()),
        None => Ok(summary),
    }
}

/// What a worker needs to be of use, from the moment at which it starts.
pub(crate) const JOBS_ARRIVE: &str = "jobs from the broker";

/// Whether the broker sends jobs, as others see it.
struct Receiving {
    need: Need,
    jobs: u16,
}

impl Receiving {
    fn new(options: &ConsumerOptions) -> Self {
        let need = options.readiness.need(JOBS_ARRIVE);
        let jobs = options.jobs;
        Self { need, jobs }
    }

    fn set(&self, receives: bool) {
        self.need.set(receives);
        crate::metrics::consuming(receives, self.jobs);
    }
}

/// Tries to reach the queue until it works; `None` if a shutdown comes first, an error if it
/// refuses us.
async fn consume_anew(
    queue: &dyn Queue,
    jobs: u16,
    shutdown: &CancellationToken,
) -> Result<Option<Box<dyn Consumer>>, TransportError> {
    let policy = RetryPolicy::FOREVER;
    for failures in 1.. {
        tokio::select! {
            () = shutdown.cancelled() => return Ok(None),
            () = tokio::time::sleep(policy.pause(failures)) => {}
        }
        let consumer = tokio::select! {
            () = shutdown.cancelled() => return Ok(None),
            consumer = queue.consume(jobs) => consumer,
        };
        match consumer {
            Ok(consumer) => {
                tracing::info!("receiving jobs again");
                return Ok(Some(consumer));
            }
            Err(refusal @ TransportError::Refused { .. }) => return Err(refusal),
            Err(error) => tracing::warn!("{error}; trying again"),
        }
    }
    Ok(None)
}

async fn drain(running: &mut JoinSet<Outcome>, summary: &mut ConsumerSummary) {
    while let Some(ended) = running.join_next().await {
        summary.count(&outcome_of(ended));
    }
}

/// The handler catches what jobs do; a panic of its own is passed on.
fn outcome_of(ended: Result<Outcome, tokio::task::JoinError>) -> Outcome {
    match ended {
        Ok(outcome) => outcome,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => Outcome::GivenBack,
        },
    }
}

#[cfg(test)]
mod tests;
