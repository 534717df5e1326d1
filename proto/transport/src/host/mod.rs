//! How a host is reached: a queue and a store in one process, over gRPC (`loto.v1.Host`).
//!
//! [`crate::queue::HostQueue`] and [`crate::store::HostStore`] ask it; [`crate::hosting`] answers.

pub(crate) mod channel;
pub(crate) mod problem;
pub(crate) mod protocol;

pub use self::protocol::{DEFAULT_PORT, is_host_url};
