//! Every method that fits nothing costly, on tables of strange numbers and on streams of their tasks.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::Arc;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use loto_engine::blobs::MemoryBlobs;
use loto_engine::methods;
use loto_engine::methods::stand_in::for_stream;
use loto_engine::runner::TraceRunner;
use loto_fuzz::check_error;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::protocol::{ALL_TASKS, Protocol};
use loto_proto::table_spec::{Categorical, TableSpec};

/// Networks take seconds to train; what they are trained on is the same.
const METHODS: [&str; 10] = [
    "rs",
    "gp",
    "gcp",
    "autogp",
    "ws-gp",
    "sgpt",
    "sgpt-copula",
    "bohb",
    "rea",
    "reinforce",
];

#[derive(Arbitrary, Debug)]
struct Input {
    method: u8,
    categorical: bool,
    stream: bool,
    seed: u32,
    iterations: u8,
    rows: Vec<(u8, Value, Value, Value)>,
}

#[derive(Arbitrary, Debug)]
enum Value {
    Small(i8),
    Any(f64),
    Scaled(i8, i8),
}

impl Value {
    fn number(&self) -> f64 {
        match self {
            Self::Small(number) => f64::from(*number),
            Self::Any(number) if number.abs() <= 1e100 => *number,
            Self::Any(_) => 0.0,
            Self::Scaled(number, exponent) => {
                f64::from(*number) * 10f64.powi(i32::from(*exponent) * 97 / 128)
            }
        }
    }
}

fuzz_target!(|input: Input| {
    let mut table = String::from("task,hp_a,hp_b,metric\n");
    let mut seen = BTreeSet::new();
    let mut tasks = BTreeSet::new();
    for (task, a, b, objective) in input.rows.iter().take(40) {
        let (task, a, b) = (task % 3, a.number(), b.number());
        let row = format!("{task},{a:e},{b:e}");
        if seen.insert(row.clone()) {
            tasks.insert(task);
            writeln!(table, "{row},{:e}", objective.number()).unwrap();
        }
    }
    let spec = TableSpec {
        objective: "metric".into(),
        categorical: match input.categorical {
            true => Categorical::All,
            false => Categorical::Columns(BTreeSet::new()),
        },
        protocol: match input.stream {
            true => Protocol::Stream,
            false => Protocol::LeaveOneOut,
        },
        ..TableSpec::default()
    };
    let fingerprint = spec.fingerprint(table.as_bytes());
    let blob = (fingerprint.blob_name(), spec.encode_with(table.as_bytes()));
    let runner = TraceRunner::new(Arc::new(MemoryBlobs::from_iter([blob])));
    let id = METHODS[usize::from(input.method) % METHODS.len()];
    let method = MethodSpec {
        name: None,
        id: id.into(),
        version: methods::find(id).unwrap().version,
        parameters: BTreeMap::new(),
        program: None,
    };
    let on_task = u32::from(input.iterations % 12) + 1;
    let job = Job {
        series: Series {
            method: match input.stream {
                true => for_stream(method).unwrap(),
                false => method,
            },
            table: fingerprint,
            task: if input.stream { ALL_TASKS } else { "0" }.into(),
            iterations: match input.stream {
                true => on_task * tasks.len().max(1) as u32,
                false => on_task,
            },
        },
        seed: input.seed,
    };
    match runner.run(&job) {
        Ok(trace) => {
            assert_eq!(trace.rows.len(), job.series.iterations as usize);
            for rows in trace.rows.chunks(on_task as usize) {
                let distinct: BTreeSet<_> = rows.iter().collect();
                assert_eq!(distinct.len(), on_task as usize);
            }
            assert!(trace.values.iter().all(|value| value.is_finite()));
            let again = runner.run(&job).unwrap();
            assert_eq!(again.first_difference(&trace), None);
        }
        Err(error) => check_error(error),
    }
});
