//! What processes tell about themselves while they run.
//!
//! - `prometheus`: a real Prometheus understands the metrics, and the dashboard's queries
//!   and the alert rules find them;
//! - `readiness`: probes follow the broker and the store;
//! - `job_log`: one job can be followed from plan to store by its id.

mod job_log;
mod prometheus;
mod readiness;

use std::path::{Path, PathBuf};

use loto_tests::programs;

/// A file of the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// A command of a binary that answers on a port of its own, with that address.
fn observed(binary: &str) -> (std::process::Command, String) {
    let address = format!("127.0.0.1:{}", loto_tests::http::free_port());
    let mut command = programs::command(binary);
    command.env("LOTO_METRICS", &address);
    (command, address)
}
