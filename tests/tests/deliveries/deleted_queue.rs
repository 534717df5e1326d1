//! An operator deletes the queue of jobs while workers run.

use std::time::Duration;

use lapin::options::{QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable};
use loto_tests::cluster::Cluster;
use loto_tests::programs::{self, Process};
use loto_tests::{samples, servers};
use loto_transport::queue::{DEAD_LETTERS, DELAYED, DELIVERY_LIMIT, JOBS};

use super::ready;

const JOBS_PLANNED: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_jobs_of_a_deleted_queue_come_back_and_every_slot_works() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = samples::built_in_sweep(
        "deleted",
        &["gp"],
        &["wine-noisy"],
        JOBS_PLANNED as usize,
        30,
    );
    let file = folder.path().join("sweep.toml");
    std::fs::write(&file, sweep).unwrap();
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let arguments = |first: &[&str]| {
        let mut command = programs::command("loto");
        command
            .args(first)
            .args(["--broker", &turn.url, "--store", &store]);
        command
    };
    let submitted = arguments(&["submit", file.to_str().unwrap()])
        .status()
        .unwrap();
    assert!(submitted.success());
    let mut cluster = Cluster::new(&turn.url, &store);
    cluster.start_worker();
    cluster.start_worker();
    tokio::task::block_in_place(|| cluster.wait_for_traces(10));
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let deletion = channel.queue_delete(JOBS.into(), QueueDeleteOptions::default());
    // A queue that is there again at once can keep the broker from cancelling its consumers.
    let declared = QueueDeclareOptions::durable();
    let declaration = channel.queue_declare(JOBS.into(), declared, arguments_of_jobs());
    let (deleted, declared) = tokio::join!(deletion, declaration);
    assert!(deleted.unwrap() > 0, "nothing waited any more");
    declared.unwrap();
    let mut resumed = Process::start(arguments(&["resume", "deleted", "--wait"]));
    let status = tokio::task::block_in_place(|| resumed.wait(Duration::from_secs(120)));
    assert!(status.success(), "{status}");
    for number in [0, 1] {
        let log = tokio::task::block_in_place(|| cluster.stop_worker(number));
        eprintln!("{log}");
        assert!(log.contains("receiving jobs again"), "{log}");
    }
    // What was not acknowledged would be back.
    assert_eq!(
        ready(&turn.url, JOBS).await + ready(&turn.url, DELAYED).await,
        0
    );
}

/// As workers and coordinators declare the queue of jobs.
fn arguments_of_jobs() -> FieldTable {
    let mut arguments = FieldTable::default();
    for (name, text) in [
        ("x-queue-type", "quorum"),
        ("x-dead-letter-exchange", ""),
        ("x-dead-letter-routing-key", DEAD_LETTERS),
    ] {
        arguments.insert(name.into(), AMQPValue::LongString(text.into()));
    }
    let limit = AMQPValue::LongUInt(DELIVERY_LIMIT);
    arguments.insert("x-delivery-limit".into(), limit);
    arguments
}
