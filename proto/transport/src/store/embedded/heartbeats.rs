//! Heartbeats in an SQLite file.

use async_trait::async_trait;
use loto_proto::heartbeat::Heartbeat;

use super::failure::Failure;
use super::queries::list;
use super::store::EmbeddedStore;
use crate::error::TransportError;
use crate::store::damage::Hidden;
use crate::store::heartbeats::Heartbeats;

#[async_trait]
impl Heartbeats for EmbeddedStore {
    async fn put_heartbeat(
        &self,
        worker: &str,
        heartbeat: &Heartbeat,
    ) -> Result<(), TransportError> {
        let insert = "INSERT OR REPLACE INTO workers (name, report) VALUES (?1, ?2)";
        self.execute(insert, (worker.to_owned(), heartbeat.encode()))
            .await
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        let call = self.call(|connection| {
            let select = "SELECT name, report FROM workers ORDER BY name";
            let read = |row: &rusqlite::Row| Ok((row.get(0)?, row.get(1)?));
            let stored: Vec<(String, String)> = list(connection, select, [], read)?;
            let heartbeats = stored.into_iter().map(|(worker, text)| {
                let key = || format!("heartbeat of worker {worker}");
                let heartbeat = Heartbeat::decode(text.as_bytes())
                    .map_err(|error| Failure::corrupt(key(), error))?;
                Ok((worker, heartbeat))
            });
            Ok(heartbeats.collect())
        });
        let heartbeats = call.await?;
        Ok(self.sound("heartbeats", Hidden::Nothing, heartbeats))
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        let forget = "DELETE FROM workers WHERE name = ?1";
        self.execute(forget, [worker.to_owned()]).await
    }
}
