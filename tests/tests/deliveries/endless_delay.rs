//! A message whose delay never ends does not hold up the others.

use lapin::BasicProperties;
use lapin::options::BasicPublishOptions;
use loto_tests::programs::Process;
use loto_tests::servers;
use loto_transport::queue::{self, FORMER_DELAYED};

use super::{store_with_table, wait_until_settled, worker};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_without_expiry_does_not_block_the_next_attempts() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let (store, jobs) = store_with_table(&store_url, 3).await;
    let queue = queue::connect(&turn.url).await.unwrap();
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let options = BasicPublishOptions::default();
    let properties = BasicProperties::default();
    let body = jobs[2].encode();
    let sent = channel.basic_publish("".into(), FORMER_DELAYED.into(), options, &body, properties);
    sent.await.unwrap().await.unwrap();
    queue.publish(&jobs[..2]).await.unwrap();
    let mut command = worker("faulty-worker", &turn.url, &store_url);
    command.env("LOTO_TEST_MISBEHAVE", "0=fail");
    let _worker = Process::start(command);
    wait_until_settled(&*store, &jobs[..2], (1, 1)).await;
    // And whoever looks after the queue releases it.
    queue.waiting().await.unwrap();
    wait_until_settled(&*store, &jobs, (2, 1)).await;
}
