//! Cancelling, resuming and retrying a sweep while workers run, as a user does it.

use std::collections::BTreeSet;
use std::process::Output;
use std::time::{Duration, Instant};

use loto_tests::cluster::Cluster;
use loto_tests::faults::verdict::{Undisturbed, leftovers};
use loto_tests::programs::{self, Process};
use loto_tests::{samples, servers};
use loto_transport::queue;

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

const SEEDS: usize = 100;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a command of `loto` to its end.
fn loto(arguments: &[&str], broker: Option<&str>, store: &str) -> Output {
    let mut command = programs::command("loto");
    command.args(arguments).args(["--store", store]);
    if let Some(broker) = broker {
        command.args(["--broker", broker]);
    }
    command.output().unwrap()
}

/// What it says, if it ends well.
fn told(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// What it says, if it fails.
fn failure(output: Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

async fn wait_until_drained(broker: &str) {
    let queue = queue::connect(broker).await.unwrap();
    let begin = Instant::now();
    while queue.waiting().await.unwrap() > 0 {
        assert!(begin.elapsed() < PATIENCE, "messages are left");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_cancelled_half_way_drains_and_is_whole_once_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = samples::built_in_sweep("control", &["rs", "gp"], &TARGETS, SEEDS, 60);
    let sweep = Undisturbed::run(&sweep, folder.path()).await;
    let file = sweep.file().to_str().unwrap().to_owned();
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let broker = Some(turn.url.as_str());
    let mut cluster = Cluster::new(&turn.url, &store);
    let mut submit = cluster.submit(sweep.file());
    cluster.start_worker();
    let planned = 2 * TARGETS.len() as u64 * SEEDS as u64;
    tokio::task::block_in_place(|| cluster.wait_for_traces(planned / 2));

    let text = told(loto(&["cancel", "control"], None, &store));
    assert!(text.contains("is cancelled"), "{text}");
    assert_eq!(submit.wait(PATIENCE).code(), Some(1));
    wait_until_drained(&turn.url).await;
    // The last running job is finished.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let done = cluster.traces();
    assert!(
        (planned / 2..planned).contains(&done),
        "{done} of {planned}"
    );
    let status = told(loto(&["status", "control"], None, &store));
    assert!(status.contains("cancelled; "), "{status}");
    assert!(
        status.contains(&format!("{done} of {planned} done")),
        "{status}"
    );
    let error = failure(loto(&["submit", &file], broker, &store));
    assert!(error.contains("loto resume"), "{error}");
    let error = failure(loto(&["retry", "control"], broker, &store));
    assert!(error.contains("cancelled"), "{error}");
    assert_eq!(cluster.traces(), done, "something of it was begun");

    told(loto(&["resume", "control", "--wait"], broker, &store));
    let mut complaints = leftovers(&turn.url, &[]).await;
    complaints.extend(sweep.compare(&store, &BTreeSet::new(), false).await);
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn poisoned_jobs_are_told_and_retried() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = samples::built_in_sweep("retried", &["rs"], &TARGETS, 4, 30);
    let sweep = Undisturbed::run(&sweep, folder.path()).await;
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let broker = Some(turn.url.as_str());
    let mut faulty = programs::command("faulty-worker");
    faulty.args(["--broker", &turn.url, "--store", &store]);
    faulty.args(["--max-attempts", "1"]);
    faulty.env("LOTO_TEST_MISBEHAVE", "2=panic");
    let mut faulty = Process::start(faulty);
    let mut cluster = Cluster::new(&turn.url, &store);
    assert_eq!(cluster.submit(sweep.file()).wait(PATIENCE).code(), Some(1));
    let status = told(loto(&["status", "retried", "--backtraces"], None, &store));
    for part in ["6 of 8 done, 2 poisoned", "index 7 of 5", "misbehave"] {
        assert!(status.contains(part), "{part}: {status}");
    }
    faulty.terminate();
    assert!(faulty.wait(PATIENCE).success());

    cluster.start_worker();
    let text = told(loto(&["retry", "retried"], broker, &store));
    assert!(text.contains("queued 2 jobs again"), "{text}");
    told(loto(&["watch", "retried"], None, &store));
    let complaints = sweep.compare(&store, &BTreeSet::new(), false).await;
    assert!(complaints.is_empty(), "{complaints:?}");
}
