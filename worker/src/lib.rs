//! The worker of loto: runs one job, a whole optimisation trace.
//!
//! The library is what the embedded run links; the binary `loto-worker` adds the
//! command line. Nothing here knows of sweeps, statistics or reports.

pub mod consumer;
pub mod error;
pub mod methods;
pub mod runner;
pub mod shutdown;
pub mod table;

pub use error::WorkerError;
