//! Jobs, traces and sweeps made up for tests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::trace::Trace;

/// A method without parameters.
pub fn method(id: &str) -> MethodSpec {
    MethodSpec {
        name: None,
        id: id.into(),
        version: 1,
        parameters: BTreeMap::new(),
        program: None,
    }
}

/// A series on a table that does not exist.
pub fn series(task: &str) -> Series {
    Series {
        method: method("rs"),
        table: Fingerprint([5; 16]),
        task: task.into(),
        iterations: 3,
    }
}

/// A job of that series.
pub fn job(task: &str, seed: u32) -> Job {
    Job {
        series: series(task),
        seed,
    }
}

/// A trace that differs from seed to seed.
pub fn trace(seed: u32) -> Trace {
    Trace {
        rows: vec![seed, seed + 1, seed + 2],
        values: vec![0.5, 0.1 + f64::from(seed), -0.25],
        further_values: Vec::new(),
        microseconds: vec![3, 2, 1],
        preparation_microseconds: 7,
        linear_algebra: "OpenBLAS 0 on this host".into(),
        program: Default::default(),
    }
}

/// A sweep of that many seeds.
pub fn sweep(name: &str, seeds: u32) -> Sweep {
    Sweep {
        name: name.into(),
        blackboxes: vec![Blackbox {
            name: "box".into(),
            table: Fingerprint([5; 16]),
            table_file: None,
            targets: vec!["one".into(), "two".into()],
            iterations: 3,
            protocol: Default::default(),
            cost: None,
            methods: vec![method("rs"), method("gp")],
        }],
        seeds,
    }
}

/// The table that is compiled into `loto`, as a file.
pub fn built_in_table() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../coordinator/sweeps/svm-sklearn.csv.zip")
}

/// A sweep file on that table.
pub fn built_in_sweep(
    name: &str,
    methods: &[&str],
    targets: &[&str],
    seeds: usize,
    iterations: usize,
) -> String {
    let table = built_in_table();
    format!(
        "name = \"{name}\"\n\
         methods = {methods:?}\n\
         seeds = {seeds}\n\
         iterations = {iterations}\n\
         [[blackbox]]\n\
         name = \"SVM\"\n\
         table = {table:?}\n\
         objective = \"metric_error\"\n\
         targets = {targets:?}\n"
    )
}
