//! The store, seen from a thread that computes.

use std::sync::Arc;

use loto_transport::TransportError;
use loto_transport::retry::{RetryPolicy, retry_transient};
use loto_transport::store::Store;
use tokio::runtime::Handle;

use loto_engine::blobs::{BlobError, Blobs};

/// Blobs in a store. A short outage is waited for, so that it does not cost
/// the job what it has computed so far.
pub struct StoreBlobs {
    store: Arc<dyn Store>,
    runtime: Handle,
}

impl StoreBlobs {
    /// The blobs of `store`, whose calls run on `runtime`.
    pub fn new(store: Arc<dyn Store>, runtime: Handle) -> Self {
        Self { store, runtime }
    }
}

impl Blobs for StoreBlobs {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        let reading = retry_transient(RetryPolicy::BRIEF, "reading a blob", || {
            self.store.blob(name)
        });
        self.runtime.block_on(reading).map_err(blob_error)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError> {
        let writing = retry_transient(RetryPolicy::BRIEF, "keeping a blob", || {
            self.store.put_blob(name, bytes)
        });
        self.runtime.block_on(writing).map_err(blob_error)
    }
}

fn blob_error(error: TransportError) -> BlobError {
    BlobError {
        unavailable: error.is_transient(),
        source: Box::new(error),
    }
}
