//! What the store is told of an attempt at a job: that it begins, what it came to, or that it goes back to the queue.

use std::sync::atomic::Ordering;
use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::job::Job;
use loto_proto::lifecycle::{self, Begin};
use loto_transport::TransportError;
use loto_transport::store::Stored;

use super::{Handler, TAKEN};
use crate::consumer::steps::{Computed, Running, Settled, Stop};
use crate::consumer::vitals::FAREWELL;
use crate::outcome::Outcome;

impl Handler {
    /// Records that the job begins.
    pub(super) async fn begin(&self, job: &Job) -> Result<Running, Stop> {
        let series = job.series.id();
        let delivery = self.deliveries.fetch_add(1, Ordering::Relaxed);
        let token = format!("{}/{delivery}", self.options.process);
        let limits = self.options.attempt_limits;
        loop {
            let reading = || self.store.job_record(series, job.seed);
            let reading = self.patiently(&self.closed, "looking at a job", reading);
            let record = reading.await?;
            let attempt = match lifecycle::begin(&record, &self.worker, &token, limits) {
                Begin::Done => return Err(Stop::Settled(Outcome::AlreadyDone)),
                Begin::Drop => return Err(Stop::Settled(Outcome::Dropped)),
                Begin::Run(attempt) | Begin::Poison(attempt) => attempt,
            };
            // If another worker was faster, what it recorded decides.
            let Some(version) = self.replace(job, &record.version, &attempt).await? else {
                continue;
            };
            return match attempt.state {
                AttemptState::Poisoned => Err(Stop::Settled(Outcome::Poisoned(attempt.error))),
                _ => Ok(Running { attempt, version }),
            };
        }
    }

    /// Stores what the job was computed to, or that it failed.
    pub(super) async fn store_outcome(
        &self,
        job: &Job,
        running: &Running,
        computed: Computed,
    ) -> Result<Settled, Stop> {
        let trace = match computed {
            Computed::Trace(trace) => trace,
            Computed::Failure { error, backtrace } => {
                return self.fail(job, running, error, &backtrace).await;
            }
        };
        let storing = || self.store.put_trace(job, &trace);
        let storing = self.patiently(&self.abandoned, "storing a trace", storing);
        let outcome = match storing.await? {
            Stored::New => Outcome::Stored,
            Stored::Already => Outcome::AlreadyDone,
        };
        Ok((outcome, Duration::ZERO))
    }

    /// Records that the attempt failed.
    async fn fail(
        &self,
        job: &Job,
        running: &Running,
        error: String,
        backtrace: &str,
    ) -> Result<Settled, Stop> {
        let attempt_limits = self.options.attempt_limits;
        let next = lifecycle::fail(&running.attempt, &error, backtrace, attempt_limits);
        Ok(match self.replace(job, &running.version, &next).await? {
            None => self.fail_superseded(job, running, error, backtrace).await?,
            Some(_) if next.state == AttemptState::Poisoned => {
                (Outcome::Poisoned(error), Duration::ZERO)
            }
            Some(_) => {
                let delay = self.options.failure_backoff.delay(next.failures);
                (Outcome::Failed(error), delay)
            }
        })
    }

    /// Records that an attempt failed after which another worker began the job.
    async fn fail_superseded(
        &self,
        job: &Job,
        running: &Running,
        error: String,
        backtrace: &str,
    ) -> Result<Settled, Stop> {
        let limits = self.options.attempt_limits;
        loop {
            let reading = || self.store.job_record(job.series.id(), job.seed);
            let reading = self.patiently(&self.abandoned, "looking at a job", reading);
            let record = reading.await?;
            let last = record.attempt.filter(|_| !record.done);
            let next = last.and_then(|last| {
                lifecycle::fail_superseded(&running.attempt, &last, &error, backtrace, limits)
            });
            let Some(next) = next else {
                return Ok((Outcome::Requeued, TAKEN));
            };
            // If another worker was faster once more, what it recorded is looked at.
            if self.replace(job, &record.version, &next).await?.is_none() {
                continue;
            }
            return Ok(match next.state {
                AttemptState::Poisoned => (Outcome::Poisoned(error), Duration::ZERO),
                _ => (Outcome::Requeued, TAKEN),
            });
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

    /// Records that we end the attempt ourselves, which costs the job nothing; if the store does not
    /// hear of it in time, it costs it little.
    pub(super) async fn requeue(&self, job: &Job, running: &Running) {
        let recording = async {
            let next = lifecycle::requeue(&running.attempt);
            let recorded = self.store.put_attempt(job, &running.version, &next).await?;
            match recorded {
                Some(_) => Ok(()),
                None => self.requeue_superseded(job, running).await,
            }
        };
        let _recorded = tokio::time::timeout(FAREWELL, recording).await;
    }

    /// Records that we end an attempt after which another worker began the job.
    pub(super) async fn requeue_superseded(
        &self,
        job: &Job,
        running: &Running,
    ) -> Result<(), TransportError> {
        loop {
            let record = self.store.job_record(job.series.id(), job.seed).await?;
            let last = record.attempt.filter(|_| !record.done);
            let next = last.and_then(|last| lifecycle::requeue_superseded(&running.attempt, &last));
            let Some(next) = next else { return Ok(()) };
            // If another worker was faster once more, what it recorded is looked at.
            let recorded = self.store.put_attempt(job, &record.version, &next).await?;
            if recorded.is_some() {
                return Ok(());
            }
        }
    }

    /// Makes another outcome than the stored one known to those who look at the sweep.
    pub(super) async fn record_conflict(&self, job: &Job, error: &TransportError) {
        if matches!(error, TransportError::Conflict { .. }) {
            let problem = format!("{error}; found by {}", self.worker);
            let recording = || self.store.put_conflict(job, &problem);
            let recording = self.patiently(&self.abandoned, "recording a conflict", recording);
            let _interrupted = recording.await;
        }
    }
}
