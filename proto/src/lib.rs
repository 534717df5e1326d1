//! The protocol of loto: all that two of its processes must agree on.
//!
//! - [`sweep_file`]: the TOML file a user writes;
//! - [`sweep`], [`job`], [`trace`]: the plan, one unit of work, its outcome;
//! - [`attempt`], [`lifecycle`]: how a job stands that is not done, and what may become of it;
//! - [`worker_report`], [`sweep_state`]: what workers hold, and what was done with a sweep;
//! - [`identity`]: content hashes that name tables, jobs and sweeps;
//! - [`limits`]: the most that is accepted from outside;
//! - [`wire`]: the messages generated from `loto/v1/*.proto`.

pub mod attempt;
pub mod excerpt;
pub mod identity;
pub mod job;
pub mod lifecycle;
pub mod limits;
pub mod message_error;
mod packing;
pub mod sweep;
pub mod sweep_file;
pub mod sweep_state;
pub mod table_spec;
pub mod trace;
pub mod worker_report;

/// Messages generated from `proto/loto/v1/job.proto` and `computing.proto`, where each field is documented.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod wire {
    include!(concat!(env!("OUT_DIR"), "/loto.v1.rs"));
}
