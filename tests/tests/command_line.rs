//! The program `loto` as its users meet it: on the embedded store, without servers.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use loto_tests::programs::{Process, command, run};
use loto_tests::reports::{assert_same, evaluations, outcomes};
use loto_tests::samples;
use loto_tests::small_sweep::{Folder, TABLE};

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

fn small() -> Folder {
    Folder::with_sweep(SWEEP)
}

/// `loto run sweep.toml --out out`, without waiting for it.
fn run_command(folder: &Folder) -> Command {
    let mut run = command("loto");
    run.current_dir(folder.folder());
    run.args(["run", "sweep.toml", "--out", "out", "--jobs", "2"]);
    run
}

fn run_in(folder: &Folder) -> Output {
    run_command(folder).output().unwrap()
}

/// The error of a run that must be refused.
fn run_refused(folder: &Folder) -> String {
    refusal_of("run", &run_in(folder))
}

fn refusal_of(what: &str, output: &Output) -> String {
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(2), "{what}: {error}");
    assert_eq!(output.stdout, b"", "{what}");
    assert!(error.starts_with("error: "), "{what}: {error}");
    assert!(!error.contains("panicked"), "{what}: {error}");
    error
}

#[test]
fn a_sweep_is_run_reported_and_found_again() {
    let folder = small();
    let first = run_in(&folder);
    assert_eq!(first.status.code(), Some(0), "{first:?}");
    let text = String::from_utf8(first.stdout).unwrap();
    assert!(text.contains("8 of 8 traces finished"), "{text}");
    for file in [
        "report.html",
        "scores.csv",
        "scores_by_task.csv",
        "statistics.json",
        "curves.csv",
        "curves_by_task.csv",
        "about.json",
        "tables.tex",
        "charts/overview.pdf",
    ] {
        assert!(folder.path("out").join(file).is_file(), "{file}");
    }
    let about = fs::read(folder.path("out/about.json")).unwrap();
    let about: serde_json::Value = serde_json::from_slice(&about).unwrap();
    let known = &about["blackboxes"][0];
    assert_eq!(known["objective"], "metric_error", "{about}");
    assert_eq!(known["direction"], "minimise");
    assert_eq!(known["table_name"], "table.csv");
    assert_eq!(about["loto"], env!("CARGO_PKG_VERSION"));
    assert_eq!(about["methods"][1]["id"], "gcp");
    assert!(
        about["made"]["command"]
            .as_str()
            .unwrap()
            .starts_with("loto run ")
    );
    // A header, and six rows for each of eight traces.
    assert_eq!(outcomes(&folder.path("out")).len(), 1 + 8 * 6);

    let store = folder.path("out/sweep.loto");
    let store = store.to_str().unwrap();
    let status = run("loto", ["status", "--store", store]);
    let status = String::from_utf8(status.stdout).unwrap();
    let id = status
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let report = run(
        "loto",
        ["report", &id[..6], "--store", store, "--format", "csv"],
    );
    assert_eq!(
        report.stdout,
        fs::read(folder.path("out/scores.csv")).unwrap()
    );
    let watch = run("loto", ["watch", "small", "--store", store]);
    assert_eq!(watch.status.code(), Some(0), "{watch:?}");
}

#[test]
fn a_sweep_extended_by_methods_and_seeds_recomputes_nothing() {
    let folder = small();
    assert_eq!(run_in(&folder).status.code(), Some(0));
    let before = evaluations(&folder.path("out"));
    let extended = SWEEP
        .replace("\"gcp\"", "\"gcp\", \"sgpt\", \"autogp\"")
        .replace("seeds = 2", "seeds = 3");
    folder.write("sweep.toml", extended);
    assert_eq!(run_in(&folder).status.code(), Some(0));
    let after: BTreeSet<_> = evaluations(&folder.path("out")).into_iter().collect();
    assert_eq!(after.len(), 1 + 2 * 4 * 3 * 6);
    for line in before {
        assert!(after.contains(&line), "{line} was computed again");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn kernels_share_no_fits_and_a_mixture_of_them_is_told() {
    let folder = small();
    let run_with = |kernels: &str, methods: &str, parameters: &str| {
        let sweep = SWEEP.replace("\"rs\", \"gcp\"", methods);
        folder.write("sweep.toml", sweep + parameters);
        let output = run_command(&folder)
            .env("OPENBLAS_CORETYPE", kernels)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let priors = || {
        let store = rusqlite::Connection::open(folder.path("out/sweep.loto")).unwrap();
        let count = "SELECT COUNT(*) FROM blobs WHERE name LIKE 'prior:%'";
        store
            .query_row(count, [], |row| row.get::<_, u32>(0))
            .unwrap()
    };
    let first = run_with("Prescott", "\"cts\"", "");
    assert!(!first.contains("computed with"), "{first}");
    // Two tasks with two seeds.
    assert_eq!(priors(), 4);
    run_with("Prescott", "\"cts\", \"gcp-prior\"", "");
    assert_eq!(priors(), 4);
    let parameters = "[method.gcp-prior]\nhyperprior = \"none\"\n";
    let mixed = run_with("Nehalem", "\"cts\", \"gcp-prior\"", parameters);
    assert_eq!(priors(), 8);
    for told in [
        mixed,
        fs::read_to_string(folder.path("out/report.html")).unwrap(),
    ] {
        assert!(told.contains("core Prescott"), "{told}");
        assert!(told.contains("core Nehalem"), "{told}");
    }
    let statistics = fs::read_to_string(folder.path("out/statistics.json")).unwrap();
    assert!(
        statistics.contains("core Prescott, 1 thread"),
        "{statistics}"
    );
    let store = folder.path("out/sweep.loto");
    let store = store.to_str().unwrap();
    let sweeps = run("loto", ["status", "--store", store]);
    let sweeps = String::from_utf8(sweeps.stdout).unwrap();
    let last = sweeps.lines().last().unwrap();
    let id = last.split_whitespace().next().unwrap();
    let status = run("loto", ["status", id, "--store", store]);
    let status = String::from_utf8(status.stdout).unwrap();
    assert!(status.contains("computed with OpenBLAS"), "{status}");
}

#[test]
fn wrong_sweep_files_are_refused() {
    let cases = [
        ("\"gcp\"", "\"gpc\"", "unknown method `gpc`"),
        ("metric_error", "metric_loss", "metric_loss"),
        ("seeds = 2", "sedes = 2", "sedes"),
        ("iterations = 6", "iterations = 7", "only 6 rows"),
        ("table.csv", "tabel.csv", "tabel.csv is not there"),
        (
            "[[blackbox]]",
            "[method.gcp]\nspeed = 1\n\n[[blackbox]]",
            "no parameter `speed`",
        ),
    ];
    for (find, replace, expected) in cases {
        let folder = small();
        assert!(SWEEP.contains(find));
        folder.write("sweep.toml", SWEEP.replacen(find, replace, 1));
        let error = run_refused(&folder);
        assert!(error.contains(expected), "{replace}: {error}");
        assert!(
            !folder.path("out").exists(),
            "{replace}: it left a folder behind"
        );
    }
}

#[test]
fn a_check_tells_what_runs_where_and_what_it_takes() {
    let own = "\n[[blackbox]]\nname = \"C\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\n\
               iterations = 5\nmethods = [\"rs\", \"cts\"]\n";
    let folder = Folder::with_sweep(&format!("{SWEEP}{own}"));
    let sweep = folder.sweep();
    let check = run("loto", ["check", sweep.to_str().unwrap(), "--time"]);
    assert_eq!(check.status.code(), Some(0), "{check:?}");
    let text = String::from_utf8(check.stdout).unwrap();
    for part in [
        "3 methods, 2 seeds: 16 traces",
        "on every black box: rs\nalso on B: gcp\nalso on C: cts\n",
        "of CPU time for sweep small",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let rows = text.lines().filter(|line| line.ends_with(" 4"));
    assert_eq!(rows.count(), 4, "traces by black box and method: {text}");
}

#[test]
fn a_sampled_baseline_without_random_search_is_refused_before_the_run() {
    let own = SWEEP.replacen("objective", "methods = [\"gcp\"]\nobjective", 1);
    let folder = Folder::with_sweep(&own);
    let mut run = run_command(&folder);
    let error = refusal_of(
        "run",
        &run.args(["--baseline", "sampled"]).output().unwrap(),
    );
    assert!(error.contains("black box B has no method rs"), "{error}");
    assert!(!folder.path("out").exists(), "it left a folder behind");
}

#[test]
fn a_method_to_pair_with_that_does_not_run_is_refused_before_the_run() {
    let folder = Folder::with_sweep(SWEEP);
    let mut run = run_command(&folder);
    let error = refusal_of("run", &run.args(["--against", "gpc"]).output().unwrap());
    assert!(error.contains("the method gpc"), "{error}");
    assert!(error.contains("one of gcp, rs"), "{error}");
    assert!(!folder.path("out").exists(), "it left a folder behind");
}

#[test]
fn wrong_tables_are_refused() {
    let one_task: String = TABLE.split_inclusive('\n').take(7).collect();
    let cases = [
        (
            "a column is missing",
            TABLE.replacen("metric_error", "metric_other", 1),
            "metric_error",
        ),
        (
            "text in a number",
            TABLE.replacen("0.75", "high", 1),
            "high",
        ),
        ("NaN", TABLE.replacen("0.75", "NaN", 1), "NaN"),
        (
            "duplicate rows",
            TABLE.replacen("1,0,0.25", "0,0,0.25", 1),
            "line 3",
        ),
        ("one task", one_task, "only one task"),
        ("empty", String::new(), "table.csv"),
    ];
    for (what, table, expected) in cases {
        let folder = small();
        folder.write("table.csv", table);
        let error = run_refused(&folder);
        assert!(error.contains(expected), "{what}: {error}");
        assert!(error.contains("table.csv"), "{what}: {error}");
    }
}

#[test]
fn a_truncated_archive_is_refused() {
    let archive = fs::read(samples::built_in_table()).unwrap();
    let folder = small();
    for keep in [10, 1000, archive.len() / 2, archive.len() - 10] {
        folder.write("table.csv", &archive[..keep]);
        assert!(run_refused(&folder).contains("table.csv"), "{keep}");
    }
}

#[test]
fn a_table_that_changed_after_the_first_run_is_refused() {
    let folder = small();
    assert_eq!(run_in(&folder).status.code(), Some(0));
    folder.write("table.csv", TABLE.replacen("0.75", "0.70", 1));
    let error = run_refused(&folder);
    assert!(error.contains("table.csv, has changed"), "{error}");
    folder.write("table.csv", TABLE);
    assert_eq!(run_in(&folder).status.code(), Some(0));
    // More seeds are the same sweep, grown.
    folder.write("sweep.toml", SWEEP.replacen("seeds = 2", "seeds = 3", 1));
    assert_eq!(run_in(&folder).status.code(), Some(0));
}

#[test]
fn wrong_addresses_and_names_are_refused() {
    let folder = small();
    assert_eq!(run_in(&folder).status.code(), Some(0));
    let sweep = folder.path("sweep.toml");
    let sweep = sweep.to_str().unwrap();
    let store = folder.path("out/sweep.loto");
    let store = store.to_str().unwrap();
    let absent = folder.path("absent.loto");
    let absent = absent.to_str().unwrap();
    // Port 1 is reserved; nothing listens there.
    let (no_redis, no_broker) = ("redis://127.0.0.1:1", "amqp://127.0.0.1:1");
    let cases: [(&[&str], &str); 8] = [
        (&["status", "--store", no_redis], "127.0.0.1:1"),
        (&["status", "--store", "ftp://x"], "ftp://x"),
        (&["status", "--store", absent], "no such file"),
        (&["report", "ffff", "--store", store], "no sweep of this id"),
        (
            &["submit", sweep, "--broker", no_broker, "--store", store],
            "127.0.0.1:1",
        ),
        (&["run", "absent.toml"], "absent.toml"),
        (&["methods", "absent"], "unknown method `absent`"),
        (&["run", "--baseline", "none"], "exact-with-replacement"),
    ];
    for (arguments, expected) in cases {
        let error = refusal_of(&arguments.join(" "), &run("loto", arguments));
        assert!(error.contains(expected), "{arguments:?}: {error}");
    }
    assert!(!Path::new(absent).exists());

    let mut shown = run_command(&folder);
    let error = refusal_of(
        "run",
        &shown.args(["--http", "0.0.0.0:0"]).output().unwrap(),
    );
    assert!(error.contains("--http 127.0.0.1:0"), "{error}");
    assert!(!error.contains("--tokens"), "{error}");
}

/// The sweep of the two tests below: long enough to be hit in the middle.
fn loto_in(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut loto = command("loto");
    loto.current_dir(folder.folder()).args(arguments);
    loto.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn an_option_wins_over_variables_of_options_that_it_excludes() {
    let folder = small();
    let host = ("LOTO_HOST", "loto://127.0.0.1:1");
    let store = ("LOTO_STORE", "out/shard-1-of-2.loto");
    let shard = ["run", "sweep.toml", "--out", "out", "--shard", "1/2"];
    let of_reports = [("LOTO_BASELINE", "sampled"), ("LOTO_REPLACE", "true")];
    let status = ["status", "--store", store.1];
    let with_host = [&status[..], &["--host", host.1]].concat();
    // A part has no report.
    let with_rope = [&shard[..], &["--hierarchical", "--rope", "0.5"]].concat();
    for (arguments, variables, refusal) in [
        (&shard[..], &of_reports[..], None),
        (&status, &[host], None),
        (&["status"], &[store, ("LOTO_HOST", "")], None),
        // Nobody is there.
        (&["status", "--host", host.1], &[store], Some("127.0.0.1:1")),
        (
            &["status"],
            &[store, host],
            Some("LOTO_STORE and LOTO_HOST are both set"),
        ),
        (&with_host, &[], Some("cannot be used with")),
        (&with_rope, &[], Some("cannot be used with")),
    ] {
        let output = loto_in(&folder, arguments, variables);
        match refusal {
            None => assert!(output.status.success(), "{arguments:?}: {output:?}"),
            Some(message) => {
                let error = refusal_of("loto", &output);
                assert!(error.contains(message), "{arguments:?}: {error}");
            }
        }
    }
}

fn long_sweep(folder: &Folder) {
    let long = SWEEP.replacen("seeds = 2", "seeds = 800", 1);
    folder.write("sweep.toml", long);
}

/// Waits until the store holds a few traces, as another process sees it.
fn wait_until_under_way(folder: &Folder) {
    let store = folder.path("out/sweep.loto");
    let begin = Instant::now();
    loop {
        assert!(
            begin.elapsed() < Duration::from_secs(60),
            "the run does not begin"
        );
        let status = run(
            "loto",
            ["status", "small", "--store", store.to_str().unwrap()],
        );
        let text = String::from_utf8(status.stdout).unwrap();
        let done = text
            .split("): ")
            .nth(1)
            .and_then(|rest| rest.split(' ').next());
        if done.is_some_and(|done| done.parse::<u32>().unwrap() > 20) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_killed_run_goes_on_and_gives_the_same_traces() {
    let (killed, whole) = (small(), small());
    long_sweep(&killed);
    long_sweep(&whole);
    let mut process = Process::start(run_command(&killed));
    wait_until_under_way(&killed);
    process.kill();
    assert!(
        !killed.path("out/report.html").exists(),
        "it was too late to kill it"
    );
    assert_eq!(run_in(&killed).status.code(), Some(0));
    assert_eq!(run_in(&whole).status.code(), Some(0));
    let traces = outcomes(&killed.path("out"));
    assert_eq!(traces.len(), 1 + 2 * 2 * 800 * 6);
    assert_same(&traces, &outcomes(&whole.path("out")));
}

#[test]
fn an_interrupted_run_says_how_to_go_on() {
    let folder = small();
    long_sweep(&folder);
    let mut command = run_command(&folder);
    command.stderr(Stdio::piped());
    let mut process = Process::start(command);
    wait_until_under_way(&folder);
    process.terminate();
    let status = process.wait(Duration::from_secs(30));
    let mut error = String::new();
    let stderr = process.child().stderr.as_mut().unwrap();
    stderr.read_to_string(&mut error).unwrap();
    assert_eq!(status.code(), Some(130), "{error}");
    assert!(
        error.contains("the same command goes on from there"),
        "{error}"
    );
    assert_eq!(run_in(&folder).status.code(), Some(0));
}
