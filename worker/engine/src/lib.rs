//! The engine of loto: all its mathematics. It runs one job, a whole optimisation trace.
//!
//! It knows no queue, no store and no command line.

pub mod acquisition;
pub mod blas;
pub mod blobs;
pub mod cache;
mod dense_layers;
mod error;
pub mod fits;
mod lbfgs;
pub mod methods;
pub mod prior;
pub mod random;
pub mod runner;
mod search;
pub mod setting;
mod sources;
mod special;
mod strategies;
pub mod surrogate;
pub mod table;
pub mod transform;

pub use error::EngineError;
