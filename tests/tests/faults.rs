//! A sweep over RabbitMQ and Redis comes to its right end by itself, whatever dies on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant};

use lapin::options::QueueDeclareOptions;
use lapin::types::FieldTable;
use loto_proto::queue::{DEAD_LETTERS, JOBS};
use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::samples;
use loto_tests::servers::{PrivateServers, Server, connect_broker, connect_redis};
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;

const METHODS: [&str; 3] = ["gp", "gcp", "gcp-prior"];
const TARGETS: [&str; 3] = ["digits-3-vs-8", "wine-noisy", "diabetes-median"];
const SEEDS: usize = 15;
/// Enough for jobs of about a tenth of a second, so that the faults hit running ones.
const ITERATIONS: usize = 110;
const TRACES: usize = METHODS.len() * TARGETS.len() * SEEDS;

fn sweep() -> String {
    samples::built_in_sweep("faults", &METHODS, &TARGETS, SEEDS, ITERATIONS)
}

#[test]
fn a_sweep_outlives_its_workers_broker_and_store() {
    let folder = tempfile::tempdir().unwrap();
    let sweep_file = folder.path().join("sweep.toml");
    fs::write(&sweep_file, sweep()).unwrap();

    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.start_worker();
    let mut submit = cluster.submit(&sweep_file);

    let step = TRACES as u64 / 8;
    cluster.wait_for_traces(step);
    cluster.kill_worker(0);
    cluster.start_worker();

    cluster.wait_for_traces(cluster.traces() + step);
    servers.kill(Server::Broker);
    servers.restart(Server::Broker);

    cluster.wait_for_traces(cluster.traces() + step);
    cluster.kill_worker(1);
    cluster.start_worker();

    cluster.wait_for_traces(cluster.traces() + step);
    servers.kill(Server::Store);
    servers.restart(Server::Store);
    let last_fault = cluster.traces();
    assert!(last_fault < TRACES as u64, "the last fault came too late");

    let status = submit.wait(Duration::from_secs(180));
    assert!(status.success(), "{status}");
    let out = folder.path().join("cluster");
    cluster.report("faults", &out);

    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        assert_every_trace_is_there_once(&servers.store_url()).await;
        assert_nothing_is_left(&servers.broker_url(), &servers.store_url()).await;
    });
    // Those that outlived the servers are well.
    cluster.stop_worker(2);
    cluster.stop_worker(3);

    let undisturbed = folder.path().join("undisturbed");
    let mut run = programs::command("loto");
    run.arg("run").arg(&sweep_file).arg("--out");
    let output = run.arg(&undisturbed).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_same(&outcomes(&out), &outcomes(&undisturbed));
}

async fn assert_every_trace_is_there_once(store: &str) {
    let mut redis = connect_redis(store).await;
    let history: StreamRangeReply = redis.xrange_all("loto:events").await.unwrap();
    let mut seeds = BTreeMap::<String, BTreeSet<usize>>::new();
    for event in &history.ids {
        let series = event.get("series").unwrap();
        let seed = event.get("seed").unwrap();
        let first = seeds.entry(series).or_default().insert(seed);
        assert!(first, "told twice: {event:?}");
    }
    assert_eq!(seeds.len(), METHODS.len() * TARGETS.len());
    for (series, told) in seeds {
        assert_eq!(told, (0..SEEDS).collect(), "{series}");
        let kept: Vec<usize> = redis.hkeys(format!("loto:traces:{series}")).await.unwrap();
        assert_eq!(kept.len(), SEEDS, "{series}");
        assert_eq!(BTreeSet::from_iter(kept), told, "{series}");
    }
    let kept: Vec<String> = redis.keys("loto:traces:*").await.unwrap();
    assert_eq!(kept.len(), METHODS.len() * TARGETS.len());
}

/// No job waits or was given up; no attempt is on record.
async fn assert_nothing_is_left(broker: &str, store: &str) {
    let (_connection, channel) = connect_broker(broker).await;
    let waiting = async |queue: &'static str| {
        let passive = QueueDeclareOptions {
            passive: true,
            ..QueueDeclareOptions::default()
        };
        let declared = channel.queue_declare(queue.into(), passive, FieldTable::default());
        declared.await.unwrap().message_count()
    };
    // Jobs that came twice are found to be done, which may take a moment.
    let begin = Instant::now();
    while waiting(JOBS).await > 0 {
        assert!(begin.elapsed() < Duration::from_secs(30), "jobs are left");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(waiting(DEAD_LETTERS).await, 0);
    let mut redis = connect_redis(store).await;
    let attempts: Vec<String> = redis.keys("loto:attempts:*").await.unwrap();
    assert!(attempts.is_empty(), "{attempts:?}");
}
