//! A sweep in shards, without a broker: each is a run of its own, and merged they are the whole sweep.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use loto_proto::trace::Trace;
use loto_tests::programs::{self, Process};
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::samples;
use loto_transport::store;
use tempfile::TempDir;

const SHARDS: u32 = 8;

/// The shard that is killed.
const KILLED: u32 = 3;

/// How long one shard may take on a busy host.
const PATIENCE: Duration = Duration::from_secs(120);

/// A sweep file in a folder of its own.
struct Sharded {
    folder: TempDir,
}

impl Sharded {
    fn new() -> Self {
        let sharded = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let targets = ["digits-3-vs-8", "wine-noisy"];
        let methods = ["rs", "gp", "cts"];
        let sweep = samples::built_in_sweep("sharded", &methods, &targets, 4, 30);
        fs::write(sharded.path("sweep.toml"), sweep).unwrap();
        sharded
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `loto run` with this folder for its results.
    fn run(&self, out: &str) -> Command {
        let mut run = programs::command("loto");
        run.arg("run").arg(self.path("sweep.toml"));
        run.arg("--out").arg(self.path(out));
        run
    }

    /// `loto run` of one shard.
    fn shard(&self, number: u32) -> Command {
        let mut run = self.run("parts");
        run.arg("--shard").arg(format!("{number}/{SHARDS}"));
        run
    }

    fn store(&self, number: u32) -> PathBuf {
        self.path(&format!("parts/shard-{number}-of-{SHARDS}.loto"))
    }
}

/// What a command prints that ends well.
fn told(mut command: Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// The traces in a store's file, in the order in which they were stored.
async fn traces(file: &Path) -> Vec<Trace> {
    let store = store::open_existing(file.to_str().unwrap()).await;
    let store = store.unwrap();
    let events = store.events_after(&store::Cursor::default(), 1000).await;
    let mut traces = Vec::new();
    for event in events.unwrap().events {
        let trace = store.trace(event.series, event.seed).await.unwrap();
        traces.push(trace.unwrap());
    }
    traces
}

#[tokio::test]
async fn eight_shards_one_of_them_killed_are_the_whole_sweep() {
    let sharded = Sharded::new();
    let mut killed = Process::start(sharded.shard(KILLED));
    let begin = Instant::now();
    let kept = loop {
        let file = sharded.store(KILLED);
        if file.is_file() && !traces(&file).await.is_empty() {
            killed.kill();
            break traces(&file).await;
        }
        assert!(begin.elapsed() < PATIENCE, "the shard does not begin");
        std::thread::sleep(Duration::from_millis(5));
    };

    let mut counts = Vec::new();
    for number in 1..=SHARDS {
        let told = told(sharded.shard(number));
        let expected = format!("shard {number} of {SHARDS} is done: ");
        assert!(
            told.starts_with(&expected) && told.contains("loto merge"),
            "{told}"
        );
        counts.push(traces(&sharded.store(number)).await.len());
    }
    // Three methods on two targets with four seeds: to each shard one pair of target and seed.
    assert_eq!(counts, [3; SHARDS as usize]);
    // What was done before the kill was not computed again: its times are the same.
    let continued = traces(&sharded.store(KILLED)).await;
    assert_eq!(continued[..kept.len()], kept);

    let mut merge = programs::command("loto");
    merge.arg("merge");
    merge.args((1..=SHARDS).map(|number| sharded.store(number)));
    merge.arg("--out").arg(sharded.path("results"));
    let merged = told(merge);
    assert!(merged.contains("24 new traces, 0 were there"), "{merged}");
    told(sharded.run("results"));
    assert_eq!(traces(&sharded.path("results/sweep.loto")).await.len(), 24);

    told(sharded.run("whole"));
    let [results, whole] = ["results", "whole"].map(|name| sharded.path(name));
    assert_same(&outcomes(&results), &outcomes(&whole));
    let without_times = [
        "scores.csv",
        "scores_by_task.csv",
        "curves.csv",
        "curves_by_task.csv",
    ];
    for file in without_times {
        let of = |folder: &Path| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(of(&results), of(&whole), "{file}");
    }
}

#[test]
fn a_shard_that_is_none_or_that_runs_already_is_refused_with_the_cure() {
    let sharded = Sharded::new();
    let refused = |mut command: Command, cure: &str| {
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(cure), "{error}");
    };
    for number in [0, SHARDS + 1] {
        refused(sharded.shard(number), "the first is 1/8, the last 8/8");
    }
    let mut scored = sharded.shard(1);
    scored.args(["--baseline", "sampled"]);
    refused(scored, "cannot be used with");
    assert!(!sharded.path("parts").exists());

    let mut first = Process::start(sharded.shard(1));
    let begin = Instant::now();
    while !sharded.store(1).is_file() {
        assert!(begin.elapsed() < PATIENCE, "the shard does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    refused(
        sharded.shard(1),
        "another `loto run` or `loto host` works in",
    );
    // Others are not kept from the folder.
    told(sharded.shard(2));
    assert!(first.wait(PATIENCE).success());
}
