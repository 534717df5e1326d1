//! What the tests that cross crates and processes share.
//!
//! - [`conformance`]: what every store and every queue has to do;
//! - [`faults`]: a sweep under a schedule of faults, and what it has to come to;
//! - [`proxy`]: a bad network between two processes;
//! - [`small_disk`]: a disk that can be filled;
//! - [`security`]: an installation with TLS, accounts and tokens, and whether it keeps its secrets;
//! - [`servers`]: brokers and stores to test against, also to kill and restart;
//! - [`next_release`]: how the program `next-release` differs from this release;
//! - [`programs`]: the binaries of this workspace as processes;
//! - [`public_tables`] and [`python`]: the public tables and Python's packages, or a skipped test;
//! - [`settings`]: of tests that have a short and a long form;
//! - [`simulation`]: sweeps under faults on a simulated clock, each from one seed;
//! - [`skipped`]: names the skipped tests;
//! - [`slurm`]: Slurm on this host alone;
//! - [`cluster`]: a sweep over a broker and a store, with workers as processes;
//! - [`reports`]: the traces in a report, to be compared;
//! - [`samples`]: jobs and traces made up for tests;
//! - [`host`]: a queue and a store in one process, to be killed and started again;
//! - [`small_sweep`]: a small table and sweep file in a folder;
//! - [`synthetic_sweep`]: a sweep of made-up tables and traces, as large as wanted.
//!
//! Run them with `make test`, which starts the servers; by hand:
//! `deploy/local/with-servers cargo test --release --workspace`.

pub mod cluster;
pub mod conformance;
pub mod faults;
pub mod host;
pub mod http;
pub mod next_release;
pub mod programs;
pub mod proxy;
pub mod public_tables;
pub mod python;
pub mod reports;
pub mod samples;
pub mod security;
pub mod servers;
pub mod settings;
pub mod simulation;
pub mod skipped;
pub mod slurm;
pub mod small_disk;
pub mod small_sweep;
pub mod synthetic_sweep;
