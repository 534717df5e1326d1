//! A job that misbehaves is poisoned and harms no other; real processes, real servers.

use std::process::Stdio;
use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptState};
use loto_tests::programs::{self, Process};
use loto_tests::{servers, small_sweep};
use loto_transport::queue;
use loto_transport::store;

/// Ways to misbehave, and what the user is told of each.
const WAYS: [(&str, &str); 8] = [
    ("fail", "it never works"),
    ("panic", "the method panicked: "),
    ("hang", "deadline of 2 s"),
    ("spin", "deadline of 2 s"),
    ("allocate", "memory allocation of"),
    ("abort", "SIGABRT"),
    ("exit", "exit status 3"),
    ("overflow", "stack"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_that_misbehave_are_poisoned_and_harm_no_other() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let store = store::open(&store_url).await.unwrap();
    let queue = queue::connect(&turn.url).await.unwrap();
    let (table, blob) = small_sweep::table_blob();
    store.put_blob(&table.blob_name(), &blob).await.unwrap();

    let well_behaved = 20;
    let jobs: Vec<_> = (0..(WAYS.len() + 1 + well_behaved) as u32)
        .map(|seed| small_sweep::job(table, seed))
        .collect();
    queue.publish(&jobs).await.unwrap();
    let ways = WAYS.iter().map(|(how, _)| *how).chain(["print"]);
    let plan: Vec<String> = ways
        .enumerate()
        .map(|(seed, how)| format!("{seed}={how}"))
        .collect();

    let mut command = programs::command("faulty-worker");
    command.args(["--jobs", "2", "--deadline", "2", "--memory", "300"]);
    command.args(["--max-attempts", "2"]);
    command.args(["--broker", &turn.url, "--store", &store_url]);
    command.env("LOTO_TEST_MISBEHAVE", plan.join(","));
    command.stderr(Stdio::inherit());
    let mut worker = Process::start(command);

    let series = [jobs[0].series.id()];
    let settled = async {
        loop {
            let done = store.seeds_done(&series).await.unwrap().remove(0);
            let attempts = store.attempts(&series).await.unwrap().remove(0);
            let is_poisoned =
                |(_, attempt): &(u32, Attempt)| attempt.state == AttemptState::Poisoned;
            if done.len() == well_behaved + 1 && attempts.iter().all(is_poisoned) {
                return (done, attempts);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let settled = tokio::time::timeout(Duration::from_secs(120), settled).await;
    let (done, attempts) = settled.expect("every job ends in one way or the other");
    assert!(done.into_iter().eq(WAYS.len() as u32..jobs.len() as u32));
    assert_eq!(attempts.len(), WAYS.len());
    for ((seed, attempt), (how, told)) in attempts.iter().zip(WAYS) {
        assert_eq!(WAYS[*seed as usize].0, how);
        assert_eq!((attempt.count, attempt.failures), (2, 2), "{how}");
        let said = format!("{}\n{}", attempt.error, attempt.backtrace);
        assert!(said.contains(told), "{how}: {said}");
    }
    assert!(
        attempts[1].1.backtrace.contains("misbehave"),
        "{attempts:?}"
    );

    // The worker itself is well.
    worker.terminate();
    assert!(worker.wait(Duration::from_secs(20)).success());
    assert!(store.heartbeats().await.unwrap().is_empty());
    assert_eq!(queue.waiting().await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_outlives_the_grace_is_requeued_at_no_cost() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let store = store::open(&store_url).await.unwrap();
    let queue = queue::connect(&turn.url).await.unwrap();
    let (table, _) = small_sweep::table_blob();
    let job = small_sweep::job(table, 0);
    queue.publish(std::slice::from_ref(&job)).await.unwrap();

    let mut command = programs::command("faulty-worker");
    command.args(["--grace", "1", "--jobs", "1"]);
    command.args(["--broker", &turn.url, "--store", &store_url]);
    command.env("LOTO_TEST_MISBEHAVE", "0=hang");
    let mut worker = Process::start(command);
    let record = async || store.job_record(job.series.id(), 0).await.unwrap().attempt;
    while record().await.is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    worker.terminate();
    assert!(worker.wait(Duration::from_secs(20)).success());
    let attempt = record().await.unwrap();
    assert_eq!((attempt.count, attempt.state), (0, AttemptState::Queued));
    assert_eq!(queue.waiting().await.unwrap(), 1);
}
