//! Where finished work is kept.
//!
//! The store alone says what is done. Traces are kept by series with the seed as
//! the field and written by compare-and-set: the first one stays, a second one
//! must agree with it.

mod embedded;
mod redis;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

pub use self::embedded::EmbeddedStore;
pub use self::redis::RedisStore;
use crate::connection::Access;
use crate::connection::address::without_password;
use crate::error::TransportError;
use crate::server::Server;
use loto_proto::attempt::{Attempt, AttemptVersion};
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::Job;
use loto_proto::lifecycle::JobRecord;
use loto_proto::limits::MAX_BLOB_BYTES;
use loto_proto::sweep::Sweep;
use loto_proto::sweep_state::SweepState;
use loto_proto::trace::Trace;
use loto_proto::worker_report::WorkerReport;

/// Opens the store a URL names: `redis[s]://HOST:PORT` for Redis, `sqlite:PATH` or
/// a path that ends in `.loto` or `.sqlite` for an embedded one, which is made
/// if it does not exist.
///
/// # Errors
/// [`TransportError::UnknownUrl`] if it is none of these; otherwise as
/// [`RedisStore::connect`] and [`EmbeddedStore::open`].
pub async fn open(access: impl Into<Access>) -> Result<Arc<dyn Store>, TransportError> {
    let access = access.into();
    match embedded_path(access.address.expose())? {
        None => Ok(Arc::new(RedisStore::connect(access).await?)),
        Some(path) => Ok(Arc::new(EmbeddedStore::open(path).await?)),
    }
}

/// As [`open`], but an embedded store must be there: for those who only read,
/// to whom an empty store would answer a misspelled path.
///
/// # Errors
/// [`TransportError::Unavailable`] if there is no such file; otherwise as [`open`].
pub async fn open_existing(access: impl Into<Access>) -> Result<Arc<dyn Store>, TransportError> {
    let access = access.into();
    match embedded_path(access.address.expose())? {
        Some(path) if !path.is_file() => Err(TransportError::Unavailable {
            server: Server::Store,
            address: access.address.expose().to_owned(),
            reason: "there is no such file".into(),
        }),
        _ => open(access).await,
    }
}

/// The file of an embedded store; `None` for a Redis store.
fn embedded_path(url: &str) -> Result<Option<&Path>, TransportError> {
    if url.starts_with("redis://") || url.starts_with("rediss://") {
        return Ok(None);
    }
    let path = match url.strip_prefix("sqlite:") {
        Some(path) => Some(path),
        None if url.contains("://") => None,
        None => [".loto", ".sqlite"]
            .iter()
            .any(|end| url.ends_with(end))
            .then_some(url),
    };
    match path {
        Some(path) if !path.is_empty() => Ok(Some(Path::new(path))),
        _ => Err(TransportError::UnknownUrl {
            server: Server::Store,
            url: without_password(url),
            expected: "redis[s]://HOST:PORT, sqlite:PATH, or a path that ends in .loto or .sqlite",
        }),
    }
}

/// What [`Store::put_trace`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The trace is new.
    New,
    /// The same trace was there already.
    Already,
}

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

/// A trace that is new since some moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// The series of the trace.
    pub series: SeriesId,
    /// Its seed.
    pub seed: u32,
}

/// A position in the store's history of new traces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cursor(pub(crate) String);

/// The history of new traces from a cursor on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// The new traces, oldest first; empty if there are none.
    pub events: Vec<Event>,
    /// Where to go on reading.
    pub next: Cursor,
    /// True if the store forgot a part of the history before these events, so
    /// that the reader has to look at whole series again.
    pub incomplete: bool,
}

/// Refuses a blob that no store could take.
fn check_blob_size(name: &str, bytes: &[u8]) -> Result<(), TransportError> {
    if bytes.len() <= MAX_BLOB_BYTES {
        return Ok(());
    }
    Err(TransportError::LargeBlob {
        name: name.to_owned(),
        bytes: bytes.len(),
    })
}

/// What to say of a job whose trace was there already: `new` must agree with it.
fn compare(job: &Job, stored: &Trace, new: &Trace) -> Result<Stored, TransportError> {
    match stored.first_difference(new) {
        None => Ok(Stored::Already),
        Some(iteration) => Err(TransportError::Conflict {
            job: job.id(),
            iteration,
            linear_algebra: format!(
                "stored: {}; new: {}",
                stored.linear_algebra, new.linear_algebra
            ),
        }),
    }
}

/// A store of sweeps, traces, attempts and blobs.
#[async_trait]
pub trait Store: Send + Sync {
    /// Records a sweep; recording it again is a no-op.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, TransportError>;

    /// The sweep of that id, if it was recorded.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if it is damaged.
    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, TransportError>;

    /// The ids of all recorded sweeps, in the order of recording.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn sweeps(&self) -> Result<Vec<SweepId>, TransportError>;

    /// Stores a job's trace unless it is there already, clears the job's
    /// attempt, and adds to the history if the trace is new: all or nothing.
    ///
    /// # Errors
    /// [`TransportError::Conflict`] if another outcome is stored for this job;
    /// [`TransportError::Unavailable`] if the store is out of reach;
    /// [`TransportError::CorruptValue`] if the stored trace is damaged.
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError>;

    /// The trace of one seed, if it is done.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if it is damaged.
    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError>;

    /// Every finished trace of a series with its seed, by seed.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if one is damaged.
    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError>;

    /// Those traces of a series that are finished among these seeds, with their seeds.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if one is damaged.
    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError> {
        let mut traces = Vec::with_capacity(seeds.len());
        for &seed in seeds {
            let trace = self.trace(series, seed).await?;
            traces.extend(trace.map(|trace| (seed, trace)));
        }
        Ok(traces)
    }

    /// The finished seeds of each of these series, ascending, without reading the traces.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if a field is no seed.
    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError>;

    /// The end of the history: what becomes new from now on comes after it.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if the last event is damaged.
    async fn latest_cursor(&self) -> Result<Cursor, TransportError>;

    /// New traces after `cursor`, at most `limit`; `Cursor::default()` is the beginning.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if an event is damaged.
    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError>;

    /// How one job stands.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if its trace or attempt is damaged.
    async fn job_record(&self, series: SeriesId, seed: u32) -> Result<JobRecord, TransportError>;

    /// Records how the job's last attempt stands and returns which version that is, unless
    /// the job is done or its attempt is no longer the `expected` one: then nothing happens.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn put_attempt(
        &self,
        job: &Job,
        expected: &AttemptVersion,
        attempt: &Attempt,
    ) -> Result<Option<AttemptVersion>, TransportError>;

    /// The last attempts at each of these series' unfinished jobs, by seed.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if one is damaged.
    async fn attempts(
        &self,
        series: &[SeriesId],
    ) -> Result<Vec<Vec<(u32, Attempt)>>, TransportError>;

    /// Records that a job had an outcome which is not the stored one.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn put_conflict(&self, job: &Job, problem: &str) -> Result<(), TransportError>;

    /// The jobs, of whatever sweep, that had another outcome than the stored one.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if one is damaged.
    async fn conflicts(&self) -> Result<Vec<Conflict>, TransportError>;

    /// Removes what is known of another outcome of a job.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn forget_conflict(&self, series: SeriesId, seed: u32) -> Result<(), TransportError>;

    /// What was done with a sweep.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if it is damaged.
    async fn sweep_state(&self, id: SweepId) -> Result<SweepState, TransportError>;

    /// Records that the jobs of seeds below `seeds` are on the queue.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn mark_published(&self, id: SweepId, seeds: u32) -> Result<(), TransportError>;

    /// Records that a sweep is cancelled and that nothing of these series is begun any more.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn cancel_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError>;

    /// Takes back that a sweep is cancelled: jobs of these series may be begun again.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn revive_sweep(&self, id: SweepId, series: &[SeriesId]) -> Result<(), TransportError>;

    /// Replaces what a worker last told about itself.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn put_worker_report(
        &self,
        worker: &str,
        report: &WorkerReport,
    ) -> Result<(), TransportError>;

    /// The last report of every worker, by its name. Those of workers that vanished are among them.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`], or [`TransportError::CorruptValue`] if one is damaged.
    async fn worker_reports(&self) -> Result<Vec<(String, WorkerReport)>, TransportError>;

    /// Removes the report of a worker that is gone.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError>;

    /// Keeps bytes under a name that says what they are; the first bytes stay.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError>;

    /// The bytes kept under a name.
    ///
    /// # Errors
    /// [`TransportError::Unavailable`] if the store is out of reach.
    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn unknown_urls_are_refused_without_their_password() {
        for url in ["http://me:secret@host", "sweep.txt", "sqlite:", ""] {
            let error = open(url).await.err().unwrap().to_string();
            assert!(error.contains("store URL"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
