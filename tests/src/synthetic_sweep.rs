//! A sweep of made-up tables and traces, as large as wanted.

use std::collections::{BTreeMap, BTreeSet};

use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::table_spec::{Categorical, TableSpec};
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::store::Store;

/// How large the sweep is: `METHODSxTASKSxSEEDSxITERATIONS`.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Number of methods, at least two.
    pub methods: usize,
    /// Number of target tasks of its one black box.
    pub tasks: usize,
    /// Number of seeds.
    pub seeds: u32,
    /// Number of evaluations in a trace.
    pub iterations: u32,
}

impl Shape {
    /// Reads the four numbers, if they are.
    pub fn parse(text: &str) -> Option<Self> {
        let numbers: Option<Vec<u32>> = text.split('x').map(|part| part.parse().ok()).collect();
        let &[methods, tasks, seeds, iterations] = numbers?.as_slice() else {
            return None;
        };
        let shape = Self {
            methods: methods as usize,
            tasks: tasks as usize,
            seeds,
            iterations,
        };
        (methods > 1 && tasks > 0 && seeds > 0 && iterations > 0).then_some(shape)
    }

    /// Number of methods times tasks.
    pub fn series(self) -> usize {
        self.methods * self.tasks
    }

    /// Number of traces.
    pub fn traces(self) -> u64 {
        self.series() as u64 * u64::from(self.seeds)
    }

    /// Rows per task: so many as keep the table below a million, but enough for the traces.
    fn rows(self) -> usize {
        (1_000_000 / self.tasks)
            .clamp(500, 5000)
            .max(3 * self.iterations as usize)
    }
}

/// The sweep with its table. The first method draws from all rows of a task, the last
/// from the better half of them, and those between from parts between.
pub struct SyntheticSweep {
    /// The plan.
    pub sweep: Sweep,
    shape: Shape,
    table: Vec<u8>,
    /// By task: rows by ascending objective value, with the value.
    best_rows: Vec<Vec<(u32, f64)>>,
    positions: BTreeMap<String, usize>,
}

impl SyntheticSweep {
    /// A sweep of this shape that plans `spare_seeds` more.
    pub fn new(shape: Shape, spare_seeds: u32) -> Self {
        let spec = TableSpec {
            objective: "metric_error".into(),
            categorical: Categorical::Columns(BTreeSet::new()),
            ..TableSpec::default()
        };
        let mut csv = String::from("task,hp_x,metric_error\n");
        let mut best_rows = Vec::with_capacity(shape.tasks);
        let targets: Vec<String> = (0..shape.tasks)
            .map(|task| format!("task-{task}"))
            .collect();
        for (position, task) in targets.iter().enumerate() {
            let mut rows: Vec<(u32, f64)> = (0..shape.rows() as u32)
                .map(|row| (row, objective(position, row)))
                .collect();
            for (row, value) in &rows {
                csv.push_str(&format!("{task},{row},{value}\n"));
            }
            rows.sort_by(|(_, one), (_, other)| one.total_cmp(other));
            best_rows.push(rows);
        }
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
        let positions = targets.iter().cloned().zip(0..).collect();
        let blackbox = Blackbox {
            name: "synthetic".into(),
            table: spec.fingerprint(csv.as_bytes()),
            table_file: None,
            targets,
            iterations: shape.iterations,
            protocol: Default::default(),
            cost: None,
            methods: methods.collect(),
        };
        Self {
            sweep: Sweep {
                name: "synthetic".into(),
                blackboxes: vec![blackbox],
                seeds: shape.seeds + spare_seeds,
            },
            shape,
            table: spec.encode_with(csv.as_bytes()),
            best_rows,
            positions,
        }
    }

    /// Puts the table and the plan into a store.
    ///
    /// # Errors
    /// Whatever the store reports.
    pub async fn submit(&self, store: &dyn Store) -> Result<(), TransportError> {
        let name = format!("table:{}", self.sweep.blackboxes[0].table);
        store.put_blob(&name, &self.table).await?;
        store.put_sweep(&self.sweep).await?;
        Ok(())
    }

    /// The jobs of these seeds, seed by seed, as a sweep runs them.
    pub fn jobs(&self, seeds: std::ops::Range<u32>) -> impl Iterator<Item = Job> + '_ {
        let all = self.sweep.jobs();
        let per_seed = self.shape.series();
        all.skip(seeds.start as usize * per_seed)
            .take(seeds.len() * per_seed)
    }

    /// The trace of a job: different rows at random from the method's part of the table.
    pub fn trace(&self, job: &Job) -> Trace {
        let method = job.series.method.id.strip_prefix('m');
        let method: usize = method.and_then(|number| number.parse().ok()).unwrap_or(0);
        let rows = &self.best_rows[self.positions[&job.series.task]];
        let part = rows.len() - rows.len() * method / (2 * self.shape.methods);
        let mut random = Random(u64::from(job.seed) << 32 | method as u64);
        // The first steps of a Fisher-Yates shuffle, with the moved places kept aside.
        let mut moved: BTreeMap<usize, usize> = BTreeMap::new();
        let chosen = (0..self.shape.iterations as usize).map(|place| {
            let other = place + random.below(part - place);
            let found = moved.get(&other).copied().unwrap_or(other);
            let here = moved.get(&place).copied().unwrap_or(place);
            moved.insert(other, here);
            rows[found]
        });
        let (rows, values): (Vec<u32>, Vec<f64>) = chosen.unzip();
        Trace {
            microseconds: rows
                .iter()
                .map(|_| 1000 + random.below(9000) as u32)
                .collect(),
            rows,
            values,
            further_values: Vec::new(),
            preparation_microseconds: 12_345,
            linear_algebra: "OpenBLAS 0.3.21, core Haswell, 1 thread".into(),
            program: Default::default(),
        }
    }
}

/// The objective value of a row: between 0 and 1, with all digits.
fn objective(task: usize, row: u32) -> f64 {
    let mut random = Random((task as u64) << 32 | u64::from(row));
    random.next() as f64 / 2f64.powi(64)
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut hash = self.0;
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^ (hash >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}
