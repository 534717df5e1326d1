//! The gRPC service `loto.v1.Aggregator`: answers questions about sweeps from a
//! store, while they run and after. `proto/loto/v1/aggregator.proto` documents it.
//!
//! Each sweep that is asked for is kept in memory with what was collected of it
//! (`watched_sweep`), so that a question costs one look at what is new. One
//! file per group of questions; `request` checks what comes in.

mod analysis_cache;
mod comparison;
mod completeness;
mod curves;
mod following;
mod guard;
mod improvement;
mod one_at_a_time;
mod progress;
mod request;
mod resume_token;
mod server;
mod service;
mod status;
mod sweep_list;
mod tokens;
mod traces;
mod watched_sweep;

#[cfg(test)]
mod tests;

pub use guard::{Guard, GuardFiles};
pub use server::{bind, serve};
pub use service::AggregatorService;
