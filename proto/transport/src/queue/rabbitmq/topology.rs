//! The queues on the broker, and how they come to be there.

use std::time::Duration;

use lapin::options::QueueDeclareOptions;
use lapin::protocol::{AMQPErrorKind, AMQPSoftError};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{Channel, Connection, ErrorKind, Queue};

/// The queue of jobs.
pub const JOBS: &str = "loto.jobs";

/// The queue of messages that wait until the delay before their next attempt is over. None waits longer
/// than [`LONGEST_DELAY`], whatever it says: the others would wait behind it.
pub const DELAYED: &str = "loto.jobs.delayed";

/// The queue that former releases use as [`DELAYED`]: a message without expiry stays there for ever, and all
/// that come after it.
pub const FORMER_DELAYED: &str = "loto.jobs.paused";

/// The longest delay of a message.
pub(super) const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// The queue of messages that were rejected or delivered too often.
pub const DEAD_LETTERS: &str = "loto.jobs.dead";

/// How often a message may lose its consumer before the broker moves it to the dead letters.
pub const DELIVERY_LIMIT: u32 = 20;

/// Declares the queues: all of them if `always`, which finds one of another make, otherwise those
/// that are missing. Returns the queue for messages with a delay; none if there are no queues and we may
/// not make them.
pub(super) async fn ensure_queues(
    connection: &Connection,
    always: bool,
) -> lapin::Result<Option<&'static str>> {
    if always {
        declare(connection, queues()).await?;
    } else if !has_queues(connection, &[DEAD_LETTERS, JOBS, FORMER_DELAYED]).await?
        && !declare_if_allowed(connection, queues()).await?
    {
        return Ok(None);
    }
    // An account made for a former release, or a coordinator of one, knows nothing of this queue.
    let is_there = !always && has_queues(connection, &[DELAYED]).await?;
    if is_there || declare_if_allowed(connection, [(DELAYED, delayed_queue())]).await? {
        return Ok(Some(DELAYED));
    }
    if always {
        tracing::warn!(
            "this account may not make the queue {DELAYED}: jobs are delayed in {FORMER_DELAYED}, where one \
             message without expiry blocks all others; make the accounts anew with deploy/accounts"
        );
    }
    Ok(Some(FORMER_DELAYED))
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

async fn has_queues(connection: &Connection, queues: &[&str]) -> lapin::Result<bool> {
    let channel = connection.create_channel().await?;
    for queue in queues {
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

/// The queues of all releases.
fn queues() -> [(&'static str, FieldTable); 3] {
    [
        (DEAD_LETTERS, quorum_queue()),
        (JOBS, jobs_queue()),
        (FORMER_DELAYED, quorum_queue_to(JOBS)),
    ]
}

/// Returns whether we may.
async fn declare_if_allowed(
    connection: &Connection,
    queues: impl IntoIterator<Item = (&'static str, FieldTable)>,
) -> lapin::Result<bool> {
    match declare(connection, queues).await {
        Err(error) if is(&error, AMQPSoftError::ACCESSREFUSED) => Ok(false),
        declared => declared.map(|()| true),
    }
}

async fn declare(
    connection: &Connection,
    queues: impl IntoIterator<Item = (&'static str, FieldTable)>,
) -> lapin::Result<()> {
    let channel = connection.create_channel().await?;
    let durable = QueueDeclareOptions::durable();
    for (queue, arguments) in queues {
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

fn delayed_queue() -> FieldTable {
    let mut arguments = quorum_queue_to(JOBS);
    let longest = LONGEST_DELAY.as_millis() as u32;
    arguments.insert("x-message-ttl".into(), AMQPValue::LongUInt(longest));
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
