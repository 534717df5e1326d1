//! Accounts that are wrong, revoked, or may not do what they try.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use loto_tests::programs::Process;
use loto_tests::samples;
use loto_tests::security::installation::{Role, SecureInstallation};
use loto_transport::queue::{DEAD_LETTERS, JOBS};

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(180);

const SEEDS: usize = 60;

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

fn sweep_file(installation: &SecureInstallation) -> PathBuf {
    let file = installation.folder().join("revoked.toml");
    let sweep = samples::built_in_sweep("revoked", &["gp"], &TARGETS, SEEDS, 40);
    fs::write(&file, sweep).unwrap();
    file
}

pub(super) fn are_refused(installation: &SecureInstallation) {
    let sweep = sweep_file(installation);
    let submit = || {
        let mut command = installation.command(Role::Coordinator, "loto");
        command.arg("submit").arg(&sweep);
        command
    };
    let password = |name: &str| installation.secret("passwords").join(name);

    let mut wrong = submit();
    wrong.env("LOTO_STORE_PASSWORD_FILE", password("store-loto-worker"));
    let parts = ["store rediss://", "`loto-coordinator`", "password is wrong"];
    installation.refused("wrong-store-password", &mut wrong, &parts);
    let mut wrong = submit();
    wrong.env("LOTO_BROKER_PASSWORD_FILE", password("broker-loto-worker"));
    let parts = ["broker amqps://", "`loto-coordinator`", "password is wrong"];
    installation.refused("wrong-broker-password", &mut wrong, &parts);
    let mut nobody = submit();
    nobody.env_remove("LOTO_STORE_PASSWORD_FILE");
    installation.refused("no-store-password", &mut nobody, &["--store-password-file"]);
    let mut elsewhere = submit();
    let url = installation.broker(Role::Coordinator);
    let url = url.strip_suffix("/loto").unwrap();
    elsewhere.env("LOTO_BROKER", format!("{url}/elsewhere"));
    installation.refused(
        "virtual-host",
        &mut elsewhere,
        &["elsewhere", "virtual host"],
    );

    // Who may only read the store writes; who may only compute makes queues.
    let mut read_only = submit();
    for (variable, value) in installation.environment(Role::Aggregator) {
        read_only.env(variable, value);
    }
    let parts = [
        "store rediss://",
        "`loto-aggregator` may not do this",
        "deploy/accounts",
    ];
    installation.refused("read-only", &mut read_only, &parts);
    let mut worker = installation.command(Role::Worker, "loto");
    worker.arg("submit").arg(&sweep);
    let parts = [
        "broker amqps://",
        "`loto-worker` may not do this",
        "deploy/accounts",
    ];
    installation.refused("worker-submits", &mut worker, &parts);

    assert_eq!(installation.administer_store(&["DBSIZE"]).trim(), "0");
}

/// A running worker and its log.
struct Worker {
    process: Process,
    log: String,
}

impl Worker {
    fn start(installation: &SecureInstallation, log: &str) -> Self {
        let mut worker = installation.command(Role::Worker, "loto-worker");
        worker.args(["--jobs", "1"]);
        worker.stderr(installation.log(log)).stdout(Stdio::null());
        Self {
            process: Process::start(worker),
            log: log.to_owned(),
        }
    }

    fn ends_refused(&mut self, installation: &SecureInstallation, part: &str) {
        let status = self.process.wait(PATIENCE);
        let log = fs::read_to_string(installation.log_path(&self.log)).unwrap();
        assert_eq!(status.code(), Some(2), "{log}");
        assert!(log.contains(part), "no `{part}` in {log}");
    }
}

fn traces(installation: &SecureInstallation) -> u64 {
    let traces = installation.administer_store(&["XLEN", "loto:events"]);
    traces.trim().parse().unwrap()
}

fn wait_for_more_traces(installation: &SecureInstallation) {
    let (begin, before) = (Instant::now(), traces(installation));
    while traces(installation) < before + 3 {
        assert!(begin.elapsed() < PATIENCE, "the sweep stands still");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A worker whose account goes ends by itself; its jobs are another's, not lost and not poisoned.
pub(super) fn revoked_while_a_worker_runs(installation: &SecureInstallation) {
    // It waits: nobody has made the queues yet, and it may not.
    let mut worker = Worker::start(installation, "worker-1.log");
    let mut submit = installation.command(Role::Coordinator, "loto");
    submit.arg("submit").arg(sweep_file(installation));
    let submitted = installation.run("submit.log", &mut submit);
    assert!(submitted.status.success(), "{submitted:?}");
    wait_for_more_traces(installation);
    installation.administer_store(&["ACL", "DELUSER", "loto-worker"]);
    worker.ends_refused(
        installation,
        "`loto-worker`: the password is wrong, or the account was revoked",
    );
    let mut refused = installation.command(Role::Worker, "loto-worker");
    installation.refused("revoked-store", &mut refused, &["the account was revoked"]);
    let done = traces(installation);
    let all = (SEEDS * TARGETS.len()) as u64;
    assert!(done < all, "it was done too soon");
    // RabbitMQ counts every five seconds. A job that was done as the account went may be waiting, too.
    let begin = Instant::now();
    while done + installation.messages(JOBS) < all {
        assert!(begin.elapsed() < PATIENCE, "jobs are lost");
    }
    assert_eq!(installation.messages(DEAD_LETTERS), 0);

    installation.administer_store(&["ACL", "LOAD"]);
    let mut worker = Worker::start(installation, "worker-2.log");
    wait_for_more_traces(installation);
    installation.administer_broker(&["delete_user", "loto-worker"]);
    worker.ends_refused(installation, "broker amqps://");
    assert_eq!(installation.messages(DEAD_LETTERS), 0);

    let definitions = installation.secret("rabbitmq-definitions.json");
    installation.administer_broker(&["import_definitions", definitions.to_str().unwrap()]);
    let mut worker = Worker::start(installation, "worker-3.log");
    let begin = Instant::now();
    let consumers = || installation.administer_broker(&["list_consumers", "--vhost=loto"]);
    while !consumers().contains(JOBS) {
        assert!(begin.elapsed() < PATIENCE, "it does not ask for jobs");
    }
    // It may not make the queue anew, and waits for the coordinator to do it.
    installation.administer_broker(&["delete_queue", "--vhost=loto", JOBS]);
    std::thread::sleep(Duration::from_secs(2));
    let mut wait = installation.command(Role::Coordinator, "loto");
    wait.args(["resume", "revoked", "--wait"]);
    let log: File = installation.log("resume.log");
    wait.stderr(log).stdout(Stdio::null());
    assert!(Process::start(wait).wait(PATIENCE).success());
    assert_eq!(traces(installation), all);
    worker.process.terminate();
    let status = worker.process.wait(PATIENCE);
    let log = fs::read_to_string(installation.log_path("worker-3.log")).unwrap();
    assert!(
        status.success() && log.contains("there are no queues"),
        "{status} {log}"
    );
}
