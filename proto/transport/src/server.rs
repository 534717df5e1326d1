//! The two servers that processes of a sweep talk through.

use std::fmt;

/// A server, or what is embedded in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// It keeps jobs until a worker takes them.
    Broker,
    /// It keeps what is finished.
    Store,
}

impl Server {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Broker, Self::Store];

    /// The word for it in messages and in the labels of metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Broker => "broker",
            Self::Store => "store",
        }
    }
}

impl fmt::Display for Server {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
