//! Whether anything in an SQLite file changed.

use async_trait::async_trait;

use super::store::EmbeddedStore;
use crate::error::TransportError;
use crate::store::health::{ChangeMark, Health};

#[async_trait]
impl Health for EmbeddedStore {
    async fn change_mark(&self) -> Result<Option<ChangeMark>, TransportError> {
        // SQLite counts what this connection changes, and gives another number after a commit of any other one
        // (<https://www.sqlite.org/pragma.html#pragma_data_version>).
        let numbers = self.call(|connection| {
            let others: i64 = connection
                .prepare_cached("PRAGMA data_version")?
                .query_row([], |row| row.get(0))?;
            let own: i64 = connection
                .prepare_cached("SELECT total_changes()")?
                .query_row([], |row| row.get(0))?;
            Ok((others, own))
        });
        let (others, own) = numbers.await?;
        Ok(Some(ChangeMark(format!("{others} {own}"))))
    }
}
