//! Methods whose choices come from a caller outside of the engine.
//!
//! [`caller`] is what the engine asks; [`handover`] is what a caller may know of a job; `row_order` numbers the
//! rows for it; `nearest` and `search` turn its proposals into rows; `methods` finds the program of a job.

pub mod caller;
pub mod handover;
mod methods;
mod nearest;
pub mod row_order;
mod search;
#[cfg(test)]
mod tests;

pub(crate) use methods::ExternalMethods;
