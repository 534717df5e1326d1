//! Where jobs wait for a worker.
//!
//! Delivery is at least once: a job is gone only when a consumer has
//! acknowledged it. What makes the effect happen exactly once is the store.

mod in_process;
mod interface;
mod rabbitmq;

use std::sync::Arc;

pub use self::in_process::InProcessQueue;
pub use self::interface::{Consumer, Delivery, Queue, Receipt};
pub use self::rabbitmq::{
    DEAD_LETTERS, DELAYED, DELIVERY_LIMIT, FORMER_DELAYED, JOBS, RabbitQueue,
};
use crate::connection::Access;
use crate::error::TransportError;

/// Connects to a queue, which is made if it is not there:
/// `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST` for RabbitMQ.
///
/// # Errors
/// As [`RabbitQueue::connect`].
pub async fn connect(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    Ok(Arc::new(RabbitQueue::connect(access).await?))
}

/// As [`connect`], for a worker, whose account need not be allowed to make queues: it makes only
/// those that are missing, and if it may not, waits for them.
///
/// # Errors
/// As [`RabbitQueue::connect`].
pub async fn connect_worker(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    Ok(Arc::new(RabbitQueue::connect_worker(access).await?))
}
