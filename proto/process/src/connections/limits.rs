//! How many connections there may be, and how long a client may take.

use std::time::Duration;

use rustix::process::{Resource, getrlimit};

/// What clients may take of a listener.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Most connections at a time.
    pub connections: usize,
    /// Time after the connection began in which a request has to have come: handshake, preface, header
    /// and all.
    pub first_request: Duration,
    /// Longest time from one request to the next; `None` if a connection that was of use may stay.
    pub between_requests: Option<Duration>,
}

/// Most connections for a listener that may have one in `share` of the descriptors of this process.
pub fn connections_at_most(wanted: usize, share: u64) -> usize {
    let descriptors = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let allowed = usize::try_from(descriptors / share).unwrap_or(usize::MAX);
    wanted.min(allowed).max(1)
}
