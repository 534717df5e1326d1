//! Metrics and probes over HTTP.
//!
//! - `/metrics`: all metrics in the text format of Prometheus;
//! - `/livez`: 200 as long as the process answers at all;
//! - `/readyz`: 200 if it has what it needs, else 503 and what it waits for.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;

use super::metrics;
use super::readiness::Readiness;
use loto_transport::error::Reason;
use loto_transport::metrics::Metric;

/// Metrics and probes cannot be offered at an address.
#[derive(Debug, thiserror::Error)]
#[error("cannot offer metrics and probes on {address} (--metrics, LOTO_METRICS): {reason}")]
pub struct EndpointError {
    address: SocketAddr,
    #[source]
    reason: Reason,
}

/// Time between two times that what histograms took in is summed up, so that a process
/// nobody asks does not fill up.
const UPKEEP: Duration = Duration::from_secs(5);

/// Collects the metrics of this process and answers on `address` (port 0: any free one)
/// for as long as it runs.
///
/// # Errors
/// [`EndpointError`] if the address is taken or not this host's, or if metrics
/// are collected already.
pub async fn start(
    address: SocketAddr,
    described: &[&[Metric]],
    readiness: Readiness,
) -> Result<(), EndpointError> {
    let failed = |reason: Reason| EndpointError { address, reason };
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| failed(error.into()))?;
    let collected = metrics::collect(described).map_err(|error| failed(error.into()))?;
    let bound = listener.local_addr().unwrap_or(address);
    tracing::info!("metrics and probes on http://{bound}");
    tokio::spawn({
        let collected = collected.clone();
        async move {
            loop {
                tokio::time::sleep(UPKEEP).await;
                collected.run_upkeep();
            }
        }
    });
    let answers = router(collected, readiness);
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, answers).await {
            tracing::error!("metrics and probes end: {error}");
        }
    });
    Ok(())
}

fn router(collected: PrometheusHandle, readiness: Readiness) -> Router {
    let process = metrics_process::Collector::default();
    process.describe();
    let metrics = move || async move {
        process.collect();
        let text = "text/plain; version=0.0.4; charset=utf-8";
        ([(header::CONTENT_TYPE, text)], collected.render())
    };
    let ready = move || async move {
        let missing = readiness.missing();
        if missing.is_empty() {
            return (StatusCode::OK, "ready\n".to_owned());
        }
        let waiting = format!("waiting for {}\n", missing.join(" and "));
        (StatusCode::SERVICE_UNAVAILABLE, waiting)
    };
    Router::new()
        .route("/metrics", get(metrics))
        .route("/livez", get(|| async { "alive\n" }))
        .route("/readyz", get(ready))
}
