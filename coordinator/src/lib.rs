//! The coordinator of loto: plans a sweep, hands out its jobs, follows them, and turns finished
//! traces into statistics, reports and answers over gRPC. It knows nothing of how a method chooses
//! its rows; see `loto_engine` for that.
//!
//! A sweep passes through these modules:
//! - [`plan`]: a sweep file and its tables become a plan, which lists the jobs;
//! - `cost`: what the jobs cost, and in which order they are best run;
//! - [`dispatch`]: puts jobs on the queue, waits for them, and cancels, resumes and retries them;
//! - `embedded`: runs a whole sweep in this process instead, without any server;
//! - [`progress`]: how many jobs are in which state, and how long the rest takes;
//! - [`follower`]: reads from the store what is new, once for all who ask;
//! - [`results`]: reads finished traces, and [`trace_check`] compares them with their tables;
//! - [`score`]: reads traces that another program recorded;
//! - [`import`]: writes tables and a sweep file from the data of others;
//! - `shard`: splits a sweep into parts that are run on their own;
//! - `merge`: joins the stores of several runs;
//! - [`table_files`]: reads tables that are no CSV;
//! - `reporting`: turns finished traces into a report;
//! - [`aggregator`]: answers questions about sweeps over gRPC while they run;
//! - `host`: serves a queue and a store of this process to workers and commands elsewhere;
//! - `live_page`: shows sweeps to browsers while they run;
//! - [`commands`]: the command line of `loto`, one file per command;
//! - [`metrics`]: what a running coordinator tells about itself.
//!
//! Statistics and reports are crates of their own: `loto_statistics` and `loto_report`.
//!
//! ```
//! use loto_coordinator::plan::{Plan, SweepSource};
//!
//! let plan = Plan::read(&SweepSource::BuiltIn, None)?;
//! println!("the sweep {} has {} jobs", plan.sweep.name, plan.sweep.job_count());
//! // 7 methods on 31 tasks with 5 seeds.
//! assert_eq!(plan.sweep.job_count(), 7 * 31 * 5);
//! # Ok::<(), loto_coordinator::plan::PlanError>(())
//! ```

pub mod aggregator;
pub mod commands;
pub(crate) mod cost;
pub(crate) mod date;
pub mod dispatch;
pub(crate) mod distinct_keys;
pub(crate) mod embedded;
pub mod error;
pub mod follower;
pub(crate) mod host;
pub mod import;
pub(crate) mod live_page;
pub(crate) mod merge;

pub mod metrics;
pub mod plan;
pub mod prior_rmse;
pub mod progress;
pub(crate) mod reporting;
pub mod results;
pub mod score;
pub(crate) mod shard;
pub mod table_files;
pub mod trace_check;

pub use error::CoordinatorError;
