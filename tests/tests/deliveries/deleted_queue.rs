//! An operator deletes the queue of jobs while workers run.

use std::path::Path;
use std::time::{Duration, Instant};

use lapin::options::{QueueDeclareOptions, QueueDeleteOptions};
use lapin::types::{AMQPValue, FieldTable};
use loto_tests::cluster::Cluster;
use loto_tests::programs::{self, Process};
use loto_tests::{samples, servers};
use loto_transport::queue::{DEAD_LETTERS, DELAYED, DELIVERY_LIMIT, JOBS};

use super::{PATIENCE, ready, wait_until_told_of};

/// Jobs of the sweep whose queue is deleted.
const DELETED_JOBS: usize = 200;

/// Jobs of the sweep after that one.
const LONG_JOBS: usize = 1000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_jobs_of_a_deleted_queue_come_back_and_every_slot_works() {
    let folder = tempfile::tempdir().unwrap();
    let file_of = |name: &str, seeds, evaluations| {
        let sweep = samples::built_in_sweep(name, &["gp"], &["wine-noisy"], seeds, evaluations);
        let file = folder.path().join(format!("{name}.toml"));
        std::fs::write(&file, sweep).unwrap();
        file
    };
    let deleted_file = file_of("deleted", DELETED_JOBS, 100);
    // One worker alone is busy with them for minutes, and the other notices within half of one that it is forgotten.
    let long_file = file_of("long", LONG_JOBS, 280);
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let arguments = |first: &[&str]| {
        let mut command = programs::command("loto");
        command
            .args(first)
            .args(["--broker", &turn.url, "--store", &store]);
        command
    };
    let submit = |file: &Path| {
        let submitted = arguments(&["submit", file.to_str().unwrap()]).status();
        assert!(submitted.unwrap().success());
    };
    submit(&deleted_file);
    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let mut cluster = Cluster::new(&turn.url, &store);
    cluster.start_worker();
    cluster.start_worker();
    tokio::task::block_in_place(|| cluster.wait_for_traces(10));
    let deletion = channel.queue_delete(JOBS.into(), QueueDeleteOptions::default());
    // A queue that is there again at once can keep the broker from cancelling its consumers.
    let durable = QueueDeclareOptions::durable();
    let declaration = channel.queue_declare(JOBS.into(), durable, arguments_of_jobs());
    let (deleted, declared) = tokio::join!(deletion, declaration);
    assert!(deleted.unwrap() > 0, "nothing waited any more");
    declared.unwrap();
    let mut resumed = Process::start(arguments(&["resume", "deleted", "--wait"]));
    let status = tokio::task::block_in_place(|| resumed.wait(Duration::from_secs(120)));
    assert!(status.success(), "{status}");
    // The sweep can be done before a forgotten worker has noticed it: only jobs that wait tell it that.
    submit(&long_file);
    // Each worker runs one job at a time.
    wait_until_told_of("long", &store, "2 running").await;
    // Deliveries that the forgotten worker gives back are the next ones.
    tokio::task::block_in_place(|| cluster.wait_for_traces(cluster.traces() + 10));
    for number in [0, 1] {
        let log = tokio::task::block_in_place(|| cluster.stop_worker(number));
        eprintln!("{log}");
    }
    // A delivery that was never settled would be back as a job too many, one that was lost a job too few.
    let begin = Instant::now();
    loop {
        let waiting = ready(&turn.url, JOBS).await + ready(&turn.url, DELAYED).await;
        let traces = tokio::task::block_in_place(|| cluster.traces());
        if traces + u64::from(waiting) == (DELETED_JOBS + LONG_JOBS) as u64 {
            return;
        }
        let found = format!("{traces} traces, {waiting} jobs");
        assert!(begin.elapsed() < PATIENCE, "{found}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
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
