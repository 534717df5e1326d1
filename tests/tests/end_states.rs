//! Troubles that are no outage, and the state each of them ends in.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use lapin::options::BasicGetOptions;
use loto_coordinator::plan::{Plan, SweepSource};
use loto_proto::attempt::AttemptState;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_tests::cluster::Cluster;
use loto_tests::faults::verdict::{Undisturbed, leftovers};
use loto_tests::programs::{self, Process};
use loto_tests::{samples, servers, skipped};
use loto_transport::queue::DEAD_LETTERS;
use loto_transport::store::{self, Store, Stored};

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);

async fn undisturbed(seeds: usize, folder: &Path) -> Undisturbed {
    let sweep = samples::built_in_sweep("end-states", &["rs", "gp"], &TARGETS, seeds, 60);
    Undisturbed::run(&sweep, folder).await
}

async fn assert_whole(sweep: &Undisturbed, broker: &str, store: &str) {
    let mut complaints = leftovers(broker, &[]).await;
    complaints.extend(sweep.compare(store, &BTreeSet::new(), false).await);
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_coordinators_on_one_sweep_both_see_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = undisturbed(10, folder.path()).await;
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let mut cluster = Cluster::new(&turn.url, &store);
    cluster.start_worker();
    let mut first = cluster.submit(sweep.file());
    let mut second = cluster.submit(sweep.file());
    cluster.start_worker();
    assert!(first.wait(PATIENCE).success());
    assert!(second.wait(PATIENCE).success());
    assert_whole(&sweep, &turn.url, &store).await;
}

#[test]
fn of_two_runs_in_one_folder_the_second_says_that_the_first_is_at_work() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.toml");
    let sweep = samples::built_in_sweep("two-runs", &["gp"], &TARGETS, 20, 60);
    fs::write(&file, sweep).unwrap();
    let out = folder.path().join("out");
    let run = || {
        let mut run = programs::command("loto");
        run.arg("run").arg(&file).arg("--out").arg(&out);
        run
    };
    let mut first = Process::start(run());
    let begin = Instant::now();
    while !out.join("sweep.loto").is_file() {
        assert!(begin.elapsed() < PATIENCE, "the run does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
    let second = run().output().unwrap();
    let error = String::from_utf8_lossy(&second.stderr);
    assert_eq!(second.status.code(), Some(2), "{error}");
    assert!(
        error.contains("another `loto run` or `loto host` works in"),
        "{error}"
    );
    assert!(first.wait(PATIENCE).success());
}

/// The job is computed while another outcome of it is put into the store, as by a worker whose
/// code gives other bytes under the same version of the method.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_trace_with_other_bytes_stays_and_the_second_is_a_loud_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.toml");
    let sweep = samples::built_in_sweep("conflict", &["gp"], &TARGETS[..1], 1, 200);
    fs::write(&file, sweep).unwrap();
    let turn = servers::broker_turn().await;
    let store_url = servers::empty_store().await;
    let mut cluster = Cluster::new(&turn.url, &store_url);
    let mut submit = cluster.submit(&file);
    cluster.start_worker();

    let store = store::open(&store_url).await.unwrap();
    let job = running_job(store.as_ref()).await;
    // It fits the table, as that of other code would.
    let plan = Plan::read(&SweepSource::File(file.clone()), None).unwrap();
    let table = &plan.table(job.series.table).unwrap().table;
    let other = Trace {
        rows: (0..200).collect(),
        values: table.task(TARGETS[0]).unwrap().objective[..200].to_vec(),
        further_values: Vec::new(),
        microseconds: vec![1; 200],
        preparation_microseconds: 1,
        linear_algebra: "another code".into(),
        program: Default::default(),
    };
    let stored = store.put_trace(&job, &other).await.unwrap();
    assert_eq!(stored, Stored::New, "the job ended too soon");

    let (_connection, channel) = servers::connect_broker(&turn.url).await;
    let begin = Instant::now();
    let letter = loop {
        let options = BasicGetOptions { no_ack: true };
        let letter = channel.basic_get(DEAD_LETTERS.into(), options).await;
        if let Some(letter) = letter.unwrap() {
            break letter;
        }
        assert!(begin.elapsed() < PATIENCE, "the conflict was not noticed");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!(Job::decode(&letter.delivery.data).unwrap(), job);
    let kept = store.trace(job.series.id(), job.seed).await.unwrap();
    assert_eq!(kept, Some(other));
    assert_eq!(submit.wait(PATIENCE).code(), Some(1));
    let log = cluster.stop_worker(0);
    assert!(
        log.contains("was stored before with another outcome: iteration 1 differs"),
        "{log}"
    );
}

/// The only job of the only sweep, as soon as a worker computes it.
async fn running_job(store: &dyn Store) -> Job {
    let begin = Instant::now();
    loop {
        if let Some(&id) = store.sweeps().await.unwrap().first() {
            let sweep = store.sweep(id).await.unwrap().unwrap();
            let job = sweep.jobs().next().unwrap();
            let attempts = store.attempts(&[job.series.id()]).await.unwrap();
            let mut attempts = attempts.iter().flatten();
            if attempts.any(|(_, attempt)| attempt.state == AttemptState::Running) {
                return job;
            }
        }
        assert!(begin.elapsed() < PATIENCE, "no worker begins the job");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// What makes a program see another time of day, if it is installed. It cannot be loaded into
/// Redis, whose allocator it clashes with; but nothing in the store depends on the time.
fn libfaketime() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten();
    let mut places = folders.map(|folder| folder.path().join("faketime/libfaketimeMT.so.1"));
    places.find(|place| place.is_file())
}

/// How far the wall clock is off, one after the other.
const JUMPS: [&str; 5] = ["+3650d", "-3650d", "+1h", "-1h", "+0"];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clocks_that_jump_change_nothing() {
    let Some(library) = libfaketime() else {
        return skipped::note("clocks_that_jump_change_nothing", "there is no libfaketime");
    };
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    let set = |offset: &str| {
        // Replaced as a whole: it is read at any time.
        let next = folder.path().join("next");
        fs::write(&next, offset).unwrap();
        fs::rename(&next, &clock).unwrap();
    };
    set("+0");
    let environment = [
        ("LD_PRELOAD", library.to_str().unwrap()),
        ("FAKETIME_TIMESTAMP_FILE", clock.to_str().unwrap()),
        ("FAKETIME_NO_CACHE", "1"),
        // A monotonic clock does not jump.
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
    ];
    let sweep = undisturbed(60, folder.path()).await;
    let turn = servers::broker_turn().await;
    let (broker, store) = (turn.url.as_str(), servers::empty_store().await);
    let start = |mut command: Command| {
        command.envs(environment);
        command.args(["--broker", broker, "--store", &store]);
        Process::start(command)
    };
    let mut worker = programs::command("loto-worker");
    worker.args(["--jobs", "2"]);
    let mut worker = start(worker);
    let mut submit = programs::command("loto");
    submit.arg("submit").arg(sweep.file()).arg("--wait");
    let mut submit = start(submit);
    let begin = Instant::now();
    let mut jumps = JUMPS.iter().cycle();
    let status = loop {
        if let Some(status) = submit.ended() {
            break status;
        }
        assert!(begin.elapsed() < PATIENCE, "the sweep stands still");
        set(jumps.next().unwrap());
        tokio::time::sleep(Duration::from_millis(300)).await;
    };
    assert!(status.success(), "{status}");
    assert_whole(&sweep, broker, &store).await;
    worker.terminate();
    assert!(worker.wait(PATIENCE).success());
}
