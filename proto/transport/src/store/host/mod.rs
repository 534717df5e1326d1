//! The store of `loto host`: each call is one message to it.

mod attempts;
mod blobs;
mod heartbeats;
mod messages;
mod store;
mod sweeps;
mod traces;

pub use self::store::HostStore;
