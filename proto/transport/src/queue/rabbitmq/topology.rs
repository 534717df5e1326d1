//! The queues on the broker, and how they come to be there.

use lapin::options::QueueDeclareOptions;
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ErrorKind, Queue};

/// The queue of jobs.
pub const JOBS: &str = "loto.jobs";

/// The queue of messages that wait until the delay before their next attempt is over.
pub const DELAYED: &str = "loto.jobs.paused";

/// The queue of messages that were rejected or delivered too often.
pub const DEAD_LETTERS: &str = "loto.jobs.dead";

/// How often a message may lose its consumer before the broker moves it to the dead letters.
pub const DELIVERY_LIMIT: u32 = 20;

/// Declares the queues: all of them if `always`, which finds one of another make, otherwise those
/// that are missing. Returns whether they are there; they are not if we may not make them.
pub(super) async fn ensure_queues(connection: &Connection, always: bool) -> lapin::Result<bool> {
    if always {
        declare_queues(connection).await?;
    } else if !has_queues(connection).await? {
        match declare_queues(connection).await {
            Err(error) if is(&error, AMQPSoftError::ACCESSREFUSED) => return Ok(false),
            declared => declared?,
        }
    }
    Ok(true)
}

/// Looks at a queue. To do so, no permission is needed.
pub(super) async fn look_at(channel: &Channel, queue: &str) -> lapin::Result<Queue> {
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    channel
        .queue_declare(queue.into(), passive, FieldTable::default())
        .await
}

async fn has_queues(connection: &Connection) -> lapin::Result<bool> {
    let channel = connection.create_channel().await?;
    for queue in [DEAD_LETTERS, JOBS, DELAYED] {
        match look_at(&channel, queue).await {
            Ok(_) => {}
            Err(error) if is(&error, AMQPSoftError::NOTFOUND) => return Ok(false),
            Err(error) => return Err(error),
        }
    }
    // An error means that the connection is gone, too, as its next use will show.
    let _closed = channel.close(200, "".into()).await;
    Ok(true)
}

fn is(error: &lapin::Error, kind: AMQPSoftError) -> bool {
    let ErrorKind::ProtocolError(problem) = error.kind() else {
        return false;
    };
    *problem.kind() == AMQPErrorKind::Soft(kind)
}

async fn declare_queues(connection: &Connection) -> lapin::Result<()> {
    let channel = connection.create_channel().await?;
    let durable = QueueDeclareOptions::durable();
    for (queue, arguments) in [
        (DEAD_LETTERS, quorum_queue()),
        (JOBS, jobs_queue()),
        (DELAYED, quorum_queue_to(JOBS)),
    ] {
        channel
            .queue_declare(queue.into(), durable, arguments)
            .await?;
    }
    // An error means that the connection is gone, too, as its next use will show.
    let _closed = channel.close(200, "".into()).await;
    Ok(())
}

fn quorum_queue() -> FieldTable {
    let mut arguments = FieldTable::default();
    arguments.insert(
        "x-queue-type".into(),
        AMQPValue::LongString("quorum".into()),
    );
    arguments
}

/// A queue whose messages go to another one when they are rejected or expire.
fn quorum_queue_to(queue: &str) -> FieldTable {
    let mut arguments = quorum_queue();
    // The default exchange takes a message to the queue that its routing key names.
    arguments.insert(
        "x-dead-letter-exchange".into(),
        AMQPValue::LongString("".into()),
    );
    arguments.insert(
        "x-dead-letter-routing-key".into(),
        AMQPValue::LongString(queue.into()),
    );
    arguments
}

fn jobs_queue() -> FieldTable {
    let mut arguments = quorum_queue_to(DEAD_LETTERS);
    arguments.insert(
        "x-delivery-limit".into(),
        AMQPValue::LongUInt(DELIVERY_LIMIT),
    );
    arguments
}
