//! A deterministic simulation of sweeps under faults.
//!
//! The real consumer, dispatch, follower, tracker and collected traces run over a simulated broker, a simulated
//! store and simulated computations, in one thread, on a clock that jumps to the next thing that happens. All chance
//! comes from one seed, so that a seed that fails fails again, with a log of everything that happened:
//!
//! ```sh
//! LOTO_SIMULATION_SEED=17 cargo test --release -p loto-tests --test simulation
//! ```
//!
//! - `world`: the chance, the log and the faults that all parts share; `truth`: what is true of the jobs;
//! - `process`: a process whose every call to a server may be late, lost, doubled, or its last;
//! - `database`, `events`, `store`, `store_of_jobs`: Redis and its client; `broker`, `queue`: RabbitMQ and its client;
//! - `compute`: the computing of traces; `worker`, `coordinator`, `reader`: the processes with the real code;
//! - `environment`: the faults of hosts, servers and users;
//! - `checks`, `probe`: what must hold.
//!
//! What the simulation cannot show, because it is below the traits that it replaces: the clients of RabbitMQ and
//! Redis, whose rules it repeats, and the computing processes. The tests `queues`, `stores`, `faults` and
//! `isolation` show those, and the rules of `conformance` hold for the simulated queue and store, too.

mod broker;
mod chance;
mod checks;
mod compute;
mod coordinator;
mod database;
mod environment;
mod events;
mod faultless;
mod log;
mod plans;
mod probe;
mod process;
mod queue;
mod reader;
mod run;
mod store;
mod store_of_jobs;
mod truth;
mod worker;
mod world;

pub use faultless::{faultless_queue, faultless_store};
pub use run::{Outcome, Settings, simulate};
