use std::collections::BTreeSet;

use loto_proto::job::{MethodSpec, Series};
use loto_proto::table_spec::Categorical;

use super::*;
use crate::blobs::MemoryBlobs;
use crate::methods::{self, Spaces};

mod categorical;

/// Three tasks with a common shape on a numeric and a categorical hyperparameter.
fn table() -> (TableSpec, String) {
    let mut text = String::from("hp_x,hp_kind,metric_error,task\n");
    for (task, shift, scale) in [("one", 0.0, 1.0), ("two", 0.1, 50.0), ("three", 0.05, 7.0)] {
        for step in 0..60 {
            for (kind, penalty) in [("a", 0.0), ("b", 0.3)] {
                let x = f64::from(step) / 59.0;
                let error = scale * ((x - 0.3 - shift).powi(2) + penalty + 0.01 * (40.0 * x).sin());
                text.push_str(&format!("{x},{kind},{error},{task}\n"));
            }
        }
    }
    let columns = BTreeSet::from(["hp_kind".to_string()]);
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(columns),
    };
    (spec, text)
}

fn runner_and_table() -> (TraceRunner, Arc<MemoryBlobs>, Fingerprint) {
    let (spec, text) = table();
    runner_of(&spec, &text)
}

fn runner_of(spec: &TableSpec, text: &str) -> (TraceRunner, Arc<MemoryBlobs>, Fingerprint) {
    let fingerprint = spec.fingerprint(text.as_bytes());
    let blobs = Arc::new(MemoryBlobs::default());
    let name = fingerprint.blob_name();
    blobs
        .put(&name, &spec.encode_with(text.as_bytes()))
        .unwrap();
    (TraceRunner::new(blobs.clone()), blobs, fingerprint)
}

fn job(method: &str, table: Fingerprint, seed: u32) -> Job {
    let method = methods::find(method).unwrap();
    Job {
        series: Series {
            method: MethodSpec {
                id: method.id.into(),
                version: method.version,
                parameters: Default::default(),
            },
            table,
            task: "two".into(),
            iterations: 30,
        },
        seed,
    }
}

#[test]
fn every_method_gives_a_whole_trace_that_is_the_same_each_time() {
    let mixed = table();
    let mut categorical = table();
    categorical.0.categorical = Categorical::All;
    for method in methods::registry() {
        let (spec, text) = match method.spaces {
            Spaces::All => &mixed,
            Spaces::Categorical => &categorical,
        };
        let (runner, _, table) = runner_of(spec, text);
        let (again, _, _) = runner_of(spec, text);
        let job = job(method.id, table, 1);
        let trace = runner.run(&job).unwrap();
        assert_eq!(trace.rows.len(), 30);
        let distinct: BTreeSet<_> = trace.rows.iter().collect();
        assert_eq!(distinct.len(), 30, "{} repeats a row", method.id);
        assert_eq!(
            trace.first_difference(&again.run(&job).unwrap()),
            None,
            "{}",
            method.id
        );
        assert!(trace.linear_algebra.contains("OpenBLAS"));
    }
}

#[test]
fn methods_share_their_first_draws() {
    let (runner, _, table) = runner_and_table();
    let first = |method: &str| runner.run(&job(method, table, 2)).unwrap().rows[..5].to_vec();
    assert_eq!(first("rs"), first("gp"));
    assert_eq!(first("rs"), first("gcp"));
    assert_eq!(first("ts"), first("gp-prior"));
    assert_eq!(first("cts"), first("gcp-prior"));
    assert_ne!(first("rs"), first("cts"));
}

#[test]
fn a_prior_is_fitted_once_and_shared_through_the_store() {
    let (runner, blobs, table) = runner_and_table();
    runner.run(&job("cts", table, 0)).unwrap();
    let fitted = blobs.names().len();
    assert_eq!(fitted, 3, "the table, one prior and its error");
    let other = TraceRunner::new(blobs.clone());
    let shared = other.run(&job("gcp-prior", table, 0)).unwrap();
    assert_eq!(blobs.names().len(), fitted);
    let (alone, _, _) = runner_and_table();
    let alone = alone.run(&job("gcp-prior", table, 0)).unwrap();
    assert_eq!(shared.first_difference(&alone), None);
}

#[test]
fn learning_methods_beat_random_search() {
    let (runner, _, table) = runner_and_table();
    let mean_best = |method: &str| {
        let best = |seed| runner.run(&job(method, table, seed)).unwrap().best_so_far()[14];
        (0..10).map(best).sum::<f64>() / 10.0
    };
    let random = mean_best("rs");
    for method in ["gp", "gcp", "cts", "gcp-prior"] {
        let found = mean_best(method);
        assert!(found < random, "{method}: {found}, random search {random}");
    }
}

/// x of every row of a task, and whether its kind is `a`; the least row.
fn configurations(task: &str) -> (Vec<(f64, bool)>, usize) {
    let (_, text) = table();
    let fields = text
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>());
    let rows: Vec<_> = fields.filter(|fields| fields[3] == task).collect();
    let error = |row: usize| rows[row][2].parse::<f64>().unwrap();
    let least = (0..rows.len()).min_by(|&left, &right| error(left).total_cmp(&error(right)));
    let configuration = |fields: &Vec<&str>| (fields[0].parse().unwrap(), fields[1] == "a");
    (rows.iter().map(configuration).collect(), least.unwrap())
}

#[test]
fn autogp_exhausts_the_sources_box_before_it_leaves_it() {
    let (runner, _, table) = runner_and_table();
    let best = ["one", "three"].map(|task| {
        let (rows, best) = configurations(task);
        assert!(rows[best].1);
        rows[best].0
    });
    let (rows, _) = configurations("two");
    let inside = |row: u32| {
        let (x, is_a) = rows[row as usize];
        is_a && x >= best[0].min(best[1]) && x <= best[0].max(best[1])
    };
    let size = (0..120).filter(|&row| inside(row)).count();
    assert!((1..30).contains(&size), "{size}");
    let trace = runner.run(&job("autogp", table, 0)).unwrap();
    assert!(trace.rows[..size].iter().all(|&row| inside(row)));
    assert!(trace.rows[size..].iter().all(|&row| !inside(row)));
}

#[test]
fn ws_gp_turns_to_the_sources_best_after_one_random_row() {
    let (runner, _, table) = runner_and_table();
    let (rows, _) = configurations("two");
    for seed in 0..5 {
        let trace = runner.run(&job("ws-gp", table, seed)).unwrap();
        let random = runner.run(&job("rs", table, seed)).unwrap();
        assert_eq!(trace.rows[0], random.rows[0]);
        let (x, is_a) = rows[trace.rows[1] as usize];
        assert!(is_a && (x - 0.33).abs() < 0.2, "{x}");
    }
}

#[test]
fn impossible_jobs_say_why() {
    let (runner, _, table) = runner_and_table();
    let message = |job: &Job| runner.run(job).unwrap_err().to_string();
    let mut unknown = job("rs", table, 0);
    unknown.series.task = "four".into();
    assert!(message(&unknown).contains("no task `four`"));
    let mut long = job("rs", table, 0);
    long.series.iterations = 121;
    assert!(message(&long).contains("has 120 rows"));
    let missing = job("rs", Fingerprint([9; 16]), 0);
    assert!(message(&missing).contains("not in the store"));
}
