//! Prepares the answers about the recent sweeps before anybody asks.

use std::sync::Arc;

use loto_proto::identity::SweepId;
use loto_service::wire;
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::Store;
use tonic::Status;

use super::watched_sweeps::WatchedSweeps;
use super::{comparison, curves, improvement};

/// Sweeps that are collected when the service starts: those submitted last.
const RECENT_SWEEPS: usize = 4;

/// Prepares the recent sweeps, one after the other.
pub(super) async fn prepare(store: Arc<dyn Store>, sweeps: Arc<WatchedSweeps>) {
    let ids = retry_transient(Backoff::FOREVER, "listing the sweeps", || store.sweeps()).await;
    let ids = ids.unwrap_or_else(|error| {
        tracing::warn!("sweeps are collected when they are asked for: {error}");
        Vec::new()
    });
    for &id in &ids[ids.len().saturating_sub(RECENT_SWEEPS)..] {
        if let Err(status) = ask(&sweeps, id).await {
            // Whoever asks for it is told.
            tracing::debug!("sweep {id} is not prepared: {}", status.message());
        }
    }
}

/// Asks the questions that have no choice.
async fn ask(sweeps: &WatchedSweeps, id: SweepId) -> Result<(), Status> {
    let sweep = sweeps.get(id).await.map_err(super::status::to_status)?;
    improvement::improvement(&sweep, wire::GetImprovementRequest::default()).await?;
    comparison::compare(&sweep, wire::CompareMethodsRequest::default()).await?;
    for only_averages in [true, false] {
        let request = wire::GetCurvesRequest {
            only_averages,
            ..Default::default()
        };
        curves::curves(&sweep, request).await?;
    }
    Ok(())
}
