//! Messages on the queue that nobody ordered.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Connection, ConnectionProperties};
use loto_proto::job::Job;
use loto_transport::queue::{self, JOBS};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// How long a broker that just started again may take to take messages.
const PATIENCE: Duration = Duration::from_secs(60);

/// Longest message that is no job.
const LONGEST_GARBAGE: usize = 100_000;

/// Publishes so many of these jobs, each perhaps several times, in random order.
pub(super) async fn duplicate(
    broker: &str,
    jobs: &[Job],
    count: usize,
    random: &mut ChaCha8Rng,
) -> anyhow::Result<()> {
    let copies: Vec<Job> = (0..count)
        .filter_map(|_| jobs.choose(random).cloned())
        .collect();
    let copies = &copies;
    patiently(|| async move {
        let queue = queue::connect(broker).await?;
        Ok(queue.publish(copies).await?)
    })
    .await
}

/// Publishes a message that is no job, and returns it.
pub(super) async fn litter(broker: &str, random: &mut ChaCha8Rng) -> anyhow::Result<Vec<u8>> {
    let mut garbage = vec![0; random.random_range(1..LONGEST_GARBAGE)];
    random.fill(&mut garbage[..]);
    // The number of no field: whatever follows, it is no job.
    garbage[0] = 0;
    let body = &garbage[..];
    patiently(|| async move {
        let connection = Connection::connect(broker, ConnectionProperties::default()).await?;
        let channel = connection.create_channel().await?;
        let confirmed = ConfirmSelectOptions::default();
        channel.confirm_select(confirmed).await?;
        let properties = BasicProperties::default().with_delivery_mode(2);
        let options = BasicPublishOptions::default();
        let sent = channel.basic_publish("".into(), JOBS.into(), options, body, properties);
        ensure!(sent.await?.await?.is_ack(), "the broker did not keep it");
        Ok(())
    })
    .await?;
    Ok(garbage)
}

async fn patiently<Publishing>(publish: impl Fn() -> Publishing) -> anyhow::Result<()>
where
    Publishing: Future<Output = anyhow::Result<()>>,
{
    let begin = Instant::now();
    loop {
        match publish().await {
            Err(_) if begin.elapsed() < PATIENCE => {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            settled => return settled.context("the broker takes no messages"),
        }
    }
}
