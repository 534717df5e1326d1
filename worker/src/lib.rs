//! The worker of loto: runs one job, a whole optimisation trace.
//!
//! The library is what the embedded run links; the binary `loto-worker` adds the
//! command line. Nothing here knows of sweeps, statistics or reports.

pub mod acquisition;
pub mod blas;
pub mod connection_options;
pub mod consumer;
pub mod dense_layers;
pub mod error;
pub mod history;
pub mod isolation;
pub mod linear_regression;
pub mod methods;
pub mod metrics;
pub mod prior;
pub mod program;
pub mod random;
pub mod runner;
pub mod search;
pub mod setting;
pub mod sharing;
pub mod shutdown;
pub mod special;
pub mod surrogate;
pub mod table;
pub mod transfer;
pub mod transform;

pub use error::WorkerError;
