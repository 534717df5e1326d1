//! `loto host` in place of RabbitMQ and Redis, with real workers and commands. Its faults are in `faults.rs`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use loto_tests::host::RunningHost;
use loto_tests::programs;
use loto_tests::samples;
use loto_tests::security::certificates::{Authority, Validity};
use loto_tests::security::secret_file::write_secret;
use loto_transport::host::is_host_url;

const METHODS: [&str; 3] = ["rs", "gp", "gcp-prior"];
const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];
const SEEDS: usize = 10;
const ITERATIONS: usize = 20;

fn sweep_file(folder: &Path, name: &str) -> PathBuf {
    let sweep = samples::built_in_sweep(name, &METHODS, &TARGETS, SEEDS, ITERATIONS);
    let path = folder.join("sweep.toml");
    fs::write(&path, sweep).unwrap();
    path
}

/// A command that knows the host from its environment.
fn command(program: &str, host: &RunningHost) -> Command {
    let mut command = programs::command(program);
    command.env("LOTO_HOST", &host.url);
    command
}

fn told(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_submitted_survives_a_host_that_nobody_watches() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep_file(folder.path(), "unwatched");
    let mut host = RunningHost::start(&[]);
    let submitted = command("loto", &host).arg("submit").arg(&sweep).output();
    let submitted = submitted.unwrap();
    assert!(submitted.status.success(), "{}", told(&submitted));
    host.kill();
    host.start_again();
    let mut worker = command("loto-worker", &host);
    worker.args(["--jobs", "2", "--exit-when-idle", "2"]);
    let output = tokio::task::block_in_place(|| worker.output().unwrap());
    assert!(output.status.success(), "{}", told(&output));
    let mut watch = command("loto", &host);
    let watched = watch.args(["watch", "unwatched"]).output().unwrap();
    let text = told(&watched);
    assert!(
        watched.status.success() && text.contains("60 of 60 done"),
        "{text}"
    );
}

#[test]
fn a_file_has_one_host() {
    let mut host = RunningHost::start(&[]);
    let mut second = programs::command("loto");
    second.arg("host").arg(host.store_file());
    let refused = second.args(["--listen", "127.0.0.1:0"]).output().unwrap();
    let text = told(&refused);
    assert!(!refused.status.success(), "{text}");
    assert!(
        text.contains("another `loto run` or `loto host` works in")
            && text.contains("laboratory.loto"),
        "{text}"
    );
    host.kill();
    host.start_again();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_who_has_a_token_and_trusts_the_host_gets_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [ours, other] = ["ours", "other"].map(Authority::new);
    ours.write(Path::new(&path("ours-ca.pem")));
    other.write(Path::new(&path("other-ca.pem")));
    ours.sign(folder.path(), "host", &["127.0.0.1"], Validity::Now);
    write_secret(Path::new(&path("tokens")), "ann right-token\n");
    write_secret(Path::new(&path("right")), "right-token\n");
    write_secret(Path::new(&path("wrong")), "wrong-token\n");
    let host = RunningHost::start(&[
        "--tls-certificate",
        &path("host.pem"),
        "--tls-key",
        &path("host.key"),
        "--tokens",
        &path("tokens"),
    ]);
    assert!(is_host_url(&host.url) && host.url.starts_with("lotos://"));
    let refused = [
        (
            "ours-ca.pem",
            Some("wrong"),
            "not one that this service knows",
        ),
        ("ours-ca.pem", None, "demands a token"),
        (
            "other-ca.pem",
            Some("right"),
            "not of an authority that is trusted here",
        ),
    ];
    for (authority, token, problem) in refused {
        for program in ["loto", "loto-worker"] {
            let mut command = command(program, &host);
            command.args((program == "loto").then_some("status"));
            command.args(["--ca", &path(authority)]);
            command.args(token.map(|token| format!("--host-token-file={}", path(token))));
            let output = command.output().unwrap();
            let told = told(&output);
            assert_eq!(output.status.code(), Some(2), "{told}");
            assert!(told.contains(problem), "{program}: {told}");
            assert!(
                !told.contains("-token\n") && !told.contains("wrong-token"),
                "{told}"
            );
        }
    }
    let mut status = command("loto", &host);
    status.args(["status", "--ca", &path("ours-ca.pem")]);
    status.env("LOTO_HOST_TOKEN", "right-token");
    let output = status.output().unwrap();
    assert!(output.status.success(), "{}", told(&output));

    let url = host.url.replace("lotos://", "loto://");
    let without_tls = programs::run("loto", ["status", "--host", &url]);
    let told = told(&without_tls);
    assert_eq!(without_tls.status.code(), Some(2), "{told}");
    assert!(told.contains("begins with lotos://"), "{told}");
}

#[test]
fn a_host_and_other_servers_are_not_given_together() {
    for arguments in [
        &["status", "--store", "x.loto", "--host", "loto://h"][..],
        &["status"][..],
    ] {
        let output = programs::run("loto", arguments);
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
    }
    let open = programs::run("loto", ["host", "x.loto", "--listen", "0.0.0.0:0"]);
    assert_eq!(open.status.code(), Some(2));
    assert!(told(&open).contains("--tokens"), "{}", told(&open));
}
