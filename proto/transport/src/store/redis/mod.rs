//! The networked store: Redis 5 or later, one server (not a cluster).
//!
//! | key | type | content |
//! |---|---|---|
//! | `loto:sweep:{id}` | string | a sweep |
//! | `loto:sweeps` | list | the ids of all sweeps, in the order of recording |
//! | `loto:traces:{series}` | hash | finished traces: seed -> trace |
//! | `loto:attempts:{series}` | hash | attempts at unfinished jobs: seed -> JSON |
//! | `loto:conflicts` | hash | other outcomes than the stored one: series:seed -> text |
//! | `loto:sweep-state:{id}` | hash | `published` -> seeds, `cancelled` -> a number that follows from the id |
//! | `loto:stopped` | set | the series of cancelled sweeps |
//! | `loto:workers` | hash | the last heartbeat of each worker: name -> text |
//! | `loto:events` | stream | the last million new traces, numbered `1-0`, `2-0`, ...: series, seed, random mark |
//! | `loto:blob:{name}` | string | tables and fitted priors |
//!
//! Sweeps, traces, attempts and conflicts carry a checksum of key and content ([`loto_proto::seal`]); tables and
//! fits are checked by those who read them.
//!
//! Finished work is only ever added. Redis must be set to keep it: an append-only
//! file, and no eviction (`maxmemory-policy noeviction`, the default).

mod attempts;
mod blobs;
mod connection;
mod health;
mod heartbeats;
mod keys;
mod scripts;
mod store;
mod sweeps;
mod traces;

pub use self::store::RedisStore;
