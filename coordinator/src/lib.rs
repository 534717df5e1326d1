//! The coordinator of loto: plans a sweep, hands out its jobs, watches them, and
//! turns finished traces into statistics, reports and answers over gRPC.
//!
//! Nothing here knows how a method chooses its rows.

pub mod error;
pub mod results;
pub mod statistics;

pub use error::CoordinatorError;
