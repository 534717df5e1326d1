//! Messages on the queue that nobody ordered.

use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Connection, ConnectionProperties};
use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use loto_transport::queue::{self, Delivery, JOBS};
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
    let copies = &drawn(jobs, count, random);
    patiently(|| async move {
        let queue = queue::connect(broker).await?;
        Ok(queue.publish(copies).await?)
    })
    .await
}

/// So many of these jobs, each perhaps several times, in random order.
fn drawn(jobs: &[Job], count: usize, random: &mut ChaCha8Rng) -> Vec<Job> {
    let drawn = (0..count).filter_map(|_| jobs.choose(random).cloned());
    drawn.collect()
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

/// The other store that has its jobs on the same broker.
const ANOTHER_STORE: StoreId = StoreId([0xf0; 16]);

/// How long its workers look for their jobs: one of another store may hold a job for seconds, again and again.
const SEARCH: Duration = Duration::from_secs(15);

/// Publishes so many of these jobs for another store, whose workers take them after a while.
pub(super) async fn visit(
    broker: &str,
    jobs: &[Job],
    count: usize,
    stay: Duration,
    random: &mut ChaCha8Rng,
) -> anyhow::Result<()> {
    let visitors = &drawn(jobs, count, random);
    patiently(|| async move {
        let queue = queue::connect(broker).await?;
        Ok(queue.publish_for(ANOTHER_STORE, visitors).await?)
    })
    .await?;
    tokio::time::sleep(stay).await;
    fetch(broker, count).await
}

/// Takes so many jobs of the other store, or as many as there are, and leaves all else to its workers.
pub(super) async fn fetch(broker: &str, count: usize) -> anyhow::Result<()> {
    let queue = queue::connect(broker).await?;
    let mut consumer = queue.consume(10).await?;
    let mut taken = 0;
    let mut last = Instant::now();
    while taken < count && last.elapsed() < SEARCH {
        let next = tokio::time::timeout(Duration::from_secs(1), consumer.next()).await;
        let Ok(next) = next else {
            continue;
        };
        let Some(Delivery { body, receipt }) = next? else {
            break;
        };
        match Job::decode_addressed(&body) {
            Ok((_, Some(ANOTHER_STORE))) => {
                receipt.acknowledge().await?;
                taken += 1;
                last = Instant::now();
            }
            // A worker of the store that has it again sends garbage to the dead letters.
            _ => receipt.requeue(Duration::from_millis(500)).await?,
        }
    }
    Ok(())
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
