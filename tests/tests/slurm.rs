//! The scripts of deploy/slurm on a Slurm of one node: a sweep in shards, whose tasks are requeued, warned and cancelled,
//! is that of `loto run`.
//!
//! `LOTO_TEST_SLURM` names the folder that `deploy/local/slurm-programs` makes; without it the test is skipped.
//! `LOTO_SLURM_FAULTS` says how often a task is disturbed, `LOTO_FAULT_SEED` which and how.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use loto_tests::reports::{assert_same, outcomes};
use loto_tests::slurm::Slurm;
use loto_tests::{programs, samples, settings, skipped};
use loto_transport::store;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tempfile::TempDir;

const SHARDS: &str = "8";

/// How long the sweep may take on a busy host, and how much longer with each disturbance.
const PATIENCE: Duration = Duration::from_secs(900);
const PATIENCE_PER_FAULT: Duration = Duration::from_secs(60);

/// Seeds from which it is learned how long a job takes.
const TIMED_SEEDS: usize = 20;

/// A sweep at a cluster.
struct Place {
    slurm: Slurm,
    folder: TempDir,
}

impl Place {
    /// A cluster of its own, with an empty folder; `None` if the test of this name is skipped.
    fn start(name: &str) -> Option<Self> {
        let Some(programs) = std::env::var_os("LOTO_TEST_SLURM").map(PathBuf::from) else {
            skipped::note(name, "LOTO_TEST_SLURM is not set");
            return None;
        };
        Some(Self {
            slurm: Slurm::start(&programs),
            folder: tempfile::tempdir().unwrap(),
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn submit(&self) {
        self.submit_shards(SHARDS, &["--mem=100"]);
    }

    fn submit_shards(&self, shards: &str, options: &[&str]) {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/slurm");
        let mut submit = self.slurm.command(scripts.join("submit-shards"));
        submit.arg(self.path("sweep.toml")).arg(shards);
        submit.arg(self.path("results")).args(options);
        let output = submit.output().unwrap();
        assert!(output.status.success(), "{output:?}\n{}", self.slurm.logs());
    }

    /// The ids of the jobs with this name in that state.
    fn jobs(&self, name: &str, state: &str) -> Vec<String> {
        let (name, state) = (format!("--name={name}"), format!("--states={state}"));
        let wanted = ["--noheader", "--array", "--format=%A", &name, &state];
        let told = self.slurm.told("squeue", &wanted);
        told.lines().map(|line| line.trim().to_owned()).collect()
    }

    /// Whether the report is made.
    fn is_done(&self) -> bool {
        self.path("results/about.json").is_file()
            && self
                .jobs("loto-merge", "PENDING,RUNNING,COMPLETING")
                .is_empty()
    }

    fn logs(&self) -> String {
        self.slurm.told("squeue", &["--long"]) + &self.logs_of_tasks() + &self.slurm.logs()
    }

    fn logs_of_tasks(&self) -> String {
        let mut logs = String::new();
        for entry in fs::read_dir(self.path("results")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "log") {
                let text = fs::read_to_string(&path).unwrap();
                logs.push_str(&format!("{}:\n{text}\n", path.display()));
            }
        }
        logs
    }

    /// Processor seconds of all traces in a folder of results.
    fn processor_seconds(&self, folder: &str) -> f64 {
        let file = self.path(folder).join("sweep.loto");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let store = store::open(file.to_str().unwrap()).await.unwrap();
            let mut seconds = 0.0;
            for id in store.sweeps().await.unwrap() {
                let sweep = store.sweep(id).await.unwrap().unwrap();
                for series in sweep.series() {
                    let traces = store.traces(series.id()).await.unwrap();
                    let times = traces.iter().map(|(_, trace)| trace.cpu_time());
                    seconds += times.sum::<Duration>().as_secs_f64();
                }
            }
            seconds
        })
    }
}

#[test]
fn a_task_begins_no_job_that_would_not_end_in_its_time() {
    let name = "a_task_begins_no_job_that_would_not_end_in_its_time";
    let Some(place) = Place::start(name) else {
        return;
    };
    let write_sweep = |seeds| {
        let sweep = samples::built_in_sweep("in-time", &["gp"], &["digits-3-vs-8"], seeds, 280);
        fs::write(place.path("sweep.toml"), sweep).unwrap();
    };
    // Work for a minute and a quarter on two cores of any host: the shortest time that Slurm can give is a minute.
    write_sweep(TIMED_SEEDS);
    let (sweep, timed) = (place.path("sweep.toml"), place.path("timed"));
    let arguments = [Path::new("run"), &sweep, Path::new("--out"), &timed];
    assert!(programs::run("loto", arguments).status.success());
    let seconds_each = place.processor_seconds("timed") / TIMED_SEEDS as f64;
    write_sweep((2.0 * 75.0 / seconds_each) as usize);
    // Without the warning of the script: what is ignored comes in its place.
    place.submit_shards(
        "1",
        &[
            "--mem=100",
            "--cpus-per-task=2",
            "--time=1",
            "--signal=B:URG@1",
        ],
    );
    let begin = Instant::now();
    while !place.is_done() {
        assert!(begin.elapsed() < 2 * PATIENCE, "{}", place.logs());
        std::thread::sleep(Duration::from_secs(1));
    }
    let logs = place.logs_of_tasks();
    let times = logs.matches("the time is up: shard").count();
    assert!(times > 0, "one allocation was enough:\n{logs}");
    assert!(!logs.contains("DUE TO TIME LIMIT"), "{logs}");
    let lost = logs.lines().filter_map(|line| {
        let (before, _) = line.split_once(" s of computing are lost")?;
        before.rsplit(' ').next()?.parse::<f64>().ok()
    });
    let (lost, kept) = (lost.sum::<f64>(), place.processor_seconds("results"));
    println!("{times} times the time was up: {lost:.1} s were lost, {kept:.1} s were kept");
    assert!(lost <= 0.05 * (lost + kept), "{lost} of {kept}:\n{logs}");
}

#[test]
fn an_array_of_shards_is_the_whole_sweep_whatever_becomes_of_its_tasks() {
    let name = "an_array_of_shards_is_the_whole_sweep_whatever_becomes_of_its_tasks";
    let Some(place) = Place::start(name) else {
        return;
    };
    let faults = settings::number("LOTO_SLURM_FAULTS", 4);
    // Enough for the tasks to be at work as often as they are disturbed.
    let seeds = 60 + 40 * usize::try_from(faults).unwrap();
    let targets = ["digits-3-vs-8", "wine-noisy"];
    let methods = ["rs", "gp", "gcp"];
    let sweep = samples::built_in_sweep("on-slurm", &methods, &targets, seeds, 60);
    fs::write(place.path("sweep.toml"), sweep).unwrap();
    place.submit();

    let mut random = ChaCha8Rng::seed_from_u64(settings::number("LOTO_FAULT_SEED", 1));
    let (mut requeued, mut warned, mut cancelled) = (0, 0, 0);
    let begin = Instant::now();
    let patience = PATIENCE + PATIENCE_PER_FAULT * u32::try_from(faults).unwrap();
    while !place.is_done() {
        assert!(begin.elapsed() < patience, "{}", place.logs());
        std::thread::sleep(Duration::from_millis(random.random_range(300..1500)));
        let running = place.jobs("loto-shard", "RUNNING");
        if !running.is_empty() && requeued + warned + cancelled < faults {
            let task = &running[random.random_range(0..running.len())];
            match random.random_range(0..4) {
                0 | 1 => {
                    place.slurm.told("scontrol", &["requeue", task]);
                    requeued += 1;
                }
                2 => {
                    place
                        .slurm
                        .told("scancel", &["--batch", "--signal=USR1", task]);
                    warned += 1;
                }
                _ => {
                    place.slurm.told("scancel", &[task]);
                    cancelled += 1;
                }
            }
        }
        // The report waits for ever for a shard that was cancelled: its user submits again.
        let shards = place.jobs("loto-shard", "PENDING,RUNNING,COMPLETING");
        let reports = place.jobs("loto-merge", "PENDING");
        if let [report, ..] = &reports[..]
            && shards.is_empty()
            && cancelled > 0
        {
            place.slurm.told("scancel", &[report]);
            place.submit();
        }
    }
    println!("{requeued} tasks requeued, {warned} warned, {cancelled} cancelled");
    // On a fast host the tasks may be done before all disturbances came to one.
    let disturbed = requeued + warned + cancelled;
    assert!(disturbed * 2 >= faults, "the sweep was done too soon");

    let whole = place.path("whole");
    let mut run: Command = programs::command("loto");
    run.arg("run")
        .arg(place.path("sweep.toml"))
        .arg("--out")
        .arg(&whole);
    assert!(run.output().unwrap().status.success());
    let results = place.path("results");
    assert_same(&outcomes(&results), &outcomes(&whole));
    for file in ["scores.csv", "scores_by_task.csv", "curves.csv"] {
        let of = |folder: &Path| fs::read_to_string(folder.join(file)).unwrap();
        assert_eq!(of(&results), of(&whole), "{file}");
    }
}
