//! A sweep of made-up tables and traces with a known order of the methods.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::Store;

/// How large the sweep is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) blackboxes: usize,
    pub(crate) tasks: usize,
    pub(crate) methods: usize,
    pub(crate) seeds: u32,
    pub(crate) iterations: u32,
}

/// A sweep with its tables. Black boxes are `box0`, `box1`, ..., the tasks of `box0`
/// `box0-task0`, ..., the methods `rs`, `m1`, `m2`, ...: `rs` draws from all rows,
/// `m1` from the better half of them, `m2` from the best third, and so on.
pub(crate) struct SampleSweep {
    pub(crate) sweep: Sweep,
    tables: Vec<Vec<u8>>,
    rows: usize,
    /// Rows by ascending objective value, by task.
    best_rows: BTreeMap<String, Vec<usize>>,
}

impl SampleSweep {
    pub(crate) fn new(shape: Shape) -> Self {
        let rows = shape.iterations as usize * shape.methods * 2 + 1;
        let spec = spec();
        let mut tables = Vec::new();
        let mut best_rows = BTreeMap::new();
        let blackboxes = (0..shape.blackboxes).map(|number| {
            let name = format!("box{number}");
            let targets = (0..shape.tasks).map(|task| format!("{name}-task{task}"));
            let targets: Vec<String> = targets.collect();
            let mut csv = String::from("task,hp_x,metric_error\n");
            for task in &targets {
                for row in 0..rows {
                    csv.push_str(&format!("{task},{row},{}\n", objective(task, row)));
                }
                let mut order: Vec<usize> = (0..rows).collect();
                order.sort_by(|&a, &b| objective(task, a).total_cmp(&objective(task, b)));
                best_rows.insert(task.clone(), order);
            }
            let table = spec.fingerprint(csv.as_bytes());
            tables.push(spec.encode_with(csv.as_bytes()));
            let methods = (0..shape.methods).map(|method| MethodSpec {
                name: None,
                id: if method == 0 {
                    "rs".into()
                } else {
                    format!("m{method}")
                },
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            });
            Blackbox {
                name,
                table,
                table_file: None,
                targets,
                iterations: shape.iterations,
                protocol: Default::default(),
                cost: None,
                methods: methods.collect(),
            }
        });
        let blackboxes = blackboxes.collect();
        Self {
            sweep: Sweep {
                name: "sample".into(),
                blackboxes,
                seeds: shape.seeds,
            },
            tables,
            rows,
            best_rows,
        }
    }

    /// Puts the tables and the plan into a store.
    pub(crate) async fn submit(&self, store: &dyn Store) -> Result<(), TransportError> {
        for (blackbox, table) in self.sweep.blackboxes.iter().zip(&self.tables) {
            store
                .put_blob(&format!("table:{}", blackbox.table), table)
                .await?;
        }
        store.put_sweep(&self.sweep).await?;
        Ok(())
    }

    /// Puts the traces of those jobs into a store.
    pub(crate) async fn run(
        &self,
        store: &dyn Store,
        jobs: impl IntoIterator<Item = Job>,
    ) -> Result<(), TransportError> {
        for job in jobs {
            store.put_trace(&job, &self.trace(&job)).await?;
        }
        Ok(())
    }

    /// The trace of a job.
    pub(crate) fn trace(&self, job: &Job) -> Trace {
        let series = &job.series;
        let quality = match series.method.id.strip_prefix('m') {
            Some(number) => number.parse().map_or(1, |number: usize| number + 1),
            None => 1,
        };
        let best_rows = &self.best_rows[&series.task][..self.rows / quality];
        let start = scramble(&series.task, job.seed as usize) as usize % best_rows.len();
        // Consecutive places from a start that depends on the seed, spread over the whole range.
        let stride = best_rows.len() / series.iterations as usize;
        let rows = (0..series.iterations as usize).map(|iteration| {
            let place = (start + iteration * stride) % best_rows.len();
            best_rows[place] as u32
        });
        let rows: Vec<u32> = rows.collect();
        let values = rows
            .iter()
            .map(|&row| objective(&series.task, row as usize));
        Trace {
            values: values.collect(),
            further_values: Vec::new(),
            microseconds: rows.iter().map(|row| row + 1).collect(),
            rows,
            preparation_microseconds: 1000,
            linear_algebra: "none".into(),
            program: Default::default(),
        }
    }
}

/// What the tables' sweep file would declare.
fn spec() -> TableSpec {
    TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(BTreeSet::new()),
        ..TableSpec::default()
    }
}

/// The objective value of a row: between 0 and 1, distinct, in no order.
pub(crate) fn objective(task: &str, row: usize) -> f64 {
    scramble(task, row) as f64 / 2f64.powi(52)
}

/// A number below 2^52 that looks random (the finaliser of SplitMix64).
fn scramble(task: &str, number: usize) -> u64 {
    let mut hash = task.bytes().fold(number as u64 + 1, |hash, byte| {
        hash.wrapping_mul(31).wrapping_add(byte.into())
    });
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash ^ (hash >> 31)) >> 12
}
