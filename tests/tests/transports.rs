//! One sweep file gives the same traces whatever carries its jobs.

use std::fs;
use std::path::{Path, PathBuf};

use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::samples;
use loto_tests::servers::{PrivateServers, Server};

const METHODS: [&str; 7] = ["rs", "gp", "gcp", "ts", "cts", "gp-prior", "gcp-prior"];
const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];
const SEEDS: usize = 2;
const ITERATIONS: usize = 20;

/// The sweep on the built-in table.
fn sweep() -> String {
    samples::built_in_sweep("transports", &METHODS, &TARGETS, SEEDS, ITERATIONS)
}

/// The traces of a run in one process.
fn embedded(sweep: &Path, jobs: &str) -> Vec<String> {
    let out: PathBuf = sweep.with_file_name(format!("embedded-{jobs}"));
    let mut run = programs::command("loto");
    run.arg("run").arg(sweep).args(["--jobs", jobs, "--out"]);
    let output = run.arg(&out).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    outcomes(&out)
}

#[test]
fn traces_do_not_depend_on_what_carries_the_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let sweep_file = folder.path().join("sweep.toml");
    fs::write(&sweep_file, sweep()).unwrap();

    let one_job = embedded(&sweep_file, "1");
    let traces = METHODS.len() * TARGETS.len() * SEEDS;
    assert_eq!(one_job.len(), 1 + traces * ITERATIONS);
    assert_same(&embedded(&sweep_file, "2"), &one_job);

    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.start_worker();
    let out = folder.path().join("cluster");
    cluster.run(&sweep_file, "transports", &out);
    assert_same(&outcomes(&out), &one_job);

    for worker in 0..2 {
        let log = cluster.stop_worker(worker);
        assert!(
            !log.contains(" 0 traces stored"),
            "worker {worker} had no part in it:\n{log}"
        );
    }
}
