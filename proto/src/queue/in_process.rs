//! The embedded queue: a channel inside one process.
