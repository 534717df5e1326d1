//! The protocol of loto: all that two of its processes must agree on.
//!
//! - [`sweep_file`]: the TOML file a user writes;
//! - [`sweep`], [`job`], [`trace`]: the plan, one unit of work, its outcome;
//! - [`attempt`], [`lifecycle`]: how a job stands that is not done, and what may become of it;
//! - [`worker_report`], [`sweep_state`]: what workers hold, and what was done with a sweep;
//! - [`identity`]: content hashes that name tables, jobs and sweeps;
//! - [`connection`]: how to reach a broker or a store, and as whom;
//! - [`queue`] and [`store`]: where jobs wait and where traces end up, each one
//!   trait with an embedded and a networked implementation;
//! - [`limits`]: the most that is accepted from outside;
//! - [`observation`]: metrics, probes and log lines of a process;
//! - [`retry`]: how to outlast a restart of either;
//! - [`wire`]: the messages generated from `loto/v1/*.proto`.

pub mod attempt;
pub mod connection;
pub mod error;
pub mod excerpt;
pub mod identity;
pub mod job;
pub mod lifecycle;
pub mod limits;
pub mod observation;
mod packing;
pub mod queue;
pub mod retry;
pub mod store;
pub mod sweep;
pub mod sweep_file;
pub mod sweep_state;
pub mod table_spec;
pub mod trace;
pub mod worker_report;

pub use error::ProtoError;

/// Messages and the gRPC service generated from `proto/loto/v1/*.proto`, where each field is documented.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod wire {
    tonic::include_proto!("loto.v1");

    /// Encoded descriptors of the package, for gRPC reflection.
    pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/loto.bin"));
}
