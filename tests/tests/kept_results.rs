//! Results that are kept: sweeps of one name, sweeps that are deleted, a medium that cannot be written, reports in
//! one folder. None of this needs a server.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use loto_tests::programs::{Process, command, run};
use loto_tests::skipped;
use loto_tests::small_disk::SmallDisk;
use loto_tests::small_sweep::Folder;

const SWEEP: &str = r#"
name = "small"
methods = ["rs", "gcp"]
seeds = 2
iterations = 6

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs the sweep file of a folder, with results in `out`.
fn run_sweep(folder: &Folder, seeds: u32) -> Output {
    folder.write(
        "sweep.toml",
        SWEEP.replace("seeds = 2", &format!("seeds = {seeds}")),
    );
    let mut run = command("loto");
    run.current_dir(folder.folder());
    run.args(["run", "sweep.toml", "--out", "out"]);
    run.output().unwrap()
}

fn with_results() -> (Folder, String) {
    let folder = Folder::with_sweep(SWEEP);
    let output = run_sweep(&folder, 2);
    assert!(output.status.success(), "{output:?}");
    let store = folder.path("out/sweep.loto").to_str().unwrap().to_owned();
    (folder, store)
}

/// What a command prints and what it logs, if it ends with that status.
fn told(arguments: &[&str], status: i32) -> (String, String) {
    let output = run("loto", arguments);
    assert_eq!(
        output.status.code(),
        Some(status),
        "{arguments:?}: {output:?}"
    );
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr))
}

#[test]
fn of_sweeps_of_one_name_the_newest_is_meant() {
    let (folder, store) = with_results();
    let of_store = ["--store", &store];
    let (list, _) = told(&["status", of_store[0], of_store[1]], 0);
    let first = list
        .lines()
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .to_owned();
    assert!(run_sweep(&folder, 3).status.success());
    let (status, log) = told(&["status", "small", of_store[0], of_store[1]], 0);
    assert!(status.contains("12 of 12 done"), "{status}");
    assert!(
        log.contains("2 sweeps have the name small: this is the newest"),
        "{log}"
    );
    assert!(log.contains(&first), "{log}");
    // Both are listed, each with the day when it was recorded.
    let (list, _) = told(&["status", of_store[0], of_store[1]], 0);
    assert!(list.lines().next().unwrap().contains("recorded"), "{list}");
    let dated = list.lines().skip(1).filter(|line| line.contains(" UTC "));
    assert_eq!(dated.count(), 2, "{list}");
    let (report, _) = told(&["report", &first, of_store[0], of_store[1]], 0);
    assert!(report.contains("8 of 8 traces finished"), "{report}");

    // A cancelled one is marked.
    told(&["cancel", &first, of_store[0], of_store[1]], 0);
    let (list, _) = told(&["status", of_store[0], of_store[1]], 0);
    let marked: Vec<&str> = list
        .lines()
        .filter(|line| line.ends_with("cancelled"))
        .collect();
    assert!(marked.len() == 1 && marked[0].starts_with(&first), "{list}");
}

#[test]
fn a_deleted_sweep_leaves_what_others_need() {
    let (folder, store) = with_results();
    assert!(run_sweep(&folder, 3).status.success());
    let delete = |arguments: &[&str], status| {
        told(
            &[&["delete"], arguments, &["--store", &store]].concat(),
            status,
        )
    };
    // A name that two sweeps have is not enough, and neither is silence.
    let (_, error) = delete(&["small", "--yes"], 2);
    assert!(error.contains("2 sweeps have this name"), "{error}");
    let (list, _) = told(&["status", "--store", &store], 0);
    let id = |line: usize| {
        let line = list.lines().nth(line).unwrap();
        line.split(' ').next().unwrap().to_owned()
    };
    let (smaller, larger) = (id(1), id(2));
    let (_, error) = delete(&[&larger], 2);
    assert!(
        error.contains("4 traces and 0 tables; 8 traces stay"),
        "{error}"
    );
    assert!(error.contains("--yes"), "{error}");

    delete(&[&larger, "--yes"], 0);
    let (list, _) = told(&["status", "--store", &store], 0);
    assert!(list.contains(&smaller) && !list.contains(&larger), "{list}");
    let (verified, _) = told(
        &["verify", "small", "--fraction", "1", "--store", &store],
        0,
    );
    assert!(verified.contains("computed 8 of 8"), "{verified}");
    delete(&[&smaller, "--yes"], 0);
    let (list, _) = told(&["status", "--store", &store], 0);
    assert!(list.contains("there is no sweep"), "{list}");
    // The same command does all of it again.
    let output = run_sweep(&folder, 3);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("12 of 12 traces finished"), "{text}");
}

#[test]
fn results_on_a_medium_that_cannot_be_written_are_read() {
    let name = "results_on_a_medium_that_cannot_be_written_are_read";
    let disk = match SmallDisk::new(16) {
        Ok(disk) => disk,
        Err(error) => return skipped::note(name, &error.to_string()),
    };
    let (folder, _) = with_results();
    fs::copy(
        folder.path("out/sweep.loto"),
        disk.path().join("sweep.loto"),
    )
    .unwrap();
    let mut remount = Command::new("mount");
    remount.args(["-o", "remount,ro"]).arg(disk.path_inside());
    let output = disk.inside(&remount).output().unwrap();
    assert!(output.status.success(), "{output:?}");

    let there = disk.path_inside().join("sweep.loto");
    let loto = |arguments: &[&str]| {
        let mut command = command("loto");
        command.args(arguments).arg("--store").arg(&there);
        disk.inside(&command).output().unwrap()
    };
    for arguments in [
        &["status"][..],
        &["status", "small"],
        &["report", "small"],
        &["watch", "small"],
        &["verify", "small"],
    ] {
        let output = loto(arguments);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    let report = loto(&["report", "small", "--format", "csv"]);
    assert_eq!(
        report.stdout,
        fs::read(folder.path("out/scores.csv")).unwrap()
    );
    // What would change it says why it cannot.
    for arguments in [&["cancel", "small"][..], &["delete", "small", "--yes"]] {
        let output = loto(arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains("copy it to another folder"), "{error}");
    }
}

#[test]
fn a_report_of_something_else_is_not_replaced_in_silence() {
    let (folder, store) = with_results();
    let out = folder.path("out").to_str().unwrap().to_owned();
    let report = fs::read(folder.path("out/report.html")).unwrap();
    folder.write(
        "traces.csv",
        "task,optimizer,seed,iteration,value,blackbox\n\
         one,rs,0,1,0.5,B\none,rs,0,2,0.25,B\ntwo,rs,0,1,0.3,B\ntwo,rs,0,2,0.35,B\n",
    );
    let score_sweep = SWEEP.replace("iterations = 6", "iterations = 2");
    folder.write("score.toml", score_sweep);
    let file = |name: &str| folder.path(name).to_str().unwrap().to_owned();
    let (traces, sweep) = (file("traces.csv"), file("score.toml"));
    let score = ["score", &traces, "--sweep", &sweep, "--out", &out];
    let (_, error) = told(&score, 2);
    assert!(error.contains("holds the report of sweep small"), "{error}");
    assert_eq!(fs::read(folder.path("out/report.html")).unwrap(), report);

    // Another sweep is refused before it runs, and the same one is not.
    folder.write("other.toml", SWEEP.replace("\"small\"", "\"other\""));
    let other = file("other.toml");
    let (_, error) = told(&["run", &other, "--out", &out], 2);
    assert!(error.contains("--replace"), "{error}");
    let (list, _) = told(&["status", "--store", &store], 0);
    assert!(!list.contains("other"), "{list}");
    told(&["report", "small", "--store", &store, "--out", &out], 0);
    told(&[&score[..], &["--replace"]].concat(), 0);
    told(&score, 0);
    assert_ne!(fs::read(folder.path("out/report.html")).unwrap(), report);

    // The same jobs under another name are the same sweep, which the store keeps under its first one.
    let (_, error) = told(&["run", &other, "--out", &out, "--replace"], 0);
    assert!(
        error.contains("has this sweep under the name small"),
        "{error}"
    );
    told(&["status", "small", "--store", &store], 0);
}

#[test]
fn whoever_stops_watching_stops_no_sweep_and_a_sweep_without_workers_says_so() {
    let folder = Folder::with_sweep(SWEEP);
    folder.write("sweep.toml", SWEEP.replace("seeds = 2", "seeds = 20000"));
    let mut start = command("loto");
    start.current_dir(folder.folder());
    start.args(["run", "sweep.toml", "--out", "out"]);
    start.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = Process::start(start);
    let store = folder.path("out/sweep.loto");
    let begin = Instant::now();
    let list = || {
        let status = run("loto", ["status", "--store", store.to_str().unwrap()]);
        String::from_utf8(status.stdout).unwrap()
    };
    while !store.is_file() || !list().contains("small") {
        assert!(begin.elapsed() < PATIENCE, "the run does not begin");
        std::thread::sleep(Duration::from_millis(50));
    }
    running.terminate();
    assert_eq!(running.wait(PATIENCE).code(), Some(130));

    let mut watch = command("loto");
    watch.args(["watch", "small", "--store"]).arg(&store);
    let log = folder.path("watch.log");
    watch.stderr(fs::File::create(&log).unwrap());
    let mut watch = Process::start(watch);
    let begin = Instant::now();
    while !fs::read_to_string(&log).unwrap().contains("; no worker") {
        assert!(begin.elapsed() < PATIENCE, "nothing is said of workers");
        std::thread::sleep(Duration::from_millis(50));
    }
    watch.signal("INT");
    assert_eq!(watch.wait(PATIENCE).code(), Some(130));
    let told = fs::read_to_string(&log).unwrap();
    for part in [
        "no worker tells this store about itself",
        "of 80000 done, ",
        "; no worker is running",
        "the sweep itself goes on",
        "`loto cancel ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}
