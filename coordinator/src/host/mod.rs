//! Serves a store and a queue of this process to workers and commands elsewhere: `loto host`.
//!
//! The store is a file and keeps everything that must not be lost. The queue is in memory: `unfinished` fills it
//! again when the host starts.

mod server;
mod unfinished;

pub(crate) use server::serve;
pub(crate) use unfinished::publish_unfinished;
