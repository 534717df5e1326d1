//! The networked store: Redis.
