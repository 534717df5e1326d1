//! The worker of loto: takes jobs from a queue, has the engine run them, and stores their traces.
//!
//! The library is what the embedded run links; the binary `loto-worker` adds the command line.
//! Nothing here knows of sweeps, statistics or reports.
//!
//! - [`consumer`]: the loop that brings each delivery of a queue to its [`outcome`];
//! - [`compute`]: what the loop asks for a trace; in use are
//!   [`isolation`], jobs in processes of their own, and [`threads`], jobs in this one;
//! - [`external`]: the programs of methods that are not part of loto, as processes;
//! - [`program`] and [`job_options`]: the command line;
//! - [`metrics`]: what a worker reports about itself.
//!
//! ```
//! use std::sync::Arc;
//!
//! use loto_proto::identity::Fingerprint;
//! use loto_proto::job::{Job, MethodSpec, Series};
//! use loto_proto::trace::Trace;
//! use loto_transport::queue::{InProcessQueue, Queue};
//! use loto_transport::store::EmbeddedStore;
//! use loto_worker::consumer::{self, ConsumerOptions};
//! use loto_worker::threads::Threads;
//! use tokio_util::sync::CancellationToken;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let method = MethodSpec { name: None, id: "first-row".into(), version: 1, parameters: Default::default(), program: None };
//! let (table, task) = (Fingerprint([0; 16]), "task".into());
//! let series = Series { method, table, task, iterations: 1 };
//! let queue = InProcessQueue::new();
//! queue.publish(&[Job { series, seed: 0 }]).await?;
//! queue.close();
//!
//! let compute = Threads::new(|_: &Job| {
//!     Ok(Trace {
//!         rows: vec![0],
//!         values: vec![0.5],
//!         further_values: Vec::new(),
//!         microseconds: vec![1],
//!         preparation_microseconds: 0,
//!         linear_algebra: "none".into(),
//!         program: Default::default(),
//!     })
//! });
//! let store = Arc::new(EmbeddedStore::in_memory().await?);
//! let (options, shutdown) = (ConsumerOptions::default(), CancellationToken::new());
//! let (queue, compute) = (Arc::new(queue), Arc::new(compute));
//! let summary = consumer::run(queue, store, compute, options, shutdown, None).await?;
//! assert_eq!(summary.stored, 1);
//! # Ok(())
//! # }
//! ```

mod blobs;
pub mod compute;
pub mod consumer;
pub mod external;
pub mod isolation;
pub mod job_options;
pub mod metrics;
pub mod outcome;
pub mod program;
pub mod threads;
