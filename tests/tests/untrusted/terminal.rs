//! No text of others commands a terminal or passes for a line of ours, whichever command shows it.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Output;

use flate2::read::{GzDecoder, ZlibDecoder};
use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::job::Job;
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_proto::trace::Trace;
use loto_proto::untrusted_text::is_hazardous;
use loto_tests::programs;
use loto_tests::samples::method;
use loto_tests::small_sweep::{Folder, TABLE};
use loto_transport::store::{self, Store};

/// Sets the clipboard, clears the screen in two ways, fakes a line, reverses and hides.
const HOSTILE: &str =
    "x\x1b]52;c;cm0=\x07\n100 of 100 done\r\x1b[2J\u{9b}2J\u{202e}\u{200b}\u{feff}\x7f\ty";

const SWEEP: &str = r#"
name = "NAME"
methods = ["rs"]
seeds = 1
iterations = 2

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

/// A table with a hostile task and one with the name of a formula.
fn hostile_table() -> String {
    let named = TABLE.replace(",one", &format!(",\"{HOSTILE}\""));
    named.replace(",two", ",=1+1")
}

/// A store as an earlier release could have made it: every name and text in it is hostile.
async fn fill(path: &Path) {
    let store = store::open(path.to_str().unwrap()).await.unwrap();
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(Default::default()),
        ..TableSpec::default()
    };
    let table = hostile_table();
    let fingerprint = spec.fingerprint(table.as_bytes());
    let blob = spec.encode_with(table.as_bytes());
    store
        .put_blob(&fingerprint.blob_name(), &blob)
        .await
        .unwrap();
    let sweep = |name: &str, seeds| Sweep {
        name: name.into(),
        blackboxes: vec![Blackbox {
            name: format!("={HOSTILE}"),
            table: fingerprint,
            table_file: None,
            targets: vec![HOSTILE.into(), "=1+1".into()],
            iterations: 2,
            protocol: Default::default(),
            cost: None,
            methods: vec![method("rs"), method("gp")],
        }],
        seeds,
    };
    let hostile = sweep(HOSTILE, 1);
    // Shares its jobs, which a cancellation names.
    let other = sweep(&format!("other {HOSTILE}"), 2);
    for recorded in [&hostile, &other] {
        store.put_sweep(recorded).await.unwrap();
    }
    for job in hostile.jobs() {
        end(store.as_ref(), &job).await;
    }
}

/// Stores a trace of random search, and what is known of a job that failed.
async fn end(store: &dyn Store, job: &Job) {
    if job.series.method.id == "rs" {
        let first = if job.series.task == HOSTILE { 0.5 } else { 0.3 };
        let second = if job.series.task == HOSTILE {
            0.25
        } else {
            0.35
        };
        let trace = Trace {
            rows: vec![0, 1],
            values: vec![first, second],
            further_values: Vec::new(),
            microseconds: vec![1, 1],
            preparation_microseconds: 1,
            linear_algebra: HOSTILE.into(),
            program: Default::default(),
        };
        store.put_trace(job, &trace).await.unwrap();
        store.put_conflict(job, HOSTILE).await.unwrap();
        return;
    }
    let attempt = Attempt {
        count: 3,
        failures: 3,
        state: AttemptState::Poisoned,
        token: String::new(),
        worker: format!("host{HOSTILE}"),
        error: HOSTILE.into(),
        backtrace: format!("at line 1\n{HOSTILE}"),
    };
    let nothing = AttemptVersion::default();
    store.put_attempt(job, &nothing, &attempt).await.unwrap();
}

#[track_caller]
fn assert_harmless(what: &str, bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).unwrap();
    let hazard = text.chars().find(|&c| c != '\n' && is_hazardous(c));
    assert_eq!(hazard, None, "{what}: {text:?}");
    let fake = text.lines().find(|line| line.starts_with("100 of 100"));
    assert_eq!(fake, None, "{what}: {text}");
}

fn run(store: &Path, arguments: &[&str]) -> Output {
    let mut command = programs::command("loto");
    command.args(arguments).arg("--store").arg(store);
    command.output().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_command_passes_on_what_commands_a_terminal() {
    let folder = Folder::with_sweep(SWEEP);
    let store = folder.path("old.loto");
    fill(&store).await;
    let out = folder.path("out").display().to_string();
    let commands: [(&[&str], i32); 13] = [
        (&["status"], 0),
        (&["status", HOSTILE], 0),
        (&["status", HOSTILE, "--backtraces"], 0),
        (&["status", "x\x1b[2J\nnobody"], 2),
        (&["report", HOSTILE], 0),
        (&["report", HOSTILE, "--format", "json"], 0),
        (&["report", HOSTILE, "--format", "csv"], 0),
        (&["report", HOSTILE, "--format", "html"], 0),
        (&["report", HOSTILE, "--out", &out], 0),
        (&["watch", HOSTILE], 1),
        (&["watch", HOSTILE, "--log-format", "json"], 1),
        (&["cancel", HOSTILE], 0),
        (&["watch", HOSTILE], 1),
    ];
    for (arguments, status) in commands {
        let output = run(&store, arguments);
        let both = [output.stdout.as_slice(), b"\n", &output.stderr].concat();
        let text = String::from_utf8_lossy(&both);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
        assert_harmless(&format!("{arguments:?}"), &both);
    }
    // It is shown, not left out.
    let status = String::from_utf8(run(&store, &["status", HOSTILE]).stdout).unwrap();
    for part in [
        "x\\x1b]52;c;cm0=\\x07\\n100 of 100 done\\r\\x1b[2J\\u{9b}2J\\u{202e}\\u{200b}\\u{feff}\\x7f\\ty",
        "poisoned",
        "conflicts",
        "host",
    ] {
        assert!(status.contains(part), "no `{part}` in {status}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_of_a_report_command_neither_a_terminal_nor_a_spreadsheet() {
    let folder = Folder::with_sweep(SWEEP);
    let store = folder.path("old.loto");
    fill(&store).await;
    let out = folder.path("out");
    let report = ["report", HOSTILE, "--out", out.to_str().unwrap()];
    assert!(run(&store, &report).status.success());
    let mut files = 0;
    for place in [out.clone(), out.join("charts")] {
        for entry in fs::read_dir(place).unwrap() {
            let path = entry.unwrap().path();
            if !path.is_file() {
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            if path.extension().is_some_and(|end| end == "gz") {
                let packed = std::mem::take(&mut bytes);
                std::io::copy(&mut GzDecoder::new(packed.as_slice()), &mut bytes).unwrap();
            }
            if path.extension().is_some_and(|end| end == "pdf") {
                // Its texts have one byte per character.
                let is_control = |byte: &&u8| byte.is_ascii_control() && **byte != b'\n';
                let unpacked = unpacked_pdf(&bytes);
                assert_eq!(unpacked.iter().find(is_control), None, "{path:?}");
            } else {
                assert_harmless(&path.display().to_string(), &bytes);
            }
            files += 1;
        }
    }
    assert!(files > 5, "{files} files");
    for name in ["scores.csv", "scores_by_task.csv"] {
        let mut reader = csv::Reader::from_path(out.join(name)).unwrap();
        for record in reader.records() {
            for cell in &record.unwrap() {
                let is_number = cell.parse::<f64>().is_ok();
                let begins_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']);
                assert!(is_number || !begins_formula, "{name}: {cell}");
            }
        }
    }
    let tasks = fs::read_to_string(out.join("scores_by_task.csv")).unwrap();
    assert!(tasks.contains(",'=1+1,rs,"), "{tasks}");
    // The same names as before, for programs.
    let statistics = fs::read(out.join("statistics.json")).unwrap();
    let statistics: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
    assert_eq!(statistics["name"], HOSTILE);
}

/// A file in PDF with its compressed streams unpacked.
fn unpacked_pdf(mut bytes: &[u8]) -> Vec<u8> {
    let position = |bytes: &[u8], part: &[u8]| bytes.windows(part.len()).position(|it| it == part);
    let (begin, end) = (b">>\nstream\n", b"\nendstream");
    let mut unpacked = Vec::new();
    while let Some(place) = position(bytes, begin) {
        let (head, rest) = bytes.split_at(place + begin.len());
        let (packed, rest) = rest.split_at(position(rest, end).unwrap());
        unpacked.extend(head);
        ZlibDecoder::new(packed).read_to_end(&mut unpacked).unwrap();
        bytes = rest;
    }
    assert!(!unpacked.is_empty(), "there is no stream");
    unpacked.extend(bytes);
    unpacked
}

#[test]
fn such_names_are_refused_where_they_are_made() {
    let folder = Folder::with_sweep(&SWEEP.replace("NAME", "a\u{202e}b"));
    let refusal = |arguments: &[&str]| {
        let mut command = programs::command("loto");
        let output = command
            .args(arguments)
            .current_dir(folder.folder())
            .output();
        let output = output.unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        assert_harmless(&format!("{arguments:?}"), &output.stderr);
        String::from_utf8(output.stderr).unwrap()
    };
    let sweep = folder.sweep().display().to_string();
    for command in ["check", "run"] {
        let told = refusal(&[command, &sweep]);
        let expected = "sweep.toml: line 2, name: character 2 of the name is U+202E";
        assert!(told.contains(expected), "{told}");
    }
    folder.write("sweep.toml", SWEEP);
    folder.write("table.csv", hostile_table());
    for command in ["check", "run"] {
        let told = refusal(&[command, &sweep]);
        let expected = "table.csv: line 2, column `task`: character 2 of the name is U+001B";
        assert!(told.contains(expected), "{told}");
    }
    folder.write("table.csv", TABLE);
    let header = "task,optimizer,seed,iteration,value,blackbox\n";
    folder.write(
        "traces.csv",
        format!("{header}one,\"r\x1b[2J\",0,1,0.5,B\n"),
    );
    let traces = folder.path("traces.csv").display().to_string();
    let told = refusal(&["score", &traces, "--sweep", &sweep]);
    assert!(told.contains("line 2") && told.contains("U+001B"), "{told}");
}
