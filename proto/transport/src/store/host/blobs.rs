//! Tables, programs and fits at a host.

use async_trait::async_trait;

use super::messages::named;
use super::store::HostStore;
use crate::error::{Reason, TransportError};
use crate::host::protocol::wire::store_call::Call;
use crate::store::blobs::{Blobs, check_size};

#[async_trait]
impl Blobs for HostStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_size(name, bytes)?;
        self.tell(Call::PutBlob(named(name, bytes.to_vec()))).await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        self.find(Call::Blob(name.to_owned())).await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        self.tell(Call::DiscardBlob(name.to_owned())).await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.corrupt(format!("blob {name}"), reason)
    }

    async fn has_blob(&self, name: &str) -> Result<bool, TransportError> {
        self.ask_whether(Call::HasBlob(name.to_owned())).await
    }
}
