//! The worker of loto: takes jobs from a queue, has the engine run them, and stores their traces.
//!
//! The library is what the embedded run links; the binary `loto-worker` adds the
//! command line. Nothing here knows of sweeps, statistics or reports.

pub mod consumer;
pub mod error;
pub mod isolation;
pub mod metrics;
pub mod program;

pub use error::WorkerError;
