//! Answers as a host, for a store and a queue of this process.
//!
//! The queue is in memory. Whoever starts the service again puts on the queue what the store says is missing.

mod answer;
mod delivery;
mod service;

pub use self::service::{HostServer, HostService, host_server};
