//! Each misbehaviour fails its own job, with an error that names the program, the message and its last words; nothing
//! is left of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use loto_proto::attempt::AttemptState;
use loto_tests::programs;
use loto_tests::small_sweep::Folder;
use loto_transport::store;

use crate::remains::TemporaryFolder;

/// Ways to misbehave, and parts of what is told of each.
const WAYS: [(&str, &[&str]); 18] = [
    (
        "never-ready",
        &["message `hello`", "did not answer within 1 s"],
    ),
    (
        "another-protocol",
        &["message `hello`", "version 2 of the protocol"],
    ),
    (
        "never-serves",
        &[
            "message `hello`",
            "exit status 0",
            "does it call loto.serve",
        ],
    ),
    (
        "no-start",
        &["message `start`", "did not answer within 1 s"],
    ),
    ("garbage", &["`next` of iteration 1", "`loading the data`"]),
    ("no-such-row", &["row 1000, but the target has rows 0 to 5"]),
    ("negative", &["`next` of iteration 1", "\"row\":-1"]),
    ("not-a-number", &["[NaN,0.5]"]),
    (
        "no-choice",
        &["within 1 s", "standard error: still thinking"],
    ),
    (
        "exits",
        &["exit status 3", "standard error: I have had enough"],
    ),
    ("is-killed", &["signal 11"]),
    (
        "closes-output",
        &["`next` of iteration 1", "it closed its standard output"],
    ),
    ("forks", &["exit status 4"]),
    ("eats-memory", &["exit status 5", "more than 102400 KiB"]),
    ("answers-twice", &["without being asked", "\"row\":1"]),
    ("answers-in-megabytes", &["more than 65536 bytes"]),
    ("reports", &["it reported: no idea"]),
    (
        "never-reads",
        &["message `start`", "did not answer within 1 s"],
    ),
];

/// Ways that a job survives.
const SURVIVED: [&str; 4] = [
    "floods-errors",
    "leaves-a-process",
    "fails-at-the-end",
    "ends-at-the-end",
];

fn section(name: &str, command: &str) -> String {
    format!(
        "[external.{name}]\ncommand = [{command}]\nfiles = [\"misbehave.sh\"]\n\
         start_deadline = {deadline}\nchoice_deadline = {deadline}\n",
        // A gigabyte takes its time.
        deadline = if name == "floods-errors" { 60 } else { 1 }
    )
}

#[tokio::test]
async fn each_misbehaviour_fails_its_own_job_and_leaves_nothing() {
    let names: Vec<&str> = WAYS.iter().map(|(name, _)| *name).collect();
    let methods: Vec<&str> = ["rs", "not-there"]
        .into_iter()
        .chain(names.iter().copied())
        .chain(SURVIVED)
        .collect();
    let mut sweep = format!(
        "name = \"misbehaviour\"\nmethods = {methods:?}\nseeds = 1\niterations = 1\n\
         [[blackbox]]\nname = \"B\"\ntable = \"table.csv\"\nobjective = \"metric_error\"\ntargets = [\"one\"]\n"
    );
    for name in names.iter().copied().chain(SURVIVED) {
        let _infallible = sweep.write_str(&section(
            name,
            &format!("\"sh\", \"misbehave.sh\", \"{name}\""),
        ));
    }
    sweep += &section("not-there", "\"no-such-program\", \"misbehave.sh\"");
    let folder = Folder::with_sweep(&sweep);
    folder.write("misbehave.sh", include_str!("misbehave.sh"));
    let temporary = TemporaryFolder::new();

    let mut run = programs::command("loto");
    run.env("TMPDIR", temporary.path());
    run.args(["run", "--jobs", "6", "--memory", "100", "--out"]);
    let output = run.arg(folder.path("out")).arg(folder.sweep()).output();
    let output = output.unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    temporary.assert_empties();

    let store = folder.path("out").join("sweep.loto");
    let store = store::open(store.to_str().unwrap()).await.unwrap();
    let id = store.sweeps().await.unwrap()[0];
    let sweep = store.sweep(id).await.unwrap().unwrap();
    let series: Vec<_> = sweep.series().collect();
    let ids: Vec<_> = series.iter().map(|series| series.id()).collect();
    let done = store.seeds_done(&ids).await.unwrap();
    let attempts = store.attempts(&ids).await.unwrap();
    let mut errors = BTreeMap::new();
    for ((series, done), attempts) in series.iter().zip(done).zip(attempts) {
        let name = series.method.label();
        if name == "rs" || SURVIVED.contains(&name) {
            assert_eq!(done, [0], "{name}: {attempts:?}");
            continue;
        }
        assert!(done.is_empty(), "{name}");
        assert_eq!(attempts[0].1.state, AttemptState::Poisoned, "{name}");
        errors.insert(name, attempts[0].1.clone());
    }
    assert_eq!(errors.len(), WAYS.len() + 1);
    let not_there: &[&str] = &[
        "(no-such-program misbehave.sh)",
        "message `hello`",
        "exit status 127",
        "cannot run `no-such-program`: No such file",
    ];
    for (name, expected) in WAYS.into_iter().chain([("not-there", not_there)]) {
        let error = &errors[name].error;
        assert!(error.contains(&format!("method `{name}`")), "{error}");
        for part in expected {
            assert!(error.contains(part), "{name}: `{part}` is not in {error}");
        }
    }
    assert_eq!(errors["reports"].backtrace, "line 7 of mine");
    assert_eq!(errors["exits"].backtrace.trim(), "I have had enough");
}
