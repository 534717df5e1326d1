//! One job can be followed from plan to store by its id.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::Stdio;
use std::time::Duration;

use loto_tests::programs::{self, Process};
use loto_tests::samples::built_in_sweep;
use loto_tests::servers::{broker_turn, empty_store};
use loto_tests::small_sweep::Folder;
use serde_json::Value;

/// What was logged about jobs: by job, what happened, in the order of the log.
fn events(log: &str) -> BTreeMap<String, Vec<String>> {
    let mut events: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in log.lines() {
        let line: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(
            line["timestamp"].is_string() && line["level"].is_string(),
            "{line}"
        );
        let id = [&line["fields"]["id"], &line["span"]["id"]];
        if let Some(id) = id.iter().find_map(|id| id.as_str()) {
            let message = line["fields"]["message"].as_str().expect("a message");
            events
                .entry(id.to_owned())
                .or_default()
                .push(message.to_owned());
        }
    }
    events
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_is_followed_from_plan_to_store_by_its_id() {
    let turn = broker_turn().await;
    let store = empty_store().await;
    let sweep = Folder::with_sweep(&built_in_sweep(
        "followed",
        &["rs"],
        &["diabetes-median"],
        2,
        5,
    ));
    let start = |binary: &str, arguments: &[&str], log: &str| {
        let mut command = programs::command(binary);
        command.args(arguments);
        command.env("LOTO_LOG", "info,loto_worker=debug,loto_coordinator=debug");
        command.env("LOTO_LOG_FORMAT", "json");
        command
            .env("LOTO_BROKER", &turn.url)
            .env("LOTO_STORE", &store);
        command.stdout(Stdio::null());
        command.stderr(File::create(sweep.path(log)).unwrap());
        Process::start(command)
    };
    let mut worker = start("loto-worker", &[], "worker.log");
    let file = sweep.sweep();
    let arguments = ["submit", file.to_str().unwrap(), "--wait"];
    let status = start("loto", &arguments, "submit.log").wait(Duration::from_secs(60));
    assert!(status.success());
    worker.terminate();
    assert!(worker.wait(Duration::from_secs(30)).success());

    let submitted = events(&fs::read_to_string(sweep.path("submit.log")).unwrap());
    let worked = events(&fs::read_to_string(sweep.path("worker.log")).unwrap());
    assert!(submitted.len() >= 2, "{submitted:?}");
    assert!(submitted.keys().eq(worked.keys()), "the same jobs in both");
    for (id, happened) in &submitted {
        assert_eq!(happened, &["published", "done"], "{id}");
    }
    for (id, happened) in &worked {
        assert_eq!(happened, &["begun", "computed", "stored"], "{id}");
    }
}
