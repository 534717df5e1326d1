//! Blobs in an SQLite file.

use async_trait::async_trait;

use super::queries::find;
use super::store::EmbeddedStore;
use crate::error::{Reason, TransportError};
use crate::store::blobs::{Blobs, check_size};

#[async_trait]
impl Blobs for EmbeddedStore {
    async fn put_blob(&self, name: &str, bytes: &[u8]) -> Result<(), TransportError> {
        check_size(name, bytes)?;
        let insert = "INSERT OR IGNORE INTO blobs (name, bytes) VALUES (?1, ?2)";
        self.execute(insert, (name.to_owned(), bytes.to_owned()))
            .await
    }

    async fn blob(&self, name: &str) -> Result<Option<Vec<u8>>, TransportError> {
        let name = name.to_owned();
        self.call(move |connection| {
            let select = "SELECT bytes FROM blobs WHERE name = ?1";
            find(connection, select, [name], |row| row.get(0))
        })
        .await
    }

    async fn discard_blob(&self, name: &str) -> Result<(), TransportError> {
        let discard = "DELETE FROM blobs WHERE name = ?1";
        self.execute(discard, [name.to_owned()]).await
    }

    fn corrupt_blob(&self, name: &str, reason: Reason) -> TransportError {
        self.corrupt(format!("blob {name}"), reason)
    }
}
