//! Collecting what this process reports with the macros of the crate [`metrics`](::metrics).

use loto_transport::metrics::{EVERYWHERE, Kind, Metric, RECONNECTS};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Begins to collect metrics, of which these are known.
///
/// # Errors
/// A text that says so if they are collected already.
pub fn collect(described: &[&[Metric]]) -> Result<PrometheusHandle, String> {
    let mut builder = PrometheusBuilder::new();
    let known = || EVERYWHERE.iter().chain(described.iter().copied().flatten());
    for metric in known() {
        if let Kind::Histogram(bounds) = metric.kind {
            builder = builder
                .set_buckets_for_metric(Matcher::Full(metric.name.into()), bounds)
                .map_err(|error| error.to_string())?;
        }
    }
    let handle = builder.install_recorder();
    let handle = handle.map_err(|error| error.to_string())?;
    for metric in known() {
        match metric.kind {
            Kind::Counter => metrics::describe_counter!(metric.name, metric.help),
            Kind::Gauge => metrics::describe_gauge!(metric.name, metric.help),
            Kind::Histogram(_) => metrics::describe_histogram!(metric.name, metric.help),
        }
    }
    // A rate needs a beginning: what can happen is reported before it happens.
    for server in ["broker", "store"] {
        metrics::counter!(RECONNECTS, "server" => server).increment(0);
    }
    Ok(handle)
}
