//! Where finished work is kept.
//!
//! The store alone says what is done. Traces are kept by series with the seed as
//! the field and written by compare-and-set: the first one stays, a second one
//! must agree with it.
//!
//! What a store keeps is split by who reads it: [`Sweeps`], [`Traces`], [`Attempts`],
//! [`Heartbeats`], [`Blobs`] and [`Health`]; a [`Store`] keeps all of it. Every call may end with
//! [`TransportError::Unavailable`] or [`TransportError::Refused`], one that reads a value also
//! with [`TransportError::CorruptValue`]; of a list, damaged entries are passed over
//! ([`Sweeps::passed_over`]).

mod attempts;
mod blobs;
mod damage;
mod embedded;
mod health;
mod heartbeats;
mod host;
mod identity;
mod recorded;
mod redis;
mod sweeps;
mod traces;

use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use self::attempts::{Attempts, Conflict};
pub(crate) use self::attempts::{decode_attempt, encode_attempt};
pub use self::blobs::{Blobs, table_blob};
pub use self::damage::{Hidden, PassedOver};
pub use self::embedded::EmbeddedStore;
pub use self::health::{ChangeMark, Health};
pub use self::heartbeats::Heartbeats;
pub use self::host::HostStore;
pub use self::identity::StoreIdentity;
pub use self::recorded::{note_recorded, recorded, recorded_blob_name};
pub use self::redis::RedisStore;
pub use self::sweeps::{Deletion, Sweeps};
pub use self::traces::{Cursor, Event, Events, Stored, Traces};
use crate::connection::Access;
use crate::connection::address::without_password;
use crate::error::TransportError;
use crate::host::protocol::is_host_url;
use crate::server::Server;

/// A store of sweeps, traces, attempts, heartbeats and blobs.
pub trait Store: Sweeps + Traces + Attempts + Heartbeats + Blobs + Health {}

impl<Kept: Sweeps + Traces + Attempts + Heartbeats + Blobs + Health> Store for Kept {}

/// Opens the store a URL names: `redis[s]://HOST:PORT` for Redis, `loto[s]://HOST:PORT` for that of `loto host`,
/// `sqlite:PATH` or a path that ends in `.loto` or `.sqlite` for an embedded one, which is made
/// if it does not exist.
///
/// # Errors
/// [`TransportError::UnknownUrl`] if it is none of these; otherwise as
/// [`RedisStore::connect`], [`HostStore::connect`] and [`EmbeddedStore::open`].
pub async fn open(access: impl Into<Access>) -> Result<Arc<dyn Store>, TransportError> {
    let access = access.into();
    match embedded_path(access.address.expose())? {
        None if is_host_url(access.address.expose()) => {
            Ok(Arc::new(HostStore::connect(access).await?))
        }
        None => Ok(Arc::new(RedisStore::connect(access).await?)),
        Some(path) => Ok(Arc::new(EmbeddedStore::open(path).await?)),
    }
}

/// As [`open`], but an embedded store must be there: for those who only read,
/// to whom an empty store would answer a misspelled path. A file that cannot be written is read as it is.
///
/// # Errors
/// [`TransportError::Unavailable`] if there is nothing of that name; otherwise as [`open`] and
/// [`EmbeddedStore::open_read_only`].
pub async fn open_existing(access: impl Into<Access>) -> Result<Arc<dyn Store>, TransportError> {
    let access = access.into();
    match embedded_path(access.address.expose())? {
        Some(path) if !path.exists() => Err(TransportError::Unavailable {
            server: Server::Store,
            address: path.display().to_string(),
            reason: "there is no such file".into(),
        }),
        Some(path) if !is_writable(path) => {
            Ok(Arc::new(EmbeddedStore::open_read_only(path).await?))
        }
        _ => open(access).await,
    }
}

/// The files in which an embedded store of this path is kept.
pub fn embedded_files(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let name = path.as_os_str().to_owned();
    ["", "-wal", "-shm", "-journal"]
        .into_iter()
        .map(move |end| {
            let mut name = name.clone();
            name.push(end);
            PathBuf::from(name)
        })
}

/// Whether an embedded store in that file can be written: SQLite also makes files beside it.
fn is_writable(path: &Path) -> bool {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let may_write = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    may_write(path) && may_write(folder)
}

/// The file of an embedded store; `None` for one that a server keeps.
///
/// # Errors
/// [`TransportError::UnknownUrl`] if the URL is of neither.
pub fn embedded_path(url: &str) -> Result<Option<&Path>, TransportError> {
    if url.starts_with("redis://") || url.starts_with("rediss://") || is_host_url(url) {
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
            expected: "redis[s]://HOST:PORT, loto[s]://HOST:PORT, sqlite:PATH, or a path that ends in .loto or .sqlite",
        }),
    }
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
