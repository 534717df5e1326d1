//! `loto host` in place of RabbitMQ and Redis, with real workers and commands.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use loto_tests::host::RunningHost;
use loto_tests::programs::{self, Process};
use loto_tests::proxy::{Direction, Proxy};
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::samples;
use loto_tests::security::certificates::{Authority, Validity};
use loto_tests::security::secret_file::write_secret;
use loto_tests::settings;
use loto_transport::host::is_host_url;
use loto_transport::{queue, store};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How long a sweep of a test may take.
const PATIENCE: Duration = Duration::from_secs(300);

const METHODS: [&str; 3] = ["rs", "gp", "gcp-prior"];
const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];
const SEEDS: usize = 10;
const ITERATIONS: usize = 20;

fn sweep_file(folder: &Path, name: &str, seeds: usize) -> PathBuf {
    let sweep = samples::built_in_sweep(name, &METHODS, &TARGETS, seeds, ITERATIONS);
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

async fn wait_until<Answer: Future<Output = bool>>(what: &str, is_so: impl Fn() -> Answer) {
    let begin = Instant::now();
    while !is_so().await {
        assert!(begin.elapsed() < PATIENCE, "waited for {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Something that goes wrong.
#[derive(Debug, Clone, Copy)]
enum Fault {
    ConnectionsCut,
    HalfClosed,
    Stalled,
    Vanished,
    WorkerKilled,
    HostKilled,
}

const FAULTS: [Fault; 6] = [
    Fault::ConnectionsCut,
    Fault::HalfClosed,
    Fault::Stalled,
    Fault::Vanished,
    Fault::WorkerKilled,
    Fault::HostKilled,
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sweep_outlives_its_host_its_workers_and_the_network_and_has_the_traces_of_a_run() {
    let seeds = settings::number("LOTO_HOST_SEEDS", SEEDS as u64) as usize;
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep_file(folder.path(), "hosted", seeds);
    let embedded = folder.path().join("embedded");
    let mut run = programs::command("loto");
    let run = run.arg("run").arg(&sweep).arg("--out").arg(&embedded);
    assert!(run.output().unwrap().status.success());

    let mut host = RunningHost::start(&[]);
    let address = host.url.strip_prefix("loto://").unwrap();
    let network = Proxy::to(address.parse().unwrap()).await;
    let through = format!("loto://127.0.0.1:{}", network.port());
    let start_worker = || {
        let mut worker = programs::command("loto-worker");
        worker.args(["--jobs", "1", "--host", &through]);
        Process::start(worker)
    };
    let mut submit = programs::command("loto");
    submit
        .arg("submit")
        .arg(&sweep)
        .args(["--wait", "--host", &through]);
    submit.stdout(Stdio::null());
    let mut submit = Process::start(submit);
    // Who finds no host when it starts ends.
    let store = store::open(&host.url).await.unwrap();
    wait_until("the sweep to be published", || async {
        queue::connect(&host.url)
            .await
            .unwrap()
            .waiting()
            .await
            .unwrap()
            > 0
    })
    .await;
    let mut workers = [start_worker(), start_worker()];
    wait_until("both workers", || async {
        store.heartbeats().await.unwrap().len() == workers.len()
    })
    .await;
    let seed = settings::number("LOTO_FAULT_SEED", 1);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (begin, mut injected) = (Instant::now(), 0);
    let status = loop {
        let pause = Duration::from_millis(random.random_range(100..700));
        tokio::time::sleep(pause).await;
        if let Some(status) = submit.child().try_wait().unwrap() {
            break status;
        }
        assert!(
            begin.elapsed() < PATIENCE,
            "seed {seed}: the sweep did not end"
        );
        let fault = FAULTS[injected % FAULTS.len()];
        eprintln!("{:6.1} s  {fault:?}", begin.elapsed().as_secs_f64());
        injected += 1;
        match fault {
            Fault::ConnectionsCut => network.cut(random.random_range(0..300)),
            Fault::HalfClosed => network.half_close(Direction::ToServer),
            Fault::Stalled => network.stall(pause).await,
            // Both sides notice by the silence.
            Fault::Vanished => network.swallow(),
            // Another one comes once there is a network again.
            Fault::WorkerKilled => {
                network.cut(0);
                let number = random.random_range(0..workers.len());
                workers[number].kill();
                workers[number] = start_worker();
            }
            Fault::HostKilled => {
                host.kill();
                tokio::time::sleep(pause).await;
                host.start_again();
            }
        }
    };
    assert!(status.success(), "seed {seed}: {status}");
    println!("{injected} faults");

    let out = folder.path().join("hosted");
    let mut report = command("loto", &host);
    let report = report.args(["report", "hosted", "--out"]).arg(&out);
    let report = report.output().unwrap();
    assert!(report.status.success(), "{}", told(&report));
    let traces = METHODS.len() * TARGETS.len() * seeds;
    assert_eq!(outcomes(&embedded).len(), 1 + traces * ITERATIONS);
    assert_same(&outcomes(&out), &outcomes(&embedded));
    let waiting = queue::connect(&host.url).await.unwrap().waiting().await;
    assert_eq!(waiting.unwrap(), 0, "messages are left");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_submitted_survives_a_host_that_nobody_watches() {
    let folder = tempfile::tempdir().unwrap();
    let sweep = sweep_file(folder.path(), "unwatched", SEEDS);
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
