//! An operator trims or deletes the stream of events to free memory.

use std::time::Duration;

use loto_tests::cluster::Cluster;
use loto_tests::faults::verdict::leftovers;
use loto_tests::{samples, servers};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_is_done_although_its_events_are_trimmed_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = samples::built_in_sweep("trimmed", &["rs"], &["wine-noisy"], 200, 30);
    let file = folder.path().join("sweep.toml");
    std::fs::write(&file, sweep).unwrap();
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let mut cluster = Cluster::new(&turn.url, &store);
    let mut submit = cluster.submit(&file);
    cluster.start_worker();
    let mut redis = servers::connect_redis(&store).await;
    for words in [&["MAXLEN", "0"][..], &[], &["MAXLEN", "0"]] {
        tokio::task::block_in_place(|| cluster.wait_for_traces(10));
        let mut command = redis::cmd(if words.is_empty() { "DEL" } else { "XTRIM" });
        command.arg("loto:events").arg(words);
        let _: u64 = command.query_async(&mut redis).await.unwrap();
    }
    let status = tokio::task::block_in_place(|| submit.wait(Duration::from_secs(100)));
    assert!(status.success(), "{status}");
    let complaints = leftovers(&turn.url, &[]).await;
    assert!(complaints.is_empty(), "{complaints:?}");
}
