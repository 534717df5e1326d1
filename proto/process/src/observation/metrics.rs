//! Collecting what this process reports with the macros of the crate [`metrics`](::metrics).

use loto_transport::metrics::{EVERYWHERE, Kind, Metric, RECONNECTS};
use loto_transport::server::Server;
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// Begins to collect metrics, of which these are known.
///
/// # Errors
/// [`BuildError`] if they are collected already.
pub fn collect(described: &[&[Metric]]) -> Result<PrometheusHandle, BuildError> {
    let mut builder = PrometheusBuilder::new();
    let known = || EVERYWHERE.iter().chain(described.iter().copied().flatten());
    for metric in known() {
        if let Kind::Histogram(bounds) = metric.kind {
            builder = builder.set_buckets_for_metric(Matcher::Full(metric.name.into()), bounds)?;
        }
    }
    let handle = builder.install_recorder()?;
    for metric in known() {
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
    Ok(handle)
}
