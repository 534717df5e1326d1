//! `loto run` is killed again and again: it goes on each time, and what was done stays done.
//!
//! `LOTO_KILLS` says how often, `LOTO_FAULT_SEED` when.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use loto_coordinator::plan::{Plan, SweepSource};
use loto_proto::identity::SeriesId;
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_tests::programs::{self, Process};
use loto_tests::reports::{assert_same, evaluations, outcomes};
use loto_tests::{samples, settings};
use loto_transport::store;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rusqlite::Connection;

const METHODS: [&str; 3] = ["rs", "gp", "gcp-prior"];
const TARGETS: [&str; 3] = ["digits-3-vs-8", "wine-noisy", "diabetes-median"];
const ITERATIONS: usize = 60;

/// Kills of the short form.
const FEW: u64 = 8;

/// Seeds beside one per kill, so that the sweep outlasts the kills that are to hit it.
const SEEDS: u64 = 4;

/// Longest life of a run that is to be killed while it computes. Half of them live much
/// shorter: that hits the start.
const LONGEST_LIFE: Duration = Duration::from_millis(1200);

/// How long a run takes from its last trace to its end, about: it writes the report.
const REPORT: Duration = Duration::from_millis(120);

/// How long the undisturbed end of the run may take.
const PATIENCE: Duration = Duration::from_secs(600);

/// The traces that a store keeps of a sweep.
type Traces = BTreeMap<(SeriesId, u32), Trace>;

fn run(sweep: &Path, out: &Path) -> Command {
    let mut run = programs::command("loto");
    run.arg("run").arg(sweep).arg("--out").arg(out);
    run.stdout(Stdio::null());
    run
}

/// What is reported done now; nothing as long as there is no store.
async fn reported(store: &Path, sweep: &Sweep) -> Traces {
    let mut traces = Traces::new();
    if !store.is_file() {
        return traces;
    }
    let store = store::open_existing(&store.to_string_lossy())
        .await
        .unwrap();
    for series in sweep.series() {
        let id = series.id();
        for (seed, trace) in store.traces(id).await.unwrap() {
            traces.insert((id, seed), trace);
        }
    }
    traces
}

fn assert_sound(store: &Path) {
    let connection = Connection::open(store).unwrap();
    let check = |row: &rusqlite::Row| row.get::<_, String>(0);
    let says = connection.query_row("PRAGMA integrity_check", [], check);
    assert_eq!(says.unwrap(), "ok");
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[tokio::test]
async fn a_run_that_is_killed_again_and_again_loses_nothing() {
    let kills = settings::number("LOTO_KILLS", FEW);
    let seed = settings::number("LOTO_FAULT_SEED", 1);
    println!("LOTO_FAULT_SEED={seed} LOTO_KILLS={kills}");
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.toml");
    let seeds = (SEEDS + kills) as usize;
    let text = samples::built_in_sweep("kills", &METHODS, &TARGETS, seeds, ITERATIONS);
    fs::write(&file, text).unwrap();
    let plan = Plan::read(&SweepSource::File(file.clone()), None).unwrap();
    let sweep = plan.sweep;
    let jobs = sweep.jobs().count();
    let out = folder.path().join("killed");
    let store = out.join("sweep.loto");

    let mut done = Traces::new();
    let mut killed = 0;
    while killed < kills {
        let mut running = Process::start(run(&file, &out));
        let part: f64 = random.random_range(0.0..1.0);
        let life = if killed < kills - kills / 4 {
            LONGEST_LIFE.mul_f64(part * part)
        } else {
            while reported(&store, &sweep).await.len() < jobs {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            REPORT.mul_f64(part)
        };
        tokio::time::sleep(life).await;
        let before = reported(&store, &sweep).await;
        if let Some(status) = running.ended() {
            assert!(status.success(), "{status}");
            continue;
        }
        running.kill();
        killed += 1;
        if store.is_file() {
            assert_sound(&store);
        }
        let after = reported(&store, &sweep).await;
        println!(
            "kill {killed} after {} ms: {} of {jobs} traces done",
            life.as_millis(),
            after.len()
        );
        for reported in [&done, &before] {
            let mut reported = reported.iter();
            let lost = reported.find(|(job, trace)| after.get(job) != Some(trace));
            assert!(lost.is_none(), "{lost:?}");
        }
        done = after;
    }
    let status = Process::start(run(&file, &out)).wait(PATIENCE);
    assert!(status.success(), "{status}");
    assert_sound(&store);
    let kept = reported(&store, &sweep).await;
    assert!(done.iter().all(|(job, trace)| kept.get(job) == Some(trace)));
    assert_eq!(evaluations(&out).len(), 1 + kept.len() * ITERATIONS);

    let undisturbed = folder.path().join("undisturbed");
    let status = Process::start(run(&file, &undisturbed)).wait(PATIENCE);
    assert!(status.success(), "{status}");
    assert_same(&outcomes(&out), &outcomes(&undisturbed));
    for name in [
        "scores.csv",
        "scores_by_task.csv",
        "curves.csv",
        "curves_by_task.csv",
    ] {
        let content = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(content(&out), content(&undisturbed), "{name}");
    }
    for name in ["statistics.json", "about.json"] {
        assert_eq!(
            statistics(&out, name),
            statistics(&undisturbed, name),
            "{name}"
        );
    }
    for folder_in in ["", "charts"] {
        let (killed, whole) = (out.join(folder_in), undisturbed.join(folder_in));
        assert_eq!(names(&killed), names(&whole), "what is left of killed runs");
    }
}

/// A JSON file of a report without the time and the command, in which reports of the same traces differ.
fn statistics(folder: &Path, name: &str) -> serde_json::Value {
    let content = fs::read(folder.join(name)).unwrap();
    let mut content: serde_json::Value = serde_json::from_slice(&content).unwrap();
    let about = match name {
        "about.json" => &mut content,
        _ => &mut content["about"],
    };
    let made = about.as_object_mut().unwrap().remove("made");
    assert!(made.is_some_and(|made| made["at"].is_string()), "{name}");
    content
}
