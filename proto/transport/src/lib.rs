//! Where jobs wait and where finished work is kept, in one process and over servers.
//!
//! - [`queue`] and [`store`]: each one trait with an embedded and a networked implementation;
//! - [`connection`]: how to reach a broker or a store, and as whom;
//! - [`retry`]: how to outlast a restart of either;
//! - [`metrics`]: what is counted of all this.

pub mod connection;
pub mod error;
pub mod metrics;
pub mod queue;
pub mod retry;
pub mod server;
pub mod store;

pub use error::TransportError;
