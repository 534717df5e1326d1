//! What is left on the queue.

use std::time::{Duration, Instant};

use lapin::Channel;
use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use loto_proto::job::Job;
use loto_transport::host::is_host_url;
use loto_transport::queue::{self, DEAD_LETTERS, DELAYED, JOBS};

use crate::servers::connect_broker;

/// How long workers may take to settle what is still on the queue: longer than it takes to
/// notice a dead connection.
const LONGEST_DRAIN: Duration = Duration::from_secs(150);

/// Waits until the queue of jobs is empty and nothing is unacknowledged, and looks at the dead
/// letters: only `garbage` may be among them. Those of a host are not looked at: nobody can. Returns what is wrong.
///
/// # Panics
/// If the broker does not answer.
pub async fn leftovers(broker: &str, garbage: &[Vec<u8>]) -> Vec<String> {
    leftovers_but(broker, garbage, &[]).await
}

/// As [`leftovers`]; these jobs may be among the dead letters, too.
pub(super) async fn leftovers_but(broker: &str, garbage: &[Vec<u8>], jobs: &[Job]) -> Vec<String> {
    let mut complaints = Vec::new();
    let begin = Instant::now();
    loop {
        let left = waiting_messages(broker).await;
        if left == 0 {
            break;
        }
        if begin.elapsed() > LONGEST_DRAIN {
            complaints.push(format!("{left} messages are left"));
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    if is_host_url(broker) {
        return complaints;
    }
    let (_connection, channel) = connect_broker(broker).await;
    let options = BasicGetOptions { no_ack: true };
    while let Ok(Some(letter)) = channel.basic_get(DEAD_LETTERS.into(), options).await {
        let body = &letter.delivery.data;
        if !garbage.contains(body) {
            let what = match Job::decode(body) {
                Ok(job) if jobs.iter().any(|known| known.id() == job.id()) => continue,
                Ok(job) => format!(
                    "{} on {}, seed {}",
                    job.series.method.id, job.series.task, job.seed
                ),
                Err(error) => format!("{} bytes, {error}", body.len()),
            };
            let headers = letter.delivery.properties.headers();
            complaints.push(format!(
                "a dead letter is none of ours: {what}; {headers:?}"
            ));
        }
    }
    complaints
}

/// How many messages wait in the queues of jobs.
///
/// # Panics
/// If the broker does not answer.
pub(super) async fn waiting_messages(broker: &str) -> u64 {
    if is_host_url(broker) {
        let queue = queue::connect(broker).await.expect("the host is there");
        return queue.waiting().await.expect("the host answers");
    }
    let (_connection, channel) = connect_broker(broker).await;
    u64::from(waiting(&channel, JOBS).await + waiting(&channel, DELAYED).await)
}

async fn waiting(channel: &Channel, queue: &'static str) -> u32 {
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let declared = channel.queue_declare(queue.into(), passive, FieldTable::default());
    declared.await.expect("the queue is there").message_count()
}
