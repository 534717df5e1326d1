//! Heartbeats in Redis.

use async_trait::async_trait;
use loto_proto::heartbeat::Heartbeat;
use redis::Cmd;

use super::keys::WORKERS;
use super::store::RedisStore;
use crate::error::TransportError;
use crate::store::damage::{Hidden, sound};
use crate::store::heartbeats::Heartbeats;

#[async_trait]
impl Heartbeats for RedisStore {
    async fn put_heartbeat(
        &self,
        worker: &str,
        heartbeat: &Heartbeat,
    ) -> Result<(), TransportError> {
        let put = Cmd::hset(WORKERS, worker, heartbeat.encode());
        let _: u32 = self.ask(WORKERS, &put).await?;
        Ok(())
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        let fields: Vec<(Vec<u8>, Vec<u8>)> = self.ask(WORKERS, &Cmd::hgetall(WORKERS)).await?;
        let heartbeats = fields.into_iter().map(|(worker, text)| {
            let worker = String::from_utf8_lossy(&worker).into_owned();
            let heartbeat = Heartbeat::decode(&text)
                .map_err(|error| self.corrupt(format!("{WORKERS}, field {worker}"), error))?;
            Ok((worker, heartbeat))
        });
        Ok(sound(&self.damage, WORKERS, Hidden::Nothing, heartbeats))
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        let _: u32 = self.ask(WORKERS, &Cmd::hdel(WORKERS, worker)).await?;
        Ok(())
    }
}
