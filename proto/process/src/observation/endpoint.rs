//! Metrics and probes over HTTP.
//!
//! - `/metrics`: all metrics in the text format of Prometheus;
//! - `/livez`: 200 as long as the process answers and is not stuck, else 503 and how it is stuck;
//! - `/readyz`: 200 if it has what it needs, else 503 and what it waits for.

use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::http::{StatusCode, header};
use axum::routing::get;
use clap::Args;
use loto_transport::error::Reason;
use loto_transport::metrics::Metric;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::net::TcpListener;

use super::readiness::Readiness;
use super::{collection, probe_server, process_metrics};
use crate::ProcessError;

/// Time between two times that what histograms took in is summed up, so that a process
/// nobody asks does not fill up.
const UPKEEP: Duration = Duration::from_secs(5);

/// Where a process tells about itself, as an option of a command line.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct EndpointOption {
    /// Address for metrics (/metrics, for Prometheus) and probes (/livez, /readyz) over
    /// HTTP; port 0 is any free port.
    #[arg(long, env = "LOTO_METRICS", value_name = "ADDR")]
    metrics: Option<SocketAddr>,
}

impl EndpointOption {
    /// Collects the metrics of this process and answers for as long as it runs, if there is to be an
    /// endpoint.
    ///
    /// # Errors
    /// [`ProcessError::Endpoint`].
    pub async fn start(
        self,
        described: &[&[Metric]],
        readiness: &Readiness,
    ) -> Result<(), ProcessError> {
        let Some(address) = self.metrics else {
            return Ok(());
        };
        let failed = |reason: Reason| ProcessError::Endpoint { address, reason };
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| failed(error.into()))?;
        let collected = collection::start(described).map_err(|error| failed(error.into()))?;
        process_metrics::report_start();
        let bound = listener.local_addr().unwrap_or(address);
        tracing::info!("metrics and probes on http://{bound}");
        let summed_up = collected.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(UPKEEP).await;
                summed_up.run_upkeep();
            }
        });
        let answers = router(collected, readiness.clone());
        tokio::spawn(probe_server::serve(listener, answers));
        Ok(())
    }
}

fn router(collected: PrometheusHandle, readiness: Readiness) -> Router {
    let metrics = move || async move {
        process_metrics::report();
        let text = "text/plain; version=0.0.4; charset=utf-8";
        ([(header::CONTENT_TYPE, text)], collected.render())
    };
    let alive = {
        let readiness = readiness.clone();
        move || async move {
            match readiness.stalled() {
                None => (StatusCode::OK, "alive\n".to_owned()),
                Some(problem) => (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n")),
            }
        }
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
        .route("/livez", get(alive))
        .route("/readyz", get(ready))
}

#[cfg(test)]
mod tests {
    use metrics_exporter_prometheus::PrometheusBuilder;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn a_process_that_is_stuck_is_not_alive() {
        let readiness = Readiness::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let collected = PrometheusBuilder::new().build_recorder().handle();
        let answers = router(collected, readiness.clone());
        tokio::spawn(probe_server::serve(listener, answers));
        let ask = async || {
            let mut connection = TcpStream::connect(address).await.unwrap();
            let request = b"GET /livez HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
            connection.write_all(request).await.unwrap();
            let mut answer = String::new();
            connection.read_to_string(&mut answer).await.unwrap();
            answer
        };
        assert!(ask().await.starts_with("HTTP/1.1 200 "));
        readiness.set_stalled(Some("job 7 has made no progress".into()));
        let answer = ask().await;
        assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
        assert!(answer.ends_with("job 7 has made no progress\n"), "{answer}");
        readiness.set_stalled(None);
        assert!(ask().await.starts_with("HTTP/1.1 200 "));
    }
}
