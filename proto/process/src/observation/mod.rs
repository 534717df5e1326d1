//! What a process tells about itself while it runs.
//!
//! - [`endpoint`]: metrics and probes over HTTP, for Prometheus and for Kubernetes;
//! - [`readiness`]: whether the process has what it needs to be of use;
//! - `probe_server`: answers over HTTP, also if others hold connections open;
//! - `collection`: the values of all metrics;
//! - `process_metrics`: what the operating system knows of the process.

mod collection;
pub mod endpoint;
mod probe_server;
mod process_metrics;
pub mod readiness;
