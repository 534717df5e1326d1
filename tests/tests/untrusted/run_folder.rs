//! `loto run` in a folder that somebody else writes to.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use loto_tests::programs::{self, Process};
use loto_tests::samples;
use loto_tests::small_sweep::Folder;

/// How long a run may take to begin, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

fn run(folder: &Folder) -> Command {
    let mut run = programs::command("loto");
    run.arg("run").arg(folder.sweep());
    run.arg("--out").arg(folder.path("out"));
    run.args(["--jobs", "1"]).stdout(Stdio::null());
    run
}

/// A run of a sweep that takes long, once its store has a trace.
fn started(folder: &Folder) -> Process {
    let mut run = run(folder);
    run.stderr(fs::File::create(folder.path("log")).unwrap());
    let process = Process::start(run);
    let begin = Instant::now();
    while traces(&folder.path("out/sweep.loto")).unwrap_or(0) == 0 {
        assert!(begin.elapsed() < PATIENCE, "{}", log(folder));
        std::thread::sleep(Duration::from_millis(50));
    }
    process
}

fn traces(store: &Path) -> rusqlite::Result<i64> {
    let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = rusqlite::Connection::open_with_flags(store, flags)?;
    connection.query_row("SELECT COUNT(*) FROM traces", [], |row| row.get(0))
}

fn log(folder: &Folder) -> String {
    fs::read_to_string(folder.path("log")).unwrap()
}

#[test]
fn a_run_whose_store_is_deleted_or_replaced_fails_and_says_so() {
    let tasks = ["digits-3-vs-8", "wine-noisy"];
    let sweep = samples::built_in_sweep("long", &["rs", "gp"], &tasks, 200, 100);
    let folder = Folder::with_sweep(&sweep);
    let store = folder.path("out/sweep.loto");
    let mut deleted = started(&folder);
    fs::remove_file(&store).unwrap();
    let status = deleted.wait(PATIENCE);
    assert_eq!(status.code(), Some(1), "{}", log(&folder));
    let told = "out/sweep.loto was deleted or replaced";
    assert!(log(&folder).contains(told), "{}", log(&folder));

    let mut replaced = started(&folder);
    fs::copy(&store, folder.path("copy")).unwrap();
    fs::rename(folder.path("copy"), &store).unwrap();
    let status = replaced.wait(PATIENCE);
    assert_eq!(status.code(), Some(1), "{}", log(&folder));
    assert!(log(&folder).contains(told), "{}", log(&folder));
}

#[test]
fn a_lock_that_is_a_link_is_refused_and_its_target_keeps_its_content() {
    let sweep = samples::built_in_sweep("short", &["rs"], &["digits-3-vs-8"], 1, 5);
    let folder = Folder::with_sweep(&sweep);
    folder.write("precious", "not to be lost");
    fs::create_dir(folder.path("out")).unwrap();
    std::os::unix::fs::symlink(folder.path("precious"), folder.path("out/.lock")).unwrap();
    let output = run(&folder).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(
        error.contains(".lock") && error.contains("remove it"),
        "{error}"
    );
    let precious = fs::read(folder.path("precious")).unwrap();
    assert_eq!(precious, b"not to be lost");
}
