//! What other programs recorded and published: put beside a sweep, scored, imported.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use loto_tests::programs::command;
use loto_tests::python;
use loto_tests::small_sweep::Folder;

const SWEEP: &str = r#"
name = "small"
methods = ["rs", "gcp"]
seeds = 2
iterations = 4

[[blackbox]]
name = "B"
table = "table.csv"
objective = "metric_error"
"#;

/// The black box may be left out, seeds have any number, and the traces are longer than planned.
const RECORDED: &str = "\
task,optimizer,seed,iteration,value,hp_a,hp_b,seconds
one,theirs,11,0,0.50,0,0,0.5
one,theirs,11,1,0.10,5,2,0.25
one,theirs,11,2,0.75,2,1,0.25
one,theirs,11,3,0.20,3,1,0.25
one,theirs,11,4,0.90,4,2,0.25
one,theirs,12,0,0.90,4,2,0.5
one,theirs,12,1,0.20,3,1,0.25
one,theirs,12,2,0.25,1,0,0.25
one,theirs,12,3,0.10,5,2,0.25
two,theirs,11,0,0.30,0,0,0.5
two,theirs,11,1,0.35,1,0,0.25
two,theirs,11,2,0.65,2,1,0.25
two,theirs,11,3,0.15,3,1,0.25
two,theirs,12,0,0.80,4,2,0.5
two,theirs,12,1,0.15,3,1,0.25
two,theirs,12,2,0.40,5,2,0.25
two,theirs,12,3,0.65,2,1,0.25
";

fn loto(folder: &Path, arguments: &[&str]) -> Output {
    let mut loto = command("loto");
    loto.current_dir(folder).args(arguments);
    loto.output().unwrap()
}

fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = loto(folder, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &[&str]) -> String {
    let output = loto(folder, arguments);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
    assert!(
        error.starts_with("error: ") && !error.contains("panicked"),
        "{error}"
    );
    error
}

/// The lines of a gzipped CSV file by column.
fn lines(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut text = String::new();
    let file = fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(file)
        .read_to_string(&mut text)
        .unwrap();
    let mut lines = csv::Reader::from_reader(text.as_bytes());
    lines.deserialize().map(Result::unwrap).collect()
}

#[test]
fn recorded_traces_stand_beside_those_of_a_sweep() {
    let folder = Folder::with_sweep(SWEEP);
    done(
        folder.folder(),
        &["run", "sweep.toml", "--out", "out", "--jobs", "2"],
    );
    folder.write("recorded.csv", RECORDED);
    let report = [
        "report",
        "small",
        "--store",
        "out/sweep.loto",
        "--with",
        "recorded.csv",
        "--out",
        "joined",
    ];
    let text = done(folder.folder(), &report);
    for told in [
        "12 of 12 traces finished",
        "note: The traces of theirs were recorded elsewhere (recorded.csv) and checked against the tables.",
        "note: recorded.csv: Longer traces than planned were cut after 4 iterations: 1 trace of theirs on B.",
        "note: recorded.csv: The 2 seeds from 11 to 12 are counted from 0",
    ] {
        assert!(text.contains(told), "{told}: {text}");
    }
    let about = fs::read(folder.path("joined/about.json")).unwrap();
    let about: serde_json::Value = serde_json::from_slice(&about).unwrap();
    assert_eq!(about["blackboxes"][0]["table_name"], "table.csv", "{about}");
    let told: Vec<_> = about["methods"].as_array().unwrap().iter().collect();
    assert_eq!(told.len(), 3, "{about}");
    assert_eq!(told[2]["name"], "theirs");
    assert_eq!(told[2]["recorded_in"], "recorded.csv");
    assert!(
        told[2]["version"].is_null() && told[1]["version"].is_u64(),
        "{about}"
    );
    let traces = lines(&folder.path("joined/traces.csv.gz"));
    let theirs: Vec<_> = traces
        .iter()
        .filter(|line| line["method"] == "theirs")
        .collect();
    assert_eq!((traces.len(), theirs.len()), (3 * 2 * 2 * 4, 2 * 2 * 4));
    let second = &theirs[1];
    let fields = [
        "task",
        "seed",
        "iteration",
        "row",
        "value",
        "best",
        "seconds",
    ];
    assert_eq!(
        fields.map(|field| second[field].as_str()),
        ["one", "0", "2", "5", "0.1", "0.1", "0.25"]
    );

    // What the report wrote is read as it is: every trace again, beside the sweep's own.
    let again = [
        "report",
        "small",
        "--store",
        "out/sweep.loto",
        "--with",
        "joined/traces.csv.gz",
        "--with",
        "recorded.csv",
        "--out",
        "again",
    ];
    let text = done(folder.folder(), &again);
    assert!(text.contains("24 of 24 traces finished"), "{text}");
    let methods: std::collections::BTreeSet<String> = lines(&folder.path("again/traces.csv.gz"))
        .into_iter()
        .map(|mut line| line.remove("method").unwrap())
        .collect();
    let expected = [
        "gcp",
        "gcp (traces.csv.gz)",
        "rs",
        "rs (traces.csv.gz)",
        "theirs",
        "theirs (recorded.csv)",
    ];
    assert_eq!(methods.into_iter().collect::<Vec<_>>(), expected);
    let scored = done(
        folder.folder(),
        &[
            "score",
            "joined/traces.csv.gz",
            "--sweep",
            "sweep.toml",
            "--format",
            "csv",
        ],
    );
    assert_eq!(scored.lines().count(), 1 + 3, "{scored}");
}

#[test]
fn recorded_traces_that_do_not_fit_are_refused() {
    let folder = Folder::with_sweep(SWEEP);
    done(
        folder.folder(),
        &["run", "sweep.toml", "--out", "out", "--jobs", "2"],
    );
    for (find, replace, told) in [
        (
            "0.10,5,2",
            "0.10,5,9",
            "line 3: task `one` has no configuration with hp_a = 5, hp_b = 9",
        ),
        (
            "0.10,5,2",
            "0.11,5,2",
            "line 3: value is 0.11, but row 5 of task `one` has 0.1",
        ),
        (
            "one,theirs,11,1,",
            "three,theirs,11,1,",
            "line 3: task `three` is not a target",
        ),
        ("one,theirs,12,3,0.10,5,2,0.25\n", "", "it has 3 iterations"),
    ] {
        assert!(RECORDED.contains(find));
        folder.write("recorded.csv", RECORDED.replacen(find, replace, 1));
        let error = refused(
            folder.folder(),
            &[
                "report",
                "small",
                "--store",
                "out/sweep.loto",
                "--with",
                "recorded.csv",
                "--out",
                "none",
            ],
        );
        assert!(
            error.contains(told) && error.contains("recorded.csv"),
            "{told}: {error}"
        );
        assert!(!folder.path("none").exists());
    }
}

#[test]
fn results_of_hpob_are_scored_without_a_sweep() {
    let folder = Folder::with_sweep(SWEEP);
    folder.write(
        "a.json",
        r#"{"1": {"x": {"test0": [0, 0.5]}, "y": {"test0": [0.5, 1]}}}"#,
    );
    folder.write(
        "b.json",
        r#"{"1": {"x": {"test0": [0, 0.75]}, "y": {"test0": [0.5, 0.5]}}}"#,
    );
    let text = done(folder.folder(), &["score", "hpob", "a.json", "b.json"]);
    assert!(
        text.contains("HPO-B after 1 trial: 2 methods, 1 search space, 2 tasks"),
        "{text}"
    );
    let csv = done(
        folder.folder(),
        &["score", "hpob", "a.json", "b.json", "--format", "csv"],
    );
    assert!(csv.contains("\na,1.5,0.25,0.25,0.25,1.5,1,2\n"), "{csv}");
    let json = done(
        folder.folder(),
        &["score", "hpob", "a.json", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["methods"][0]["mean_regret_by_trial"][0], 0.75);
    folder.write("b.json", "{}");
    let error = refused(folder.folder(), &["score", "hpob", "a.json", "b.json"]);
    assert!(error.contains("b.json: it has no values"), "{error}");
    let error = refused(folder.folder(), &["score", "a.json"]);
    assert!(error.contains("loto score hpob FILES"), "{error}");
}

/// Two search spaces with rows of a simple rule.
fn hpob_folder(folder: &Folder) -> PathBuf {
    let data_set = |name: usize, rows: usize| {
        let number = |row: usize, by: usize| ((row * by + name) % 101) as f64 / 100.0;
        let rows = 0..rows;
        let x: Vec<String> = rows
            .clone()
            .map(|row| format!("[{}, {}]", number(row, 7), number(row, 13)))
            .collect();
        let y: Vec<String> = rows
            .map(|row| format!("[{}]", number(row, 29) / 2.0 + 0.3))
            .collect();
        format!(
            "\"{name}\": {{\"X\": [{}], \"y\": [{}]}}",
            x.join(", "),
            y.join(", ")
        )
    };
    let split = |names: [&[usize]; 2]| {
        let space = |names: &[usize]| {
            let data_sets: Vec<String> = names
                .iter()
                .map(|&name| data_set(name, 30 + name))
                .collect();
            data_sets.join(", ")
        };
        format!(
            "{{\"4796\": {{{}}}, \"5527\": {{{}}}}}",
            space(names[0]),
            space(names[1])
        )
    };
    let data = folder.path("hpob-data");
    fs::create_dir(&data).unwrap();
    fs::write(data.join("meta-test-dataset.json"), split([&[1, 2], &[3]])).unwrap();
    fs::write(
        data.join("meta-train-dataset.json"),
        split([&[4, 5, 6], &[7, 8]]),
    )
    .unwrap();
    data
}

#[test]
fn incumbents_on_imported_tables_are_those_of_the_files() {
    let Some(python) =
        python::interpreter_or_skip("incumbents_on_imported_tables_are_those_of_the_files")
    else {
        return;
    };
    let folder = Folder::with_sweep(SWEEP);
    let data = hpob_folder(&folder);
    let text = done(
        folder.folder(),
        &["import", "hpob", "hpob-data", "--out", "hpob"],
    );
    assert!(text.contains("imported to hpob/sweep.toml"), "{text}");
    let sweep = fs::read_to_string(folder.path("hpob/sweep.toml")).unwrap();
    let methods = r#"["rs", "gp", "cts", "gcp-prior"]"#;
    assert!(sweep.contains(methods), "{sweep}");
    let quick = sweep
        .replace(methods, r#"["rs"]"#)
        .replace("iterations = 3", "iterations = 2");
    fs::write(folder.path("hpob/sweep.toml"), quick).unwrap();
    done(
        folder.folder(),
        &["run", "hpob/sweep.toml", "--out", "out", "--jobs", "2"],
    );
    let script = python::repository().join("tests/python/hpob_incumbents.py");
    let mut check = Command::new(python);
    check
        .arg(script)
        .arg(data)
        .arg(folder.path("out/traces.csv.gz"));
    let output = check.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let counted = String::from_utf8(output.stdout).unwrap();
    // Three targets, five seeds, 20 to 33 evaluations each.
    assert!(counted.starts_with("compared "), "{counted}");
    let count: usize = counted
        .trim_start_matches("compared ")
        .trim()
        .parse()
        .unwrap();
    assert!(count >= 3 * 5 * 20, "{counted}");
}

#[test]
fn files_of_others_are_imported_and_run() {
    let folder = Folder::with_sweep(SWEEP);
    let table =
        loto_tests::small_sweep::TABLE.replace("hp_a,hp_b,metric_error,task", "a,b,loss,data");
    folder.write("runs.csv", table);
    let import = [
        "import", "csv", "runs.csv", "--task", "data", "--hp", "a,b", "--metric", "loss", "--out",
        "runs",
    ];
    let text = done(folder.folder(), &import);
    assert!(text.contains("`loto check runs/sweep.toml`"), "{text}");
    let checked = done(folder.folder(), &["check", "runs/sweep.toml"]);
    assert!(checked.contains("metric_loss, minimised"), "{checked}");
    let error = refused(folder.folder(), &import);
    assert!(error.contains("runs is there and not empty"), "{error}");
    let sample = python::repository().join("coordinator/src/table_files/samples/gzip.parquet");
    let sample = sample.to_str().unwrap();
    let import = [
        "import",
        "parquet",
        sample,
        "--metric",
        "metric_error",
        "--out",
        "net",
    ];
    let text = done(folder.folder(), &import);
    assert!(text.contains("gzip"), "{text}");
    let sweep = fs::read_to_string(folder.path("net/sweep.toml")).unwrap();
    assert!(sweep.contains("categorical = [\"hp_kind\"]"), "{sweep}");
    assert!(sweep.contains("\"hp_on\" = \"boolean\""), "{sweep}");
}

#[test]
fn repeated_measurements_are_imported_as_one_row() {
    let folder = Folder::with_sweep(SWEEP);
    let mut lines = loto_tests::small_sweep::TABLE.lines();
    let mut table = format!("{},repeat\n", lines.next().unwrap());
    for line in lines {
        table.push_str(&format!("{line},0\n{line},1\n"));
    }
    folder.write("runs.csv", table);
    let import = "import csv runs.csv --metric metric_error --out runs";
    let import: Vec<&str> = import.split(' ').collect();
    let error = refused(folder.folder(), &import);
    assert!(
        error.contains("line 3, column `task`") && error.contains("--seed"),
        "{error}"
    );
    let text = done(
        folder.folder(),
        &[&import[..], &["--seed", "repeat"]].concat(),
    );
    let rows = loto_tests::small_sweep::TABLE.lines().count() - 1;
    assert!(text.contains(&format!(" {rows} ")), "{text}");
    done(folder.folder(), &["check", "runs/sweep.toml"]);
}
