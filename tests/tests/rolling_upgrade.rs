//! Workers and coordinators of two releases at one broker and one store, as while an installation is upgraded host by
//! host.
//!
//! The other release is the program `next-release`. `LOTO_OTHER_RELEASE` names a folder with `loto` and `loto-worker`
//! of a real one, and the same happens beside those.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use loto_tests::faults::verdict::{Undisturbed, leftovers};
use loto_tests::next_release::{METHOD, raise};
use loto_tests::programs::{self, Process};
use loto_tests::{samples, servers, skipped};

/// How long a phase of the upgrade may take on a busy host.
const PATIENCE: Duration = Duration::from_secs(300);

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

/// The methods of the sweep: one of both releases, and one of which the next release has a newer version.
const METHODS: [&str; 2] = ["rs", METHOD];

/// What worker and coordinator of a release are.
struct Release {
    worker: PathBuf,
    coordinator: PathBuf,
    /// What tells the state of a sweep, if the release has such a program.
    status: Option<PathBuf>,
}

impl Release {
    fn this() -> Self {
        Self {
            worker: programs::binary("loto-worker"),
            coordinator: programs::binary("loto"),
            status: Some(programs::binary("loto")),
        }
    }

    fn next() -> Self {
        let program = programs::binary("next-release");
        Self {
            worker: program.clone(),
            coordinator: program,
            status: None,
        }
    }

    /// The release in this folder.
    fn in_folder(folder: &Path) -> Self {
        let loto = folder.join("loto");
        Self {
            worker: folder.join("loto-worker"),
            coordinator: loto.clone(),
            status: Some(loto),
        }
    }
}

/// Broker and store of an installation, and the logs of those that work at them.
struct Place<'a> {
    broker: &'a str,
    store: &'a str,
    logs: &'a Path,
}

impl Place<'_> {
    fn start(&self, mut command: Command, name: &str) -> Process {
        command.args(["--broker", self.broker, "--store", self.store]);
        let log = File::create(self.logs.join(format!("{name}.log"))).unwrap();
        command.stderr(log.try_clone().unwrap()).stdout(log);
        Process::start(command)
    }

    fn worker(&self, release: &Release, name: &str) -> Process {
        let mut worker = programs::command_at(&release.worker);
        worker.args(["--jobs", "1"]);
        self.start(worker, name)
    }

    fn submit(&self, release: &Release, file: &Path, name: &str) -> Process {
        let mut submit = programs::command_at(&release.coordinator);
        submit.arg("submit").arg(file).arg("--wait");
        self.start(submit, name)
    }

    /// What `loto status` of a release says of a sweep.
    fn status(&self, release: &Release, sweep: &str) -> Option<String> {
        let mut status = programs::command_at(release.status.as_ref()?);
        status.args(["status", sweep, "--store", self.store]);
        let output = status.output().unwrap();
        assert!(output.status.success(), "{sweep}: {output:?}");
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Waits until `loto status` of a release says this of a sweep.
    fn wait_until_told(&self, release: &Release, sweep: &str, expected: &str) {
        let begin = Instant::now();
        loop {
            let told = self.status(release, sweep).unwrap();
            if told.contains(expected) {
                return;
            }
            assert!(begin.elapsed() < PATIENCE, "{told}\n{}", self.all_logs());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    fn assert_done(&self, submission: &mut Process) {
        let status = submission.wait(PATIENCE);
        assert!(status.success(), "{status}\n{}", self.all_logs());
    }

    fn all_logs(&self) -> String {
        let mut all = String::new();
        for entry in fs::read_dir(self.logs).unwrap() {
            let log = entry.unwrap().path();
            if log.extension().is_some_and(|end| end == "log") {
                let text = fs::read_to_string(&log).unwrap();
                all.push_str(&format!("{}:\n{text}\n", log.display()));
            }
        }
        all
    }
}

/// The number of traces in the store.
async fn traces(store: &str) -> u64 {
    let mut redis = servers::connect_redis(store).await;
    let count = redis::cmd("XLEN").arg("loto:events").clone();
    count.query_async(&mut redis).await.unwrap()
}

/// Both releases submit a sweep; the workers of this one are replaced by those of the other one, one killed and one
/// asked to end, and come back: a rollback. `waits` is what this release says of workers that get only jobs of the
/// other, if there are such jobs.
async fn upgrade(ours: Undisturbed, theirs: Undisturbed, other: Release, waits: Option<&str>) {
    let turn = servers::broker_turn().await;
    let store = servers::empty_store().await;
    let folder = tempfile::tempdir().unwrap();
    let this = Release::this();
    let place = Place {
        broker: &turn.url,
        store: &store,
        logs: folder.path(),
    };
    let mut old = [
        place.worker(&this, "worker-1"),
        place.worker(&this, "worker-2"),
    ];
    let mut our_submission = place.submit(&this, ours.file(), "submit");
    let begin = Instant::now();
    while traces(&store).await < 10 {
        assert!(begin.elapsed() < PATIENCE, "{}", place.all_logs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let mut their_submission = place.submit(&other, theirs.file(), "other-submit");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut new = place.worker(&other, "other-worker-1");
    tokio::time::sleep(Duration::from_millis(500)).await;

    old[0].kill();
    old[1].terminate();
    assert!(old[1].wait(PATIENCE).success(), "{}", place.all_logs());
    // Only the other release is at work, not for so long that it comes to its end.
    tokio::time::sleep(Duration::from_secs(1)).await;
    for sweep in ["ours", "theirs"] {
        let told = place.status(&this, sweep).unwrap();
        let counts = told.lines().next().unwrap();
        assert!(
            !counts.contains("poisoned") && !counts.contains("failed"),
            "{told}"
        );
        if let Some(told) = place.status(&other, sweep) {
            assert!(told.contains("done"), "{told}");
        }
    }

    new.kill();
    let old = place.worker(&this, "worker-3");
    place.assert_done(&mut our_submission);
    // On a fast host the other worker came to its end before.
    tokio::time::sleep(Duration::from_secs(3)).await;
    if let Some(waits) = waits
        && their_submission.ended().is_none()
    {
        place.wait_until_told(&this, "theirs", waits);
        assert!(
            their_submission.ended().is_none(),
            "its jobs are for others"
        );
    }
    let new = place.worker(&other, "other-worker-2");
    place.assert_done(&mut their_submission);

    let mut complaints = leftovers(&turn.url, &[]).await;
    let expected = ours.and(theirs);
    complaints.extend(expected.compare(&store, &BTreeSet::new(), false).await);
    assert!(
        complaints.is_empty(),
        "{complaints:?}\n{}",
        place.all_logs()
    );
    for mut worker in [old, new] {
        worker.terminate();
        assert!(worker.wait(PATIENCE).success(), "{}", place.all_logs());
    }
}

fn sweep(name: &str, methods: &[&str]) -> String {
    samples::built_in_sweep(name, methods, &TARGETS, 20, 60)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_the_next_release_and_of_this_one_are_all_done_once() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let ours = Undisturbed::run(&sweep("ours", &METHODS), folders[0].path()).await;
    let theirs = Undisturbed::run(&sweep("theirs", &METHODS), folders[1].path()).await;
    let theirs = theirs.with_methods(raise);
    let waits = "jobs of another release";
    upgrade(ours, theirs, Release::next(), Some(waits)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn jobs_of_a_real_other_release_and_of_this_one_are_all_done_once() {
    let name = "jobs_of_a_real_other_release_and_of_this_one_are_all_done_once";
    let Some(other) = std::env::var_os("LOTO_OTHER_RELEASE").map(PathBuf::from) else {
        return skipped::note(
            name,
            "LOTO_OTHER_RELEASE names no folder with another release",
        );
    };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let methods = ["rs", "box-rs", METHOD];
    let ours = Undisturbed::run(&sweep("ours", &methods), folders[0].path()).await;
    let other = Release::in_folder(&other);
    let loto = programs::command_at(&other.coordinator);
    let theirs = Undisturbed::run_by(loto, &sweep("theirs", &METHODS), folders[1].path()).await;
    upgrade(ours, theirs, other, None).await;
}
