//! How far a sweep is.
//!
//! [`Tracker`] follows the store; [`Progress`] is what it knows at one moment,
//! by black box and method; [`display`] shows it while a command waits.

mod counts;
pub mod display;
mod rate;
mod tracker;

pub use counts::{Counts, GroupProgress, PoisonedJob, Progress};
pub(crate) use rate::{Rate, describe_duration};
pub use tracker::Tracker;

#[cfg(test)]
mod tests;
