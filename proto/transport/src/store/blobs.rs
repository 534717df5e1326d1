//! What a store keeps under names: tables and what is learnt from them.

use async_trait::async_trait;
use loto_proto::identity::Fingerprint;
use loto_proto::limits::MAX_BLOB_BYTES;

use crate::error::{Reason, TransportError};

/// Bytes under names that say what they are.
#[async_trait]
pub trait Blobs: Send + Sync {
    /// Keeps bytes under a name; the first bytes stay.
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError>;

    /// The bytes kept under a name.
    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError>;

    /// Removes what is kept under a name, if anything is: it turned out to be damaged.
    async fn discard_blob(&self, name: &str) -> Result<(), TransportError>;

    /// What to say of bytes kept under a name that are damaged.
    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError;

    /// Whether there is at least one byte under a name.
    async fn has_blob(&self, name: &str) -> Result<bool, TransportError> {
        let bytes = self.blob(name).await?;
        Ok(bytes.is_some_and(|bytes| !bytes.is_empty()))
    }
}

/// The bytes of a table, which must be there.
///
/// # Errors
/// [`TransportError::MissingTable`] if it is not; otherwise as [`Blobs::blob`].
pub async fn table_blob(
    store: &(impl Blobs + ?Sized),
    table: Fingerprint,
) -> Result<Vec<u8>, TransportError> {
    let bytes = store.blob(&table.blob_name()).await?;
    bytes.ok_or(TransportError::MissingTable(table))
}

/// Refuses a blob that no store could take.
pub(super) fn check_size(name: &str, bytes: &[u8]) -> Result<(), TransportError> {
    if bytes.len() <= MAX_BLOB_BYTES {
        return Ok(());
    }
    Err(TransportError::LargeBlob {
        name: name.to_owned(),
        bytes: bytes.len(),
    })
}
