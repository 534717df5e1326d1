//! The names of metrics. They are stable: dashboards and alert rules rely on them.
//!
//! Values are reported with the macros of the crate [`metrics`]; without
//! [`collect`] they go nowhere.

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// What kind of number a metric is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Many observations, counted by size: at most each of these bounds, or more.
    Histogram(&'static [f64]),
}

/// A metric that a process reports.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What kind of number it is.
    pub kind: Kind,
    /// What it tells, and its labels.
    pub help: &'static str,
}

/// Calls to the broker or the store that are made again.
pub const RETRIES: &str = "loto_retries_total";

/// Connections that were lost and made anew.
pub const RECONNECTS: &str = "loto_reconnects_total";

/// What all processes report.
pub const EVERYWHERE: [Metric; 2] = [
    Metric {
        name: RETRIES,
        kind: Kind::Counter,
        help: "Calls that failed because the broker or the store was out of reach and were made again, by operation",
    },
    Metric {
        name: RECONNECTS,
        kind: Kind::Counter,
        help: "Connections that were lost and opened anew, by server (broker, store)",
    },
];

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
