//! Heartbeats of workers at a host.

use async_trait::async_trait;
use loto_proto::heartbeat::Heartbeat;

use super::messages::named;
use super::store::HostStore;
use crate::error::TransportError;
use crate::host::protocol::wire::store_answer::Answer;
use crate::host::protocol::wire::store_call::Call;
use crate::host::protocol::wire::{self, Nothing};
use crate::store::heartbeats::Heartbeats;

#[async_trait]
impl Heartbeats for HostStore {
    async fn put_heartbeat(
        &self,
        worker: &str,
        heartbeat: &Heartbeat,
    ) -> Result<(), TransportError> {
        let value = heartbeat.encode().into_bytes();
        self.tell(Call::PutHeartbeat(named(worker, value))).await
    }

    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError> {
        let Answer::Heartbeats(found) = self.ask(Call::Heartbeats(Nothing {})).await? else {
            return Err(self.garbled());
        };
        let heartbeats = found
            .values
            .into_iter()
            .map(|wire::NamedBytes { name, value }| {
                let heartbeat = Heartbeat::decode(&value);
                let heartbeat = heartbeat
                    .map_err(|error| self.corrupt(format!("heartbeat of {name}"), error))?;
                Ok((name, heartbeat))
            });
        heartbeats.collect()
    }

    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError> {
        self.tell(Call::ForgetWorker(worker.to_owned())).await
    }
}
