//! The gRPC service `loto.v1.Aggregator`: answers questions about sweeps from a
//! store, while they run and after. `proto/loto/v1/aggregator.proto` documents it.
//!
//! A task follows each sweep that is asked for (`followed_sweep`) and publishes snapshots of it;
//! another one keeps each analysis up to date (`analyses`), at leisure if that takes long (`leisure`). A request reads the newest snapshot
//! (`watched_sweep`). One file per group of questions; `request` checks what comes in.
//!
//! `incoming` takes connections, `guard` lets in who may ask (`tokens`, `guesses`), `server` puts all together.

mod analyses;
mod comparison;
mod completeness;
mod curves;
mod followed_sweep;
mod guard;
mod guesses;
mod improvement;
mod incoming;
mod leisure;
mod marks;
mod overview;
mod preparation;
mod progress;
mod progress_stream;
mod request;
mod resume_token;
mod server;
mod service;
mod snapshot;
mod status;
mod sweep_list;
mod tokens;
mod traces;
mod watched_sweep;
mod watched_sweeps;
mod workers;

#[cfg(test)]
mod tests;

pub use guard::{Guard, GuardFiles};
pub(crate) use incoming::incoming;
pub(crate) use marks::{Marks, TakenMark, is_same};
pub(crate) use overview::{Overview, SeriesState};
pub use server::{bind, serve};
pub(crate) use server::{secured, serving};
pub use service::AggregatorService;
pub(crate) use snapshot::Published;
pub(crate) use status::to_status;
pub(crate) use tokens::Rights;
pub(crate) use watched_sweep::WatchedSweep;
pub use watched_sweeps::WatchedSweeps;
