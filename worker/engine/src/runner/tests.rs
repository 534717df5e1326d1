use std::collections::BTreeSet;

use loto_proto::job::{MethodSpec, Series};
use loto_proto::table_spec::{Categorical, Features};

use super::evaluation::MEASUREMENTS;
use super::*;
use crate::blobs::MemoryBlobs;
use crate::methods::{self, Spaces};

mod categorical;
mod declarations;
mod initial;
mod objectives;
mod public_tables;
mod repeats;
mod stream;
mod unit_of_objective;

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
        ..TableSpec::default()
    };
    (spec, text)
}

/// A table as methods for such spaces take it: all columns categorical, tasks with a feature, or a second objective.
fn suited((spec, text): (TableSpec, String), spaces: Spaces) -> (TableSpec, String) {
    match spaces {
        Spaces::All => (spec, text),
        Spaces::Categorical => {
            let categorical = Categorical::All;
            (
                TableSpec {
                    categorical,
                    ..spec
                },
                text,
            )
        }
        Spaces::WithFeatures => {
            let feature = |line: &str| match line.split(',').nth(3) {
                Some("one") => "1",
                Some("two") => "2",
                Some("three") => "5",
                _ => "dataset_size",
            };
            let lines = text
                .lines()
                .map(|line| format!("{line},{}\n", feature(line)));
            let features = Features::All;
            (TableSpec { features, ..spec }, lines.collect())
        }
        Spaces::OfTwoObjectives => {
            let time = |(number, line): (usize, &str)| match number {
                0 => format!("{line},metric_time\n"),
                number => format!("{line},{}\n", 1 + number * 29 % 97),
            };
            let further_objectives = vec!["metric_time".into()];
            (
                TableSpec {
                    further_objectives,
                    ..spec
                },
                text.lines().enumerate().map(time).collect(),
            )
        }
    }
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
                name: None,
                id: method.id.into(),
                version: method.version,
                parameters: Default::default(),
                program: None,
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
    let runners = |spaces| {
        let (spec, text) = suited(table(), spaces);
        [(); 2].map(|()| runner_of(&spec, &text))
    };
    let [mixed, categorical, described, of_two] = [
        Spaces::All,
        Spaces::Categorical,
        Spaces::WithFeatures,
        Spaces::OfTwoObjectives,
    ]
    .map(runners);
    for method in methods::registry() {
        let [(runner, _, table), (again, _, _)] = match method.spaces {
            Spaces::All => &mixed,
            Spaces::Categorical => &categorical,
            Spaces::WithFeatures => &described,
            Spaces::OfTwoObjectives => &of_two,
        };
        let job = job(method.id, *table, 1);
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

/// On public tables every method has a floor: `tests/tests/score_floors.rs`.
#[test]
fn learning_methods_beat_random_search() {
    const SEEDS: u32 = 20;
    let (runner, _, table) = runner_and_table();
    let best =
        |method: &str, seed| runner.run(&job(method, table, seed)).unwrap().best_so_far()[14];
    for method in ["gp", "gcp", "autogp", "ws-gp"] {
        // Both begin with the same rows, so their differences are compared.
        let differences: Vec<f64> = (0..SEEDS)
            .map(|seed| best(method, seed) - best("rs", seed))
            .collect();
        let count = f64::from(SEEDS);
        let mean = differences.iter().sum::<f64>() / count;
        let squares: f64 = differences.iter().map(|d| (d - mean).powi(2)).sum();
        let standard_error = (squares / (count - 1.0) / count).sqrt();
        assert!(
            mean < -2.0 * standard_error,
            "{method}: {mean} +- {standard_error}"
        );
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
