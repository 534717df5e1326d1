//! The engine of loto: all its mathematics. It runs one job, a whole optimisation trace.
//!
//! It knows no queue, no store and no command line.

pub mod acquisition;
pub mod blas;
pub mod dense_layers;
pub mod error;
pub mod history;
pub mod linear_regression;
pub mod methods;
pub mod prior;
pub mod random;
pub mod runner;
pub mod search;
pub mod setting;
pub mod sharing;
pub mod special;
pub mod surrogate;
pub mod table;
pub mod transfer;
pub mod transform;

pub use error::EngineError;
