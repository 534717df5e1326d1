//! The embedded store: one SQLite file.
//!
//! The file is in write-ahead mode with `synchronous = NORMAL`: what was reported
//! done survives the death of the process at any moment. A loss of power may take
//! the last traces with it, never the file; they are computed again on resuming.
//!
//! Values carry a checksum of key and content ([`loto_proto::seal`]). What else there is in the file is kept
//! twice, in a table and in an index, and compared when the file is opened.
//!
//! The history of new traces is the table of traces itself, in the order of
//! storing, so it is never incomplete.

mod attempts;
mod blobs;
mod failure;
mod health;
mod heartbeats;
mod queries;
mod read_only;
mod schema;
mod store;
mod sweeps;
mod traces;

pub use self::store::EmbeddedStore;

#[cfg(test)]
mod tests;
