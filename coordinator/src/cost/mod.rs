//! What jobs cost: processor seconds, learned from finished traces.
//!
//! - [`CostModel`] says what a job of each series takes, measured or estimated;
//! - [`order`] says in which order series are best run, given that.
//!
//! [`crate::progress::Tracker`] measures as traces arrive. A cost decides when a job
//! runs and what a user is told of the time left, never what its trace is.

mod model;
pub(crate) mod order;

pub(crate) use model::CostModel;
