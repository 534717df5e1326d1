//! Where finished work is kept.
//!
//! The store alone says what is done. Traces are kept by series with the seed as
//! the field and written by compare-and-set: the first one stays, a second one
//! must agree with it.

mod embedded;
mod redis;

use async_trait::async_trait;

use crate::ProtoError;
use crate::identity::{SeriesId, SweepId};
use crate::job::Job;
use crate::sweep::Sweep;
use crate::trace::Trace;

/// What [`Store::put_trace`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The trace is new.
    New,
    /// The same trace was there already.
    Already,
}

/// What is known of a job that is not done and was handed to a worker at least once.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Attempt {
    /// How many times the job was begun.
    pub count: u32,
    /// How the last attempt stands.
    pub state: AttemptState,
    /// The worker that made it: host name and process id.
    pub worker: String,
    /// The error of the last attempt that failed; empty if none did.
    pub error: String,
}

/// How a job's last attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttemptState {
    /// A worker is computing it, or died while it did.
    Running,
    /// It failed and will be tried again.
    Failed,
    /// It failed too often and is given up.
    Poisoned,
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

/// A store of sweeps, traces, attempts and blobs.
#[async_trait]
pub trait Store: Send + Sync {
    /// Records a sweep; recording it again is a no-op.
    ///
    /// # Errors
    /// [`ProtoError::Store`] if the store is out of reach.
    async fn put_sweep(&self, sweep: &Sweep) -> Result<SweepId, ProtoError>;

    /// The sweep of that id, if it was recorded.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if it is damaged.
    async fn sweep(&self, id: SweepId) -> Result<Option<Sweep>, ProtoError>;

    /// The ids of all recorded sweeps, in the order of recording.
    ///
    /// # Errors
    /// [`ProtoError::Store`] if the store is out of reach.
    async fn sweeps(&self) -> Result<Vec<SweepId>, ProtoError>;

    /// Stores a job's trace unless it is there already, clears the job's
    /// attempt, and adds to the history if the trace is new: all or nothing.
    ///
    /// # Errors
    /// [`ProtoError::Conflict`] if another outcome is stored for this job;
    /// [`ProtoError::Store`] if the store is out of reach;
    /// [`ProtoError::CorruptValue`] if the stored trace is damaged.
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, ProtoError>;

    /// The trace of one seed, if it is done.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if it is damaged.
    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, ProtoError>;

    /// Every finished trace of a series with its seed, by seed.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if one is damaged.
    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, ProtoError>;

    /// The finished seeds of each of these series, ascending, without reading the traces.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if a field is no seed.
    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, ProtoError>;

    /// New traces after `cursor`, at most `limit`; `Cursor::default()` is the beginning.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if an event is damaged.
    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, ProtoError>;

    /// Records how the job's last attempt stands, unless the job is done.
    ///
    /// # Errors
    /// [`ProtoError::Store`] if the store is out of reach.
    async fn put_attempt(&self, job: &Job, attempt: &Attempt) -> Result<(), ProtoError>;

    /// The last attempts at each of these series' unfinished jobs, by seed.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if one is damaged.
    async fn attempts(&self, series: &[SeriesId]) -> Result<Vec<Vec<(u32, Attempt)>>, ProtoError>;

    /// Keeps bytes under a name that says what they are; the first bytes stay.
    ///
    /// # Errors
    /// [`ProtoError::Store`] if the store is out of reach.
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), ProtoError>;

    /// The bytes kept under a name.
    ///
    /// # Errors
    /// [`ProtoError::Store`] if the store is out of reach.
    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, ProtoError>;
}
