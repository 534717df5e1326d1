//! What a store keeps of workers.

use async_trait::async_trait;
use loto_proto::heartbeat::Heartbeat;

use crate::error::TransportError;

/// The last heartbeat of each worker.
#[async_trait]
pub trait Heartbeats: Send + Sync {
    /// Replaces what a worker last told about itself.
    async fn put_heartbeat(
        &self,
        worker: &str,
        heartbeat: &Heartbeat,
    ) -> Result<(), TransportError>;

    /// The last heartbeat of every worker, by its name, also of workers that vanished.
    async fn heartbeats(&self) -> Result<Vec<(String, Heartbeat)>, TransportError>;

    /// Removes the heartbeat of a worker that is gone.
    async fn forget_worker(&self, worker: &str) -> Result<(), TransportError>;
}
