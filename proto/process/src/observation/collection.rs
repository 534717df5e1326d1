//! Collects what this process reports with the macros of the crate [`metrics`].

use loto_transport::metrics::{EVERYWHERE, Kind, Metric, RECONNECTS};
use loto_transport::server::Server;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

use super::process_metrics::PROCESS_METRICS;

/// Begins to collect metrics, of which these are known besides those of every process.
///
/// # Errors
/// Those of [`PrometheusBuilder`], if metrics are collected already.
pub(super) fn start(described: &[&[Metric]]) -> Result<PrometheusHandle, BuildError> {
    let everywhere = EVERYWHERE.iter().chain(&PROCESS_METRICS);
    let known = everywhere.chain(described.iter().copied().flatten());
    let mut builder = PrometheusBuilder::new();
    for metric in known.clone() {
        if let Kind::Histogram(bounds) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.into()), bounds)?;
        }
    }
    let collected = builder.install_recorder()?;
    for metric in known {
        match metric.kind {
            Kind::Counter => metrics::describe_counter!(metric.name, metric.help),
            Kind::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Kind::Histogram(_) => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
    // A rate needs a beginning: what can happen is reported before it happens.
    for server in Server::ALL {
        metrics::counter!(RECONNECTS, "server" => server.name()).increment(0);
    }
    Ok(collected)
}
