//! What a store keeps of jobs that are not done, or had two outcomes.

use async_trait::async_trait;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::seal::{Key, check_json, seal_json};

use crate::error::{Reason, TransportError};

/// A job that had another outcome than the stored one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflict {
    /// The series of the job.
    pub series: SeriesId,
    /// Its seed.
    pub seed: u32,
    /// What is known of it, in words.
    pub problem: String,
}

/// The attempts at unfinished jobs, and the conflicts.
#[async_trait]
pub trait Attempts: Send + Sync {
    /// How one job stands. A damaged record of its attempts is as none, but has a version.
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError>;

    /// Records how the job's last attempt stands and returns which version that is, unless
    /// the job is done or its attempt is no longer the `expected` one: then nothing happens.
    /// Recording the same attempt again is no change, so that the answer may get lost.
    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError>;

    /// The last attempts at each of these series' unfinished jobs, by seed.
    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError>;

    /// Records that a job had an outcome which is not the stored one.
    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError>;

    /// The conflicts of all sweeps.
    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError>;

    /// Removes what is known of a job's other outcome.
    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError>;
}

/// Reads the record of that job's attempts.
pub(crate) fn decode_attempt(series: SeriesId, seed: u32, text: &[u8]) -> Result<Attempt, Reason> {
    check_json(Key::Attempt(series, seed), text)?;
    Ok(Attempt::decode(text)?)
}

/// What the record of that job's attempts tells. A damaged one tells nothing: the job is begun anew, and the record replaced.
pub(crate) fn told_attempt(series: SeriesId, seed: u32, text: Option<&[u8]>) -> Option<Attempt> {
    let attempt = decode_attempt(series, seed, text?);
    let told = attempt.inspect_err(|problem| {
        tracing::warn!(
            "the record of attempts at series {series}, seed {seed} is damaged and does not count: {problem}"
        );
    });
    told.ok()
}

/// The record of that job's attempts as a store keeps it.
pub(crate) fn encode_attempt(series: SeriesId, seed: u32, attempt: &Attempt) -> Vec<u8> {
    seal_json(Key::Attempt(series, seed), &attempt.encode()).into_bytes()
}
