//! The loop that turns queued jobs into stored traces.
//!
//! A delivery is acknowledged only when its trace is in the store, so nothing is
//! lost whatever dies in between; the store keeps a job that runs twice from
//! counting twice. The loop outlives restarts of the broker and of the store.
//!
//! - [`run`] takes deliveries from a queue and keeps jobs running side by side, as [`ConsumerOptions`] say;
//! - `handler` brings one delivery to its end;
//! - `held_jobs` knows which jobs this worker holds, and which of them make no progress;
//! - `expectations` are how long jobs take, for a worker whose time is limited;
//! - `misfits` are jobs for the workers of another store or release;
//! - `steps` are what a delivery goes through, and `settling` settles it; `vitals` is what a worker tells of itself.

mod expectations;
mod handler;
mod held_jobs;
mod misfits;
mod options;
mod settling;
mod steps;
mod vitals;
mod worker_name;

use std::sync::Arc;
use std::time::Duration;

use loto_transport::TransportError;
use loto_transport::metrics::RECONNECTS;
use loto_transport::queue::{Consumer, Queue};
use loto_transport::retry::Backoff;
use loto_transport::server::Server;
use loto_transport::store::Store;
use tokio::task::{JoinError, JoinSet};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::handler::Handler;
pub use self::options::ConsumerOptions;
use crate::compute::Compute;
use crate::outcome::{ConsumerSummary, Observer, Outcome};

/// Runs jobs from the queue until it is closed and drained, `shutdown` is cancelled, or
/// there was no job for as long as the options say.
///
/// # Errors
/// [`TransportError`] if the queue cannot be consumed from at the beginning.
/// A connection that is lost later is opened again, for as long as it takes. A broker or a store
/// that refuses us ends it ([`TransportError::Refused`]): what runs is requeued.
pub async fn run(
    queue: Arc<dyn Queue>,
    store: Arc<dyn Store>,
    compute: Arc<dyn Compute>,
    options: ConsumerOptions,
    shutdown: CancellationToken,
    observer: Option<Observer>,
) -> Result<ConsumerSummary, TransportError> {
    let (jobs, grace, exit_when_idle) =
        (options.jobs.max(1), options.grace, options.exit_when_idle);
    let heartbeat_interval = options.heartbeat_interval;
    let allocation = options.allocation.clone();
    // Ours alone: a refusal ends this consumer, not what else the caller runs.
    let shutdown = shutdown.child_token();
    let jobs_arrive = options.readiness.need(JOBS_ARRIVE);
    let receiving = |receives| {
        jobs_arrive.set(receives);
        crate::metrics::consuming(receives, jobs);
    };
    crate::metrics::count_deliveries();
    let mut consumer = queue.consume(jobs).await?;
    receiving(true);
    let handler = Handler::new(store, compute, options, shutdown.clone(), observer);
    let handler = Arc::new(handler);
    let heartbeats =
        heartbeat_interval.map(|interval| tokio::spawn(handler.clone().send_heartbeats(interval)));
    let alarms = heartbeat_interval
        .map(|interval| tokio::spawn(watch_alarms(queue.clone(), handler.clone(), interval)));
    let mut running = JoinSet::new();
    let mut summary = ConsumerSummary::default();
    let mut idle_since = Instant::now();
    loop {
        let idle_until = idle_since + exit_when_idle.unwrap_or_default();
        tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            () = allocation.closed() => {
                handler.close();
                break;
            }
            Some(ended) = running.join_next() => {
                let outcome = outcome_of(ended);
                summary.count(&outcome);
                // Jobs for others are no reason to stay.
                if !outcome.is_misfit() {
                    idle_since = Instant::now();
                }
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
                    handler.note_outage(Some(format!("gets no jobs: {error}")));
                    receiving(false);
                    tokio::select! {
                        biased;
                        () = shutdown.cancelled() => break,
                        () = allocation.closed() => {
                            handler.close();
                            break;
                        }
                        anew = consume_anew(&*queue, jobs) => match anew {
                            Ok(anew) => consumer = anew,
                            Err(refusal) => {
                                handler.end_because(refusal);
                                break;
                            }
                        },
                    }
                    tracing::info!("receiving jobs again");
                    handler.note_outage(None);
                    idle_since = Instant::now();
                    receiving(true);
                    metrics::counter!(RECONNECTS, "server" => Server::Broker.name()).increment(1);
                }
            },
        }
    }
    // No more deliveries: what the broker sends from here on goes back to it.
    drop(consumer);
    receiving(false);
    let in_time = tokio::select! {
        biased;
        () = drain(&mut running, &mut summary) => true,
        () = allocation.over() => false,
        () = grace_is_over(&shutdown, grace) => false,
    };
    if !in_time {
        let jobs = running.len();
        handler.abandon();
        let settling = drain(&mut running, &mut summary);
        if tokio::time::timeout(SETTLING, settling).await.is_err() {
            tracing::warn!(
                "{} jobs could not be given back in time: they come again once the connection has ended",
                running.len()
            );
            running.abort_all();
            drain(&mut running, &mut summary).await;
        }
        let lost = handler.lost_time().as_secs_f64();
        tracing::warn!(
            "{jobs} jobs were not computed and stored in time and are requeued: {lost:.1} s of computing are lost"
        );
    }
    if let Some(alarms) = alarms {
        alarms.abort();
    }
    if let Some(heartbeats) = heartbeats {
        heartbeats.abort();
        handler.say_farewell().await;
    }
    handler.refusal().map_or(Ok(summary), Err)
}

/// How long jobs that were left alone may take to be given back: a broker that does not answer must not keep a worker that
/// is to end.
const SETTLING: Duration = Duration::from_millis(2500);

/// What a worker needs to be of use, from the moment at which it starts.
pub(crate) const JOBS_ARRIVE: &str = "jobs from the broker";

/// Asks the broker regularly whether it has an alarm; that it is unavailable is noticed elsewhere.
async fn watch_alarms(queue: Arc<dyn Queue>, handler: Arc<Handler>, interval: Duration) {
    loop {
        if let Ok(alarm) = queue.alarm().await {
            handler.note_alarm(alarm);
        }
        tokio::time::sleep(interval).await;
    }
}

/// Tries to reach the queue until it works or refuses us.
async fn consume_anew(queue: &dyn Queue, jobs: u16) -> Result<Box<dyn Consumer>, TransportError> {
    let mut failures = 0;
    loop {
        failures += 1;
        tokio::time::sleep(Backoff::FOREVER.delay(failures)).await;
        match queue.consume(jobs).await {
            Err(error) if !matches!(error, TransportError::Refused { .. }) => {
                tracing::warn!("{error}; trying again");
            }
            settled => return settled,
        }
    }
}

/// Waits for as long as running jobs may take to end once the consumer was asked to.
async fn grace_is_over(shutdown: &CancellationToken, grace: Duration) {
    shutdown.cancelled().await;
    tokio::time::sleep(grace).await;
}

async fn drain(running: &mut JoinSet<Outcome>, summary: &mut ConsumerSummary) {
    while let Some(ended) = running.join_next().await {
        summary.count(&outcome_of(ended));
    }
}

/// The handler catches what jobs do; a panic of its own is passed on.
fn outcome_of(ended: Result<Outcome, JoinError>) -> Outcome {
    ended.unwrap_or_else(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Outcome::Requeued,
    })
}

#[cfg(test)]
mod tests;
