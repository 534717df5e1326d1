//! What a store keeps of finished jobs: their traces, and in which order they came.

use async_trait::async_trait;
use loto_proto::identity::SeriesId;
use loto_proto::job::Job;
use loto_proto::trace::Trace;

use crate::error::TransportError;

/// What [`Traces::put_trace`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stored {
    /// The trace is new.
    New,
    /// The same trace was there already.
    Already,
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
pub struct Cursor(pub String);

/// The history of new traces from a cursor on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Events {
    /// The new traces, oldest first; empty if there are none.
    pub events: Vec<Event>,
    /// Where to go on reading.
    pub next: Cursor,
    /// The store lost a part of the history before these events, so
    /// the reader has to look at whole series again.
    pub incomplete: bool,
}

/// The traces of finished jobs, and the history of their coming.
#[async_trait]
pub trait Traces: Send + Sync {
    /// Stores a job's trace unless it is there already, clears the job's attempt, and adds to the
    /// history if the trace is new. A history that takes nothing keeps no trace out: its readers
    /// look at whole series from time to time.
    ///
    /// # Errors
    /// [`TransportError::Conflict`] if another outcome is stored for this job.
    async fn put_trace(&self, job: &Job, trace: &Trace) -> Result<Stored, TransportError>;

    /// The trace of one seed, if it is done.
    async fn trace(&self, series: SeriesId, seed: u32) -> Result<Option<Trace>, TransportError>;

    /// Every finished trace of a series with its seed, by seed.
    async fn traces(&self, series: SeriesId) -> Result<Vec<(u32, Trace)>, TransportError>;

    /// Those traces of a series that are finished among these seeds, with their seeds.
    async fn traces_of(
        &self,
        series: SeriesId,
        seeds: &[u32],
    ) -> Result<Vec<(u32, Trace)>, TransportError>;

    /// Removes a trace, if it is there: one that turned out to be damaged. Its job is then not done.
    async fn discard_trace(&self, series: SeriesId, seed: u32) -> Result<(), TransportError>;

    /// The finished seeds of each of these series, ascending, without reading the traces.
    async fn seeds_done(&self, series: &[SeriesId]) -> Result<Vec<Vec<u32>>, TransportError>;

    /// The end of the history: what becomes new from now on comes after it.
    async fn latest_cursor(&self) -> Result<Cursor, TransportError>;

    /// New traces after `cursor`, at most `limit`; `Cursor::default()` is the beginning.
    async fn events_after(&self, cursor: &Cursor, limit: usize) -> Result<Events, TransportError>;
}

/// What to say of a job whose trace was there already: `new` must agree with it.
pub(super) fn compare(job: &Job, stored: &Trace, new: &Trace) -> Result<Stored, TransportError> {
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
