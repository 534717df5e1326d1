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
use crate::ProtoError;
use crate::address::without_password;
use crate::excerpt::excerpt;
use crate::identity::{SeriesId, SweepId};
use crate::job::Job;
use crate::limits::{MAX_ATTEMPT_BYTES, MAX_BLOB_BYTES, MAX_ERROR_BYTES};
use crate::sweep::Sweep;
use crate::trace::Trace;

/// Opens the store a URL names: `redis://HOST:PORT` for Redis, `sqlite:PATH` or
/// a path that ends in `.loto` or `.sqlite` for an embedded one, which is made
/// if it does not exist.
///
/// # Errors
/// [`ProtoError::UnknownUrl`] if it is none of these; otherwise as
/// [`RedisStore::connect`] and [`EmbeddedStore::open`].
pub async fn open(url: &str) -> Result<Arc<dyn Store>, ProtoError> {
    match embedded_path(url)? {
        None => Ok(Arc::new(RedisStore::connect(url).await?)),
        Some(path) => Ok(Arc::new(EmbeddedStore::open(path).await?)),
    }
}

/// As [`open`], but an embedded store must be there: for those who only read,
/// to whom an empty store would answer a misspelled path.
///
/// # Errors
/// [`ProtoError::Store`] if there is no such file; otherwise as [`open`].
pub async fn open_existing(url: &str) -> Result<Arc<dyn Store>, ProtoError> {
    match embedded_path(url)? {
        Some(path) if !path.is_file() => Err(ProtoError::Store {
            store: url.to_owned(),
            problem: "there is no such file".into(),
        }),
        _ => open(url).await,
    }
}

/// The file of an embedded store; `None` for a Redis store.
fn embedded_path(url: &str) -> Result<Option<&Path>, ProtoError> {
    if url.starts_with("redis://") {
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
        _ => Err(ProtoError::UnknownUrl {
            url: without_password(url),
            what: "store",
            expected: "redis://HOST:PORT, sqlite:PATH, or a path that ends in .loto or .sqlite \
                       (rediss://, Redis over TLS, is not supported)",
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

impl Attempt {
    /// The attempt as stored text. A long error is cut.
    pub fn encode(&self) -> String {
        let mut end = self.error.len().min(MAX_ERROR_BYTES);
        while !self.error.is_char_boundary(end) {
            end -= 1;
        }
        serde_json::json!({
            "count": self.count,
            "state": self.state,
            "worker": self.worker,
            "error": self.error[..end],
        })
        .to_string()
    }

    /// Reads stored text.
    ///
    /// # Errors
    /// A text that says why it is no attempt.
    pub fn decode(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_ATTEMPT_BYTES {
            let length = bytes.len();
            return Err(format!(
                "it has {length} bytes, allowed are {MAX_ATTEMPT_BYTES}"
            ));
        }
        serde_json::from_slice(bytes)
            .map_err(|error| format!("not an attempt: {}", excerpt(&error.to_string())))
    }
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
fn check_blob_size(name: &str, bytes: &[u8]) -> Result<(), ProtoError> {
    if bytes.len() <= MAX_BLOB_BYTES {
        return Ok(());
    }
    Err(ProtoError::Malformed {
        what: format!("blob {name}"),
        problem: format!("it has {} bytes, allowed are {MAX_BLOB_BYTES}", bytes.len()),
    })
}

/// What to say of a job whose trace was there already: `new` must agree with it.
fn compare(job: &Job, stored: &Trace, new: &Trace) -> Result<Stored, ProtoError> {
    match stored.first_difference(new) {
        None => Ok(Stored::Already),
        Some(iteration) => Err(ProtoError::Conflict {
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

    /// The end of the history: what becomes new from now on comes after it.
    ///
    /// # Errors
    /// [`ProtoError::Store`], or [`ProtoError::CorruptValue`] if the last event is damaged.
    async fn latest_cursor(&self) -> Result<Cursor, ProtoError>;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn unknown_urls_are_refused_without_their_password() {
        for url in [
            "rediss://me:secret@host",
            "http://me:secret@host",
            "sweep.txt",
            "sqlite:",
            "",
        ] {
            let error = open(url).await.err().unwrap().to_string();
            assert!(error.contains("store URL"), "{error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }

    #[test]
    fn attempts_survive_and_long_errors_are_cut() {
        let attempt = Attempt {
            count: 2,
            state: AttemptState::Poisoned,
            worker: "host:1".into(),
            error: "\u{e9}".repeat(MAX_ERROR_BYTES) + "end",
        };
        let text = attempt.encode();
        assert!(text.contains("poisoned"), "{text}");
        let read = Attempt::decode(text.as_bytes()).unwrap();
        assert_eq!((read.count, read.state), (2, AttemptState::Poisoned));
        assert_eq!(read.error.len(), MAX_ERROR_BYTES);
        assert!(Attempt::decode(b"{\"count\":-1}").is_err());
    }
}
