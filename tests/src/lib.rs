//! What the tests that cross crates and processes share.
//!
//! - [`conformance`]: what every store and every queue has to do;
//! - [`servers`]: brokers and stores to test against, also to kill and restart;
//! - [`programs`]: the binaries of this workspace as processes;
//! - [`public_tables`] and [`python`]: the public tables and Python's packages, or a skipped test;
//! - [`skipped`]: names the skipped tests;
//! - [`samples`]: jobs and traces made up for tests.
//!
//! Run them with `make test`, which starts the servers; by hand:
//! `deploy/local/with-servers cargo test --release --workspace`.

pub mod conformance;
pub mod programs;
pub mod public_tables;
pub mod python;
pub mod samples;
pub mod servers;
pub mod skipped;
