//! The shell of a process: its options, its signals, and what it tells about itself while it runs.

pub mod connection_options;
pub mod observation;
pub mod shutdown;
