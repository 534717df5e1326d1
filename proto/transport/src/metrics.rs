//! The names of metrics. They are stable: dashboards and alert rules rely on them.
//!
//! Values are reported with the macros of the crate [`metrics`](::metrics).

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

impl Metric {
    /// A number that only grows.
    pub const fn counter(name: &'static str, help: &'static str) -> Self {
        let kind = Kind::Counter;
        Self { name, kind, help }
    }

    /// A number that goes up and down.
    pub const fn gauge(name: &'static str, help: &'static str) -> Self {
        let kind = Kind::Gauge;
        Self { name, kind, help }
    }

    /// Observations, counted by size with these bounds.
    pub const fn histogram(name: &'static str, bounds: &'static [f64], help: &'static str) -> Self {
        let kind = Kind::Histogram(bounds);
        Self { name, kind, help }
    }
}

/// Calls to the broker or the store that are made again.
pub const RETRIES: &str = "loto_retries_total";

/// Connections that were lost and made anew.
pub const RECONNECTS: &str = "loto_reconnects_total";

/// What all processes report.
pub const EVERYWHERE: [Metric; 2] = [
    Metric::counter(
        RETRIES,
        "Calls that failed because the broker or the store was unavailable and were made again, by operation",
    ),
    Metric::counter(
        RECONNECTS,
        "Connections that were lost and opened anew, by server (broker, store)",
    ),
];

/// What whoever looks at the queue reports.
pub const QUEUE_MESSAGES: Metric = Metric::gauge(
    "loto_queue_messages",
    "Messages that no worker holds, by queue (loto.jobs, loto.jobs.delayed: failed jobs before their next attempt, loto.jobs.paused: those of former releases, loto.jobs.dead: rejected messages)",
);
