//! A stream of tasks gives the same traces whatever carries its jobs, and its traces are read, verified and scored.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use loto_coordinator::plan::{Plan, SweepSource};
use loto_proto::trace::Trace;
use loto_tests::cluster::Cluster;
use loto_tests::programs;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::servers::{PrivateServers, Server};
use loto_transport::store;

const TASKS: usize = 4;
const PER_TASK: usize = 5;
const SEEDS: usize = 3;
const METHODS: [&str; 5] = ["rs", "i-gp", "sgpt-copula", "ws-gp", "taf-r"];

/// A folder with the table and a sweep file of that text.
fn folder(sweep: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut table = String::from("hp_x,hp_y,metric_error,task\n");
    for task in 0..TASKS as i32 {
        for row in 0..36 {
            let (x, y) = (row / 6, row % 6);
            let error =
                (x * 10 - 20 - task).pow(2) + (y * 7 - 15).pow(2) + (row * 37 + task * 11) % 23;
            table += &format!("{x},{y},{error},t{task}\n");
        }
    }
    fs::write(folder.path().join("table.csv"), table).unwrap();
    fs::write(folder.path().join("sweep.toml"), sweep).unwrap();
    folder
}

fn sweep() -> String {
    format!(
        "name = \"stream\"\nmethods = {METHODS:?}\nseeds = {SEEDS}\niterations = {PER_TASK}\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\nprotocol = \"stream\"\n"
    )
}

fn loto(arguments: &[&str], folder: &Path) -> Output {
    let mut command = programs::command("loto");
    command.args(arguments).current_dir(folder);
    command.output().unwrap()
}

fn text_of(output: &Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn run(folder: &Path, jobs: &str) -> PathBuf {
    let out = format!("out-{jobs}");
    text_of(&loto(
        &["run", "sweep.toml", "--jobs", jobs, "--out", &out],
        folder,
    ));
    folder.join(out)
}

#[test]
fn traces_do_not_depend_on_what_carries_the_jobs() {
    let folder = folder(&sweep());
    let embedded = outcomes(&run(folder.path(), "1"));
    // One job per method and seed has the evaluations of all tasks.
    assert_eq!(embedded.len(), 1 + METHODS.len() * SEEDS * TASKS * PER_TASK);

    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let mut cluster = Cluster::new(&servers.broker_url(), &servers.store_url());
    cluster.start_worker();
    cluster.start_worker();
    let out = folder.path().join("cluster");
    cluster.run(&folder.path().join("sweep.toml"), "stream", &out);
    assert_same(&outcomes(&out), &embedded);
}

#[test]
fn a_stream_is_checked_reported_verified_and_scored() {
    let folder = folder(&sweep());
    let checked = text_of(&loto(&["check", "sweep.toml"], folder.path()));
    let stand_ins = "on the first, which has no source, sgpt-copula runs as gcp, ws-gp runs as gp, taf-r runs as i-gp";
    assert!(
        checked.contains("5 methods, 3 seeds: 15 traces, 300 evaluations"),
        "{checked}"
    );
    assert!(checked.contains(stand_ins), "{checked}");

    let out = run(folder.path(), "2");
    let report = text_of(&loto(
        &["report", "stream", "--store", "out-2/sweep.loto"],
        folder.path(),
    ));
    assert!(
        report.contains("ranks of the best value found, over 3 orders of the tasks"),
        "{report}"
    );
    let statistics = fs::read_to_string(out.join("statistics.json")).unwrap();
    let statistics: serde_json::Value = serde_json::from_str(&statistics).unwrap();
    let ranks = &statistics["blackboxes"][0]["stream"]["methods"];
    let average = |entry: &serde_json::Value| entry["average_rank"].as_f64().unwrap();
    let ranks = ranks.as_array().unwrap();
    // Ranks of five methods add up to 1 + 2 + 3 + 4 + 5.
    let sum: f64 = ranks.iter().map(average).sum();
    assert!((sum - 15.0).abs() < 1e-9, "{ranks:?}");
    assert_eq!(ranks[0]["by_arrival"].as_array().unwrap().len(), TASKS);
    let page = fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("own evaluations on earlier tasks"));
    assert!(out.join("charts/arrivals-B.svg").exists());

    let all = [
        "verify",
        "stream",
        "--store",
        "out-2/sweep.loto",
        "--fraction",
        "1",
    ];
    let verified = loto(&all, folder.path());
    assert!(verified.status.success(), "{verified:?}");

    // The traces of the report, scored like those of another program, have the same ranks.
    let score = [
        "score",
        "out-2/traces.csv.gz",
        "--sweep",
        "sweep.toml",
        "--out",
        "scored",
    ];
    text_of(&loto(&score, folder.path()));
    let scored = fs::read_to_string(folder.path().join("scored/statistics.json")).unwrap();
    let scored: serde_json::Value = serde_json::from_str(&scored).unwrap();
    assert_eq!(
        scored["blackboxes"][0]["stream"],
        statistics["blackboxes"][0]["stream"]
    );

    // A sweep that grows computes the new orders only.
    let grown = sweep().replace("seeds = 3", "seeds = 4");
    fs::write(folder.path().join("sweep.toml"), grown).unwrap();
    let before = outcomes(&out);
    text_of(&loto(
        &["run", "sweep.toml", "--out", "out-2"],
        folder.path(),
    ));
    let after = outcomes(&out);
    assert!(before.iter().all(|line| after.contains(line)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_trace_of_a_stream_is_named_left_out_and_computed_again() {
    let folder = folder(&sweep());
    let out = run(folder.path(), "1");
    let whole = outcomes(&out);
    let file = out.join("sweep.loto");
    let source = SweepSource::File(folder.path().join("sweep.toml"));
    let jobs: Vec<_> = Plan::read(&source, None).unwrap().sweep.jobs().collect();
    let store = store::open(file.to_str().unwrap()).await.unwrap();
    // Sound by its checksum: one repeats a row on the second task, one has a value of another row, one lacks a task.
    let damage: [fn(&mut Trace); 3] = [
        |trace| {
            trace.rows[PER_TASK + 1] = trace.rows[PER_TASK];
            trace.values[PER_TASK + 1] = trace.values[PER_TASK];
        },
        |trace| trace.values[2 * PER_TASK] += 1.0,
        |trace| {
            let left = (TASKS - 1) * PER_TASK;
            trace.rows.truncate(left);
            trace.values.truncate(left);
            trace.microseconds.truncate(left);
        },
    ];
    for (job, damage) in jobs.iter().zip(damage) {
        let series = job.series.id();
        let mut trace = store.trace(series, job.seed).await.unwrap().unwrap();
        damage(&mut trace);
        store.discard_trace(series, job.seed).await.unwrap();
        store.put_trace(job, &trace).await.unwrap();
    }
    drop(store);
    for command in ["status", "report"] {
        let output = loto(
            &[command, "stream", "--store", "out-1/sweep.loto"],
            folder.path(),
        );
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        for problem in [
            "twice",
            "iteration 11 has the value",
            "it has 15 iterations, planned are 20",
        ] {
            assert!(told.contains(problem), "{problem}: {told}");
        }
    }
    run(folder.path(), "1");
    assert_same(&outcomes(&out), &whole);
}

#[test]
fn what_does_not_run_on_streams_is_refused_with_its_line_and_cure() {
    let external = "\n[external.mine]\ncommand = [\"python3\", \"mine.py\"]\nversion = 1\n";
    let cases = [
        (
            "iterations = 5",
            "iterations = 1",
            "line 4: black box `B`: iterations is 1",
        ),
        (
            "protocol =",
            "sources = [\"t1\"]\nprotocol =",
            "sources cannot be with",
        ),
        (
            "\"taf-r\"",
            "\"mine\"",
            "programs do not run on streams of tasks; or give this black box",
        ),
        ("iterations = 5", "iterations = 20000", "only 36 rows"),
        (
            "iterations = 5",
            "iterations = 30000",
            "more values than a trace may have",
        ),
    ];
    for (find, replace, expected) in cases {
        let mut text = sweep().replacen(find, replace, 1);
        if replace.contains("mine") {
            text += external;
        }
        let folder = folder(&text);
        let output = loto(&["check", "sweep.toml"], folder.path());
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && told.contains(expected),
            "{told}"
        );
    }
}
