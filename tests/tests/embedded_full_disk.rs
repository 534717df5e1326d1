//! `loto run` on a disk that is full for a while.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use loto_tests::programs::{self, Process};
use loto_tests::reports::{assert_same, outcomes};
use loto_tests::small_disk::SmallDisk;
use loto_tests::{samples, skipped};

const TARGETS: [&str; 2] = ["digits-3-vs-8", "wine-noisy"];

/// Far longer than anything here takes.
const PATIENCE: Duration = Duration::from_secs(300);

#[test]
fn jobs_wait_for_room_on_a_full_disk_and_a_run_does_not_begin_there() {
    let name = "jobs_wait_for_room_on_a_full_disk_and_a_run_does_not_begin_there";
    let disk = match SmallDisk::new(16) {
        Ok(disk) => disk,
        Err(error) => return skipped::note(name, &error.to_string()),
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.toml");
    let sweep = samples::built_in_sweep("full-disk", &["rs", "gp"], &TARGETS, 40, 60);
    fs::write(&file, sweep).unwrap();

    let mut run = programs::command("loto");
    run.arg("run").arg(&file);
    run.arg("--out").arg(disk.path_inside().join("out"));
    let run = || {
        let mut inside = disk.inside(&run);
        inside.stdout(Stdio::null());
        inside
    };
    let mut running = Process::start(run());
    let out = disk.path().join("out");
    let log = out.join("sweep.loto-wal");
    let begin = Instant::now();
    while log.metadata().map_or(0, |log| log.len()) < 1 << 17 {
        assert!(begin.elapsed() < PATIENCE, "the run does not begin");
        assert_eq!(running.ended(), None, "the run ended too soon");
        std::thread::sleep(Duration::from_millis(5));
    }
    disk.fill();
    std::thread::sleep(Duration::from_secs(3));
    assert_eq!(running.ended(), None, "the run is not to end");
    disk.free();
    let status = running.wait(PATIENCE);
    assert!(status.success(), "{status}");

    let undisturbed = folder.path().join("undisturbed");
    let mut whole = programs::command("loto");
    whole.arg("run").arg(&file).arg("--out").arg(&undisturbed);
    assert!(whole.output().unwrap().status.success());
    assert_same(&outcomes(&out), &outcomes(&undisturbed));

    let report = out.join("report.html");
    let before = fs::read(&report).unwrap();
    disk.fill();
    let refused = run().stderr(Stdio::piped()).output().unwrap();
    let error = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{error}");
    assert!(
        error.contains("sweep.loto") && error.contains("is the disk full?"),
        "{error}"
    );
    assert_eq!(fs::read(&report).unwrap(), before);
    disk.free();
    let status = Process::start(run()).wait(PATIENCE);
    assert!(status.success(), "{status}");
    assert_same(&outcomes(&out), &outcomes(&undisturbed));
}
