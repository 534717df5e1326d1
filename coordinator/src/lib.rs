//! The coordinator of loto: plans a sweep, hands out its jobs, watches them, and
//! turns finished traces into statistics, reports and answers over gRPC.
//!
//! Nothing here knows how a method chooses its rows.

pub mod aggregator;
pub mod commands;
pub mod cost;
pub mod dispatch;
pub mod embedded;
pub mod error;
pub mod follower;
pub mod metrics;
pub mod plan;
pub mod prior_rmse;
pub mod progress;
pub mod results;
pub mod score;

pub use error::CoordinatorError;
