//! Where jobs wait for a worker.
//!
//! Delivery is at least once: a job is gone only when a consumer has
//! acknowledged it. What makes the effect happen exactly once is the store.

mod host;
mod in_process;
mod interface;
mod rabbitmq;

use std::sync::Arc;

pub use self::host::HostQueue;
pub use self::in_process::InProcessQueue;
pub use self::interface::{Consumer, Delivery, Queue, Receipt};
pub use self::rabbitmq::{
    DEAD_LETTERS, DELAYED, DELIVERY_LIMIT, FORMER_DELAYED, JOBS, RabbitQueue,
};
use crate::connection::Access;
use crate::error::TransportError;
use crate::host::protocol::is_host_url;

/// Connects to a queue, which is made if it is not there:
/// `amqp[s]://USER:PASSWORD@HOST:PORT/VHOST` for RabbitMQ, `loto[s]://HOST:PORT` for that of `loto host`.
///
/// # Errors
/// As [`RabbitQueue::connect`] and [`HostQueue::connect`].
pub async fn connect(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    let access = access.into();
    if is_host_url(access.address.expose()) {
        return Ok(Arc::new(HostQueue::connect(access).await?));
    }
    Ok(Arc::new(RabbitQueue::connect(access).await?))
}

/// As [`connect`], for a worker, whose account need not be allowed to make queues: it makes only
/// those that are missing, and if it may not, waits for them.
///
/// # Errors
/// As [`RabbitQueue::connect_worker`] and [`HostQueue::connect`].
pub async fn connect_worker(access: impl Into<Access>) -> Result<Arc<dyn Queue>, TransportError> {
    let access = access.into();
    if is_host_url(access.address.expose()) {
        return Ok(Arc::new(HostQueue::connect(access).await?));
    }
    Ok(Arc::new(RabbitQueue::connect_worker(access).await?))
}
