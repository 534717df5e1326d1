//! The engine of loto: all its mathematics. It runs one job, a whole optimisation trace.
//!
//! It knows no queue, no store and no command line. A [`runner::TraceRunner`] takes a
//! [`loto_proto::job::Job`] and gives its [`loto_proto::trace::Trace`]:
//!
//! ```
//! use std::sync::Arc;
//!
//! use loto_engine::blobs::MemoryBlobs;
//! use loto_engine::runner::TraceRunner;
//! use loto_proto::job::{Job, MethodSpec, Series};
//! use loto_proto::table_spec::{Categorical, TableSpec};
//!
//! let mut file = String::from("hp_rate,metric_error,task\n");
//! for rate in 0..30_i32 {
//!     file += &format!("{rate},{},digits\n{rate},{},letters\n", (rate - 20).pow(2), rate);
//! }
//! let spec = TableSpec {
//!     objective: "metric_error".into(),
//!     categorical: Categorical::Columns(Default::default()),
//!     ..TableSpec::default()
//! };
//! let table = spec.fingerprint(file.as_bytes());
//! let blob = (table.blob_name(), spec.encode_with(file.as_bytes()));
//! let runner = TraceRunner::new(Arc::new(MemoryBlobs::from_iter([blob])));
//!
//! let method = MethodSpec { name: None, id: "gp".into(), version: 4, parameters: Default::default(), program: None };
//! let series = Series { method, table, task: "digits".into(), iterations: 12 };
//! let trace = runner.run(&Job { series, seed: 0 })?;
//! println!("rows evaluated: {:?}", trace.rows);
//! assert!(trace.values.contains(&0.0), "the best of 30 rows is found in 12 evaluations");
//! # Ok::<(), loto_engine::EngineError>(())
//! ```
//!
//! What lies where, from the top down; each part uses only those below it:
//!
//! - [`runner`]: the optimisation loop of a job;
//! - [`methods`]: a room per algorithm, and the registry;
//! - `strategies`: searches that several methods are built from;
//! - `sources`: what methods take over from source tasks;
//! - [`surrogate`]: the Gaussian process, its fit and its predictions over a pool;
//! - [`acquisition`]: expected improvement and its maximisation;
//! - [`prior`]: the network that is fitted to all source tasks;
//! - [`external`]: methods whose choices come from a caller outside of the engine;
//! - [`setting`]: what a method may see of its job; `search`: what it is asked;
//! - [`fits`]: what jobs share, in memory and through [`blobs`]; [`mod@cache`];
//! - [`transform`]: how the objectives of tasks are made comparable;
//! - [`table`]: lookup tables, read and checked;
//! - [`task_stream`]: in which order the tasks of a stream arrive;
//! - [`random`]: random streams by purpose; `special`: functions of numbers;
//! - `lbfgs`, `adam`: optimisers; `dense_layers`: networks; `matrix_products`, `elimination`,
//!   [`blas`], `accumulation`: linear algebra; `aligned`: its memory.

mod accumulation;
pub mod acquisition;
mod adam;
mod aligned;
pub mod blas;
pub mod blobs;
pub mod cache;
mod dense_layers;
mod elimination;
mod error;
pub mod external;
pub mod fits;
mod lbfgs;
mod matrix_products;
#[cfg(test)]
mod method_tests;
pub mod methods;
mod prediction_error;
pub mod prior;
mod program_error;
pub mod random;
pub mod runner;
mod search;
pub mod setting;
mod sources;
mod special;
mod strategies;
pub mod surrogate;
pub mod table;
pub mod task_stream;
pub mod transform;

pub use error::{EngineError, ImpossibleJob, ParameterError};
pub use program_error::ProgramError;
