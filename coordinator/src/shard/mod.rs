//! Shards of a sweep: parts that are run on their own, without a broker, and joined by `loto merge`.
//!
//! - [`Shard`] is one of so many, as `3/64`;
//! - [`Share`] is which jobs it has: the same in every process that plans the same sweep.

mod name;
mod share;

pub(crate) use name::Shard;
pub(crate) use share::Share;
