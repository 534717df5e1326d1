//! Collects the recent sweeps before anybody asks, and goes on while they run.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::identity::SweepId;
use loto_service::wire;
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::store::Store;
use tokio::time::{MissedTickBehavior, interval};
use tonic::Status;

use super::watched_sweep::{WatchedSweep, WatchedSweeps};
use super::{comparison, curves, improvement};

/// Sweeps that are collected when the service starts: those submitted last.
const RECENT_SWEEPS: usize = 4;

/// Time between two looks for new traces of the sweeps that are kept in memory.
const INTERVAL: Duration = Duration::from_secs(1);

/// Follows the recent sweeps and all that are asked for, for as long as it is polled.
pub(super) async fn follow(store: Arc<dyn Store>, sweeps: Arc<WatchedSweeps>) {
    let ids = retry_transient(Backoff::FOREVER, "listing the sweeps", || store.sweeps()).await;
    let ids = ids.unwrap_or_else(|error| {
        tracing::warn!("sweeps are collected when they are asked for: {error}");
        Vec::new()
    });
    for &id in &ids[ids.len().saturating_sub(RECENT_SWEEPS)..] {
        if let Err(status) = prepare(&sweeps, id).await {
            // Whoever asks for it is told.
            tracing::debug!("sweep {id} is not prepared: {}", status.message());
        }
    }
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        for sweep in sweeps.all() {
            if sweep.collected_results().is_some() && !sweep.is_complete() {
                // Whoever asks for it is told of a problem, as long as it lasts.
                let _told_when_asked = sweep.refresh().await;
            }
            sweep.keep_up().await;
        }
    }
}

/// Collects a sweep and computes the answers to the questions that are asked without a choice.
async fn prepare(sweeps: &WatchedSweeps, id: SweepId) -> Result<(), Status> {
    let sweep = sweeps.get(id).await.map_err(super::status::to_status)?;
    sweep.progress().await?;
    sweep.refresh().await?;
    let sweep_id = id.to_string();
    let sweep: &WatchedSweep = &sweep;
    let improvement = wire::GetImprovementRequest {
        sweep_id: sweep_id.clone(),
        ..Default::default()
    };
    improvement::improvement(sweep, improvement).await?;
    let comparison = wire::CompareMethodsRequest {
        sweep_id: sweep_id.clone(),
        ..Default::default()
    };
    comparison::compare(sweep, comparison).await?;
    for only_averages in [true, false] {
        let curves = wire::GetCurvesRequest {
            sweep_id: sweep_id.clone(),
            only_averages,
            ..Default::default()
        };
        curves::curves(sweep, curves).await?;
    }
    Ok(())
}
