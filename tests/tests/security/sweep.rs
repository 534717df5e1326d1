//! A sweep as pods run it: submission, workers, service and client with everything on.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loto_tests::programs::Process;
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::security::installation::{Role, SecureInstallation, TOKENS};
use loto_tests::security::pod;
use loto_tests::{programs, python, samples, skipped};

use crate::service::client;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(180);

const METHODS: [&str; 3] = ["rs", "gp", "cts"];

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

pub(super) fn completes(installation: &SecureInstallation, python: &Path) {
    let refusal = pod::refusal();
    if let Some(problem) = &refusal {
        skipped::note(
            "the read-only file system of a_sweep_completes_with_everything_on",
            problem,
        );
    }
    installation.let_pods_read();
    let command = |role, program: &str| {
        let mut command = match refusal {
            None => installation.command_in_pod(role, program),
            Some(_) => installation.command(role, program),
        };
        // Secrets are kept whatever is logged.
        command.env("LOTO_LOG", "trace");
        command
    };
    let start = |name: &str, mut command: Command| {
        command.stderr(installation.log(name)).stdout(Stdio::null());
        Process::start(command)
    };

    let table = installation.folder().join("table.csv.zip");
    fs::copy(samples::built_in_table(), &table).unwrap();
    let sweep = samples::built_in_sweep("secure", &METHODS, &TARGETS, 2, 15);
    let built_in = samples::built_in_table().display().to_string();
    let sweep = sweep.replace(&built_in, &table.display().to_string());
    let file = installation.folder().join("sweep.toml");
    fs::write(&file, sweep).unwrap();

    let mut workers: Vec<Process> = ["worker-1.log", "worker-2.log"]
        .map(|log| {
            let mut worker = command(Role::Worker, "loto-worker");
            worker.env("LOTO_JOBS", "1");
            // As below Slurm: it looks at what its jobs take.
            worker.env("SLURM_JOB_END_TIME", "4102444800");
            // As variables; the files are tried elsewhere.
            worker.env_remove("LOTO_STORE_PASSWORD_FILE");
            worker.env(
                "LOTO_STORE_PASSWORD",
                installation.password("store-loto-worker"),
            );
            start(log, worker)
        })
        .into();
    let mut serve = service_command(installation, command(Role::Aggregator, "loto"));
    serve.env("LOTO_LOG", "trace");
    let mut service = start("serve.log", serve);
    let address = service_address(installation, "serve.log");

    let mut submit = command(Role::Coordinator, "loto");
    submit.arg("submit").arg(&file).env("LOTO_WAIT", "true");
    let status = start("submit.log", submit).wait(PATIENCE);
    let log = fs::read_to_string(installation.log_path("submit.log")).unwrap();
    assert!(status.success(), "{log}");

    no_secret_is_an_argument_or_in_a_child(installation, &workers);

    let generated = installation.folder().join("generated");
    python::generate_client(python, &generated);
    let mut ask = client(installation, python, &generated, &address);
    let asked = installation.run("client", ask.env("LOTO_TOKEN", TOKENS[0].1));
    let told = String::from_utf8_lossy(&asked.stdout);
    assert!(
        asked.status.success() && told.contains("secure"),
        "{asked:?}"
    );

    // To read, the account that may only read is enough.
    let out = installation.folder().join("report");
    let mut report = installation.command(Role::Aggregator, "loto");
    report.args(["report", "secure", "--out"]).arg(&out);
    let reported = installation.run("report.log", report.env("LOTO_LOG", "trace"));
    assert!(reported.status.success(), "{reported:?}");
    let alone = installation.folder().join("alone");
    let mut run = programs::command("loto");
    run.arg("run").arg(&file).arg("--out").arg(&alone);
    assert!(installation.run("run.log", &mut run).status.success());
    assert_same(&outcomes(&out), &outcomes(&alone));

    for process in workers.iter_mut().chain([&mut service]) {
        process.terminate();
        assert!(process.wait(PATIENCE).success());
    }
}

/// Everybody on a host sees the arguments of its processes; a method runs in a child of a worker.
fn no_secret_is_an_argument_or_in_a_child(installation: &SecureInstallation, workers: &[Process]) {
    let accounts = [
        "broker-loto-worker",
        "store-loto-worker",
        "store-loto-coordinator",
    ];
    let passwords = accounts.map(|account| installation.password(account));
    let workers: Vec<String> = workers
        .iter()
        .map(|worker| worker.id().to_string())
        .collect();
    let mut children = 0;
    for process in fs::read_dir("/proc").unwrap() {
        let process = process.unwrap().path();
        let text = |name: &str| {
            let bytes = fs::read(process.join(name)).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let arguments = text("cmdline");
        for password in &passwords {
            assert!(!arguments.contains(password), "{arguments}");
        }
        // The name in parentheses is followed by the state and the parent.
        let stat = text("stat");
        let parent = stat
            .rsplit(')')
            .next()
            .and_then(|rest| rest.split_whitespace().nth(1));
        if parent.is_some_and(|parent| workers.iter().any(|worker| worker == parent)) {
            let environment = text("environ");
            for variable in ["LOTO_BROKER=", "LOTO_STORE=", "PASSWORD="] {
                assert!(!environment.contains(variable), "{environment}");
            }
            children += 1;
        }
    }
    assert!(children >= 2, "{children} computing processes");
}

/// `loto serve` with all that a client has to bring.
pub(super) fn service_command(installation: &SecureInstallation, mut serve: Command) -> Command {
    serve.arg("serve").env("LOTO_LISTEN", "127.0.0.1:0");
    for (variable, file) in [
        ("LOTO_TLS_CERTIFICATE", "server.pem"),
        ("LOTO_TLS_KEY", "server.key"),
        ("LOTO_CLIENT_CA", "ca.pem"),
        ("LOTO_TOKENS", "tokens"),
    ] {
        serve.env(variable, installation.secret(file));
    }
    serve
}

/// The address that a service tells in its log.
pub(super) fn service_address(installation: &SecureInstallation, log: &str) -> String {
    let begin = Instant::now();
    loop {
        let told = fs::read_to_string(installation.log_path(log)).unwrap();
        let mut lines = told.lines();
        let address = lines.find_map(|line| line.split_once("serving loto.v1.Aggregator on "));
        if let Some((_, address)) = address {
            return address.split_whitespace().next().unwrap().to_owned();
        }
        assert!(begin.elapsed() < PATIENCE, "it does not serve: {told}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
