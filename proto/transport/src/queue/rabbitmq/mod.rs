//! The networked queue: RabbitMQ 3.10 or later.
//!
//! Jobs wait in `loto.jobs`, a durable quorum queue; the virtual host in the URL
//! keeps installations apart. Every message is persistent, published as
//! mandatory and confirmed by the broker before [`publish`](super::Queue::publish) returns.
//!
//! A delivery whose consumer dies comes back by itself, at most
//! [`DELIVERY_LIMIT`] times; then the broker moves it to `loto.jobs.dead`, where
//! rejected messages go too. A delivery that is requeued on purpose is
//! published anew instead, so that it does not count against that limit; if there is a
//! delay, to `loto.jobs.delayed`, from which the broker moves it back in time. If it cannot be published, as
//! while the broker has an alarm, the broker takes it back as it is.
//!
//! A crash can leave a queue without a leader, which then takes no message. A worker that notices it of `loto.jobs.delayed` deletes
//! that queue, if its account may, and it is made anew.

mod broker;
mod client;
mod publisher;
mod session;
mod starvation;
mod tls_reactor;
mod topology;

pub use self::client::RabbitQueue;
pub use self::topology::{DEAD_LETTERS, DELAYED, DELIVERY_LIMIT, FORMER_DELAYED, JOBS};
