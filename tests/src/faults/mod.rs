//! A sweep under a schedule of faults, and what it has to come to all the same.
//!
//! - [`schedule`]: which fault happens when and to whom, drawn from a seed;
//! - [`installation`]: RabbitMQ and Redis or a host, workers, coordinator, aggregator and a client, with a
//!   [proxy](crate::proxy) on every way between them;
//! - [`supervisor`]: what an init system does for its services, and nothing more;
//! - `injection`, `power_loss`, `store_damage`, `stray_messages`: how each fault is brought about;
//! - [`client`]: watches the sweep over gRPC the whole time;
//! - `chronicle`: what happened, told at the end;
//! - `kept`, `left`: what is in the store and on the queue in the end;
//! - [`verdict`]: what has to hold in the end;
//! - [`round`]: one sweep from its submission to the verdict.

mod chronicle;
pub mod client;
mod injection;
pub mod installation;
mod kept;
mod left;
mod power_loss;
pub mod round;
pub mod schedule;
mod store_damage;
mod stray_messages;
pub mod supervisor;
pub mod verdict;
