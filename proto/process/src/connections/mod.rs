//! Connections that clients open to this process, so that no client takes them from the others.
//!
//! - [`listener`]: takes so many connections and no more, and survives a lack of descriptors;
//! - [`connection`]: one of them, which ends if its client keeps silent;
//! - [`limits`]: how many connections there may be, and how long a client may take;
//! - [`rare_line`]: log lines about clients that do not fill the log.

pub mod connection;
pub mod limits;
pub mod listener;
pub mod rare_line;
