//! Where tables come from and fits are shared, as the engine sees it.

use std::collections::HashMap;
use std::error::Error;

use parking_lot::Mutex;

/// Values under names: the store, seen from a thread that computes. Calls block.
pub trait Blobs: Send + Sync {
    /// The bytes kept under a name.
    ///
    /// # Errors
    /// Whatever the store reports.
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError>;

    /// Keeps bytes under a name; the first bytes stay.
    ///
    /// # Errors
    /// Whatever the store reports.
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError>;
}

/// The store failed. What it reports is opaque to the engine.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct BlobError {
    /// True if the same call may succeed later: the store was out of reach.
    pub unavailable: bool,
    /// What the store reports.
    pub source: Box<dyn Error + Send + Sync>,
}

/// Blobs in the memory of this process, for jobs that run without a store.
#[derive(Default)]
pub struct MemoryBlobs(Mutex<HashMap<String, Vec<u8>>>);

impl MemoryBlobs {
    /// The names under which there is something.
    #[cfg(test)]
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().keys().cloned().collect()
    }
}

impl FromIterator<(String, Vec<u8>)> for MemoryBlobs {
    fn from_iter<Blobs: IntoIterator<Item = (String, Vec<u8>)>>(blobs: Blobs) -> Self {
        Self(Mutex::new(blobs.into_iter().collect()))
    }
}

impl Blobs for MemoryBlobs {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.lock().get(name).cloned())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), BlobError> {
        let mut blobs = self.0.lock();
        blobs.entry(name.to_owned()).or_insert_with(|| bytes.into());
        Ok(())
    }
}
