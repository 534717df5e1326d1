//! The broker has an alarm: it delivers messages and takes none.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use loto_tests::programs::{self, Process};
use loto_tests::servers::{self, PrivateServers, Server};
use loto_transport::queue::{self, JOBS};

use super::{ready, store_with_table, wait_until_settled, wait_until_told, worker};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_fails_while_nothing_can_be_published_leaks_no_slot() {
    let servers = tokio::task::block_in_place(|| PrivateServers::start(&[Server::Broker]));
    let broker = servers.broker_url();
    let store_url = servers::empty_store().await;
    let (store, jobs) = store_with_table(&store_url, 5).await;
    let queue = queue::connect(&broker).await.unwrap();
    queue.publish(&jobs).await.unwrap();
    tokio::task::block_in_place(|| {
        servers.control_broker(&["set_vm_memory_high_watermark", "0.0000001"])
    });

    let mut command = worker("faulty-worker", &broker, &store_url);
    command.env("LOTO_TEST_MISBEHAVE", "0=fail");
    let mut worker = Process::start(command);
    // While the alarm lasts.
    wait_until_settled(&*store, &jobs, (4, 1)).await;
    wait_until_told(&*store, &store_url, "has an alarm").await;
    // Who watches is told as well; the sweep that was recorded for that is never done.
    let mut watch = programs::command("loto");
    watch.args(["watch", "told", "--store", &store_url]);
    watch.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut watch = Process::start(watch);
    let log = watch.child().stderr.take().unwrap();
    let told = tokio::task::spawn_blocking(|| {
        let mut lines = BufReader::new(log).lines().map_while(Result::ok);
        lines.find(|line| line.contains("has an alarm"))
    });
    let told = tokio::time::timeout(super::PATIENCE, told).await;
    assert!(told.expect("nothing is told").unwrap().is_some());
    worker.terminate();
    assert!(worker.wait(super::PATIENCE).success());
    assert_eq!(ready(&broker, JOBS).await, 0);
}
