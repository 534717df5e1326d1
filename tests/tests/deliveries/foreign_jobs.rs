//! Workers that take jobs which are not for them: of another store, or of another release.

use std::fs::{self, File};
use std::time::{Duration, Instant};

use loto_tests::cluster::Cluster;
use loto_tests::faults::verdict::leftovers;
use loto_tests::programs::Process;
use loto_tests::{samples, servers};
use loto_transport::queue::{self, DEAD_LETTERS};
use loto_transport::store;

use super::{PATIENCE, ready, store_with_table, wait_until_settled, wait_until_told, worker};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_on_other_stores_take_no_job_away() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = samples::built_in_sweep("foreign", &["rs"], &["wine-noisy"], 60, 30);
    let file = folder.path().join("sweep.toml");
    fs::write(&file, sweep).unwrap();
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let other_url = servers::empty_store().await;
    let embedded_url = folder.path().join("other.loto");
    let mut others = Vec::new();
    for (number, url) in [other_url.as_str(), embedded_url.to_str().unwrap()]
        .into_iter()
        .enumerate()
    {
        let mut command = worker("loto-worker", &turn.url, url);
        let log = File::create(folder.path().join(format!("{number}.log"))).unwrap();
        command.stderr(log);
        others.push(Process::start(command));
    }
    // They come first.
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut cluster = Cluster::new(&turn.url, &store_url);
    let mut submit = cluster.submit(&file);
    tokio::time::sleep(Duration::from_secs(3)).await;
    cluster.start_worker();
    let status = tokio::task::block_in_place(|| submit.wait(2 * PATIENCE));
    assert!(status.success(), "{status}");
    let complaints = leftovers(&turn.url, &[]).await;
    assert!(complaints.is_empty(), "{complaints:?}");
    for (number, other) in others.iter_mut().enumerate() {
        other.terminate();
        assert!(other.wait(PATIENCE).success());
        let log = fs::read_to_string(folder.path().join(format!("{number}.log"))).unwrap();
        assert!(log.contains("another store"), "{log}");
        let lines = log.lines().filter(|line| line.contains("another store"));
        assert!(lines.count() < 10, "{log}");
    }
    let other = store::open(&other_url).await.unwrap();
    let events = other.events_after(&store::Cursor::default(), 10).await;
    assert!(events.unwrap().events.is_empty(), "a foreign job was run");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_another_release_are_requeued_until_its_worker_comes() {
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let (store, mut jobs) = store_with_table(&store_url, 3).await;
    for job in &mut jobs[1..] {
        job.series.method.version = 99;
    }
    let queue = queue::connect(&turn.url).await.unwrap();
    queue.publish(&jobs[1..]).await.unwrap();
    queue.publish(&jobs[..1]).await.unwrap();
    let mut old = Process::start(worker("loto-worker", &turn.url, &store_url));
    wait_until_settled(&*store, &jobs[..1], (1, 0)).await;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(4) {
        for job in &jobs[1..] {
            let record = store.job_record(job.series.id(), job.seed).await.unwrap();
            let attempt = record.attempt.unwrap_or_default();
            assert_eq!((attempt.failures, attempt.error.as_str()), (0, ""));
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let told = "cannot run method rs of version 99";
    wait_until_told(&*store, &store_url, told).await;
    old.terminate();
    assert!(old.wait(PATIENCE).success());
    assert_eq!(queue.waiting().await.unwrap(), 2);
    assert_eq!(ready(&turn.url, DEAD_LETTERS).await, 0);
}
