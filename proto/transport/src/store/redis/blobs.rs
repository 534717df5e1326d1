//! Blobs in Redis.

use async_trait::async_trait;
use loto_proto::limits::MAX_BLOB_BYTES;
use redis::Cmd;

use super::keys::blob_key;
use super::store::RedisStore;
use crate::error::{Reason, TransportError};
use crate::store::blobs::{Blobs, check_size};

#[async_trait]
impl Blobs for RedisStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_size(name, bytes)?;
        let key = blob_key(name);
        let _: bool = self.ask(&key, &Cmd::set_nx(&key, bytes)).await?;
        Ok(())
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        let key = blob_key(name);
        let length: usize = self.ask(&key, &Cmd::strlen(&key)).await?;
        if length > MAX_BLOB_BYTES {
            let problem = format!("it has {length} bytes, allowed are {MAX_BLOB_BYTES}");
            return Err(self.corrupt(&key, problem));
        }
        self.ask(&key, &Cmd::get(&key)).await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        let key = blob_key(name);
        let _: u32 = self.ask(&key, &Cmd::del(&key)).await?;
        Ok(())
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.corrupt(blob_key(name), reason)
    }

    async fn has_blob(&self, name: &str) -> Result<bool, TransportError> {
        let key = blob_key(name);
        let length: usize = self.ask(&key, &Cmd::strlen(&key)).await?;
        Ok(length > 0)
    }
}
