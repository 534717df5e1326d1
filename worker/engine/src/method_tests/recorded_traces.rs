//! The committed hash of one trace per method: a trace that changes needs a new version of its
//! method, so that old traces are not mixed with new ones.
//!
//! Traces depend on the kernels of OpenBLAS, and on its version. So the test runs itself anew with
//! the kernels pinned, and hashes of another version of the library are not compared.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

use loto_proto::identity::{ContentHasher, Fingerprint};
use loto_proto::job::{Job, Series};

use super::example::{Example, SEED, TARGET, method_spec};
use crate::blas::{self, pinned_test::is_pinned};
use crate::blobs::MemoryBlobs;
use crate::methods;
use crate::runner::TraceRunner;

const ITERATIONS: u32 = 40;

const TEST: &str = "method_tests::recorded_traces::no_trace_changes_within_a_version";

/// The recorded lines: what the library calls itself, then `method version hash`.
fn recorded() -> (&'static str, BTreeMap<&'static str, (u32, &'static str)>) {
    let mut lines = include_str!("recorded_traces.txt").lines();
    let library = lines.next().unwrap();
    let entry = |line: &'static str| {
        let [method, version, hash] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("recorded_traces.txt: `{line}` is not `method version hash`");
        };
        (method, (version.parse().unwrap(), hash))
    };
    (library, lines.map(entry).collect())
}

fn hash(rows: &[u32]) -> String {
    let mut hasher = ContentHasher::new("rows of a recorded trace");
    for &row in rows {
        hasher.number(row.into());
    }
    Fingerprint(hasher.finish_identifier()).to_string()
}

/// The hash of each method's trace, with the method's version.
fn computed() -> BTreeMap<&'static str, (u32, String)> {
    let new_runner =
        |example: &Example| TraceRunner::new(Arc::new(MemoryBlobs::from_iter([example.blob()])));
    // Methods share fits as far as they search the same table.
    let mut runners = BTreeMap::new();
    let recorded_trace = |method: &'static methods::Method| {
        let example = Example::of(method);
        let table = example.table();
        let runner = runners
            .entry(table.fingerprint.to_string())
            .or_insert_with(|| new_runner(&example));
        let series = Series {
            method: method_spec(method.id, &[]),
            table: table.fingerprint,
            task: table.tasks[TARGET].name.clone(),
            iterations: ITERATIONS,
        };
        let trace = runner.run(&Job { series, seed: SEED }).unwrap();
        (method.id, (method.version, hash(&trace.rows)))
    };
    methods::registry().iter().map(recorded_trace).collect()
}

/// Names on the terminal, and to `make test`, that the hashes were not compared.
fn note_skipped(reason: &str) {
    let line = format!("skipped: {TEST} ({reason})\n");
    let _ = std::io::stderr().write_all(line.as_bytes());
    if let Some(log) = std::env::var_os("LOTO_SKIPPED_LOG") {
        let mut options = std::fs::OpenOptions::new();
        let log = options.create(true).append(true).open(log);
        log.unwrap().write_all(line.as_bytes()).unwrap();
    }
}

#[test]
fn no_trace_changes_within_a_version() {
    if !is_pinned(TEST) {
        return;
    }
    let (recorded_library, recorded) = recorded();
    let library = blas::single_threaded();
    let mut changed = Vec::new();
    for (method, (version, hash)) in computed() {
        let advice = match recorded.get(method) {
            Some(&(old, expected)) if old == version && expected == hash => continue,
            Some(&(old, _)) if old == version => {
                "the rows changed: raise the version, or find the bug; then the line is"
            }
            _ => "no trace of this version is recorded: the line is",
        };
        changed.push(format!("{method}: {advice} `{method} {version} {hash}`"));
    }
    let gone = recorded.keys().filter(|id| methods::find(id).is_err());
    changed.extend(gone.map(|id| format!("{id}: there is no such method any more")));
    if changed.is_empty() {
        return;
    }
    let changed = changed.join("\n");
    if library == recorded_library {
        panic!("recorded_traces.txt, with {library}:\n{changed}");
    }
    note_skipped(&format!(
        "recorded with {recorded_library}, this is {library}; there:\n{changed}"
    ));
}
