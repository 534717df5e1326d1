//! The blobs of a store, for jobs that run: a short outage is waited for.

use loto_transport::TransportError;
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::Store;

pub(crate) async fn get(store: &dyn Store, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
    retry_transient(Backoff::BRIEF, "reading a blob", || store.blob(name)).await
}

pub(crate) async fn put(store: &dyn Store, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
    let putting = || store.put_blob(name, bytes);
    retry_transient(Backoff::BRIEF, "keeping a blob", putting).await
}
