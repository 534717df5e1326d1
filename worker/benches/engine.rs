//! What a trace's time is made of: the fit of a Gaussian process, predictions and
//! expected improvement over a pool, the fit of a prior, and whole traces.
//!
//!     cargo bench -p loto-worker --bench engine

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use loto_engine::acquisition::expected_improvement::LogExpectedImprovement;
use loto_engine::blobs::{BlobError, Blobs};
use loto_engine::prior::network::Noise;
use loto_engine::prior::training;
use loto_engine::random::{RandomStream, StreamName};
use loto_engine::runner::TraceRunner;
use loto_engine::setting::Source;
use loto_engine::surrogate::candidates::CandidatePool;
use loto_engine::surrogate::gaussian_process::GaussianProcess;
use loto_engine::surrogate::hyperparameters::Hyperprior;
use loto_engine::table::encoding::{Column, Hyperparameter, Kind, Space};
use loto_engine::table::{Table, Task};
use loto_engine::{blas, methods};
use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::table_spec::{Categorical, TableSpec};

const SVM: &[u8] = include_bytes!("../../coordinator/sweeps/svm-sklearn.csv.zip");

fn random(seed: u32) -> RandomStream {
    RandomStream::new(
        StreamName::new("benchmark", "numbers"),
        Fingerprint([0; 16]),
        "benchmark",
        seed,
    )
}

/// A space of `numeric` numeric and the given categorical hyperparameters.
fn space(numeric: usize, levels: &[usize]) -> Space {
    let kinds = std::iter::repeat_n(
        Kind::Numeric {
            minimum: 0.0,
            maximum: 1.0,
        },
        numeric,
    )
    .chain(levels.iter().map(|&count| Kind::Categorical {
        levels: (0..count).map(|level| level.to_string()).collect(),
    }));
    let hyperparameters = kinds.map(|kind| Hyperparameter {
        name: "hp".into(),
        kind,
    });
    Space {
        hyperparameters: hyperparameters.collect(),
    }
}

/// Random rows of a space; the grid, if it is categorical and has that many rows.
fn columns(space: &Space, rows: usize) -> Vec<Column> {
    let grid: usize = space
        .hyperparameters
        .iter()
        .map(|hp| hp.kind.width())
        .product();
    let mut random = random(1);
    let mut stride = 1;
    let column = |hyperparameter: &Hyperparameter| match &hyperparameter.kind {
        Kind::Numeric { .. } => Column::Numeric((0..rows).map(|_| random.uniform()).collect()),
        Kind::Categorical { levels } => {
            let count = levels.len();
            let mut level = |row: usize| match grid == rows {
                true => (row / stride % count) as u16,
                false => random.below(count as u32) as u16,
            };
            let column = Column::Categorical((0..rows).map(&mut level).collect());
            stride *= count;
            column
        }
    };
    space.hyperparameters.iter().map(column).collect()
}

/// A process with the first `count` rows observed, and their targets.
fn observed(space: &Space, columns: &[Column], count: usize) -> (GaussianProcess, Vec<f64>) {
    let mut process = GaussianProcess::new(space, count, Hyperprior::Gamma);
    let mut point = vec![0.0; space.width()];
    let mut noise = random(2);
    let targets = (0..count).map(|row| {
        space.encode(columns, row, &mut point);
        process.observe(&point);
        (5.0 * point[0]).sin() + point[1] + 0.3 * noise.normal()
    });
    let targets = targets.collect();
    (process, targets)
}

fn gaussian_process_fit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("gaussian process: first fit, 6 numeric");
    let space = space(6, &[]);
    let columns = columns(&space, 100);
    for count in [25, 50, 100] {
        group.bench_function(BenchmarkId::from_parameter(count), |bencher| {
            bencher.iter_batched(
                || observed(&space, &columns, count),
                |(mut process, targets)| process.fit(black_box(&targets)).unwrap(),
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

/// What a trace does at its 100th evaluation, the fit begun from scratch.
fn step(criterion: &mut Criterion) {
    let space = space(6, &[]);
    let columns = columns(&space, 2_000);
    let mut pool = CandidatePool::new(&space, &columns, (0..2_000).collect());
    let (evaluated, priority) = (vec![false; 2_000], (0..2_000).collect::<Vec<_>>());
    criterion.bench_function(
        "step at 100 observed, 6 numeric, 2000 candidates",
        |bencher| {
            bencher.iter_batched(
                || observed(&space, &columns, 100),
                |(mut process, targets)| {
                    process.fit(&targets).unwrap();
                    let largest = process.posterior().signal.sqrt();
                    let improvement = LogExpectedImprovement::new(-1.5, largest);
                    pool.best_row(&process, &improvement, &evaluated, &priority)
                },
                BatchSize::SmallInput,
            );
        },
    );
}

fn expected_improvement(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("predictions and expected improvement, 100 observed");
    let pools = [
        ("2000, 6 numeric", 2_000, space(6, &[])),
        ("5000, 8 numeric", 5_000, space(8, &[])),
        ("15625, 6 categorical", 15_625, space(0, &[5; 6])),
        (
            "62208, 9 categorical",
            62_208,
            space(0, &[6, 4, 2, 2, 2, 6, 6, 3, 3]),
        ),
    ];
    for (name, rows, space) in pools {
        let columns = columns(&space, rows);
        let (mut process, targets) = observed(&space, &columns, 100);
        process.fit(&targets).unwrap();
        let mut pool = CandidatePool::new(&space, &columns, (0..rows as u32).collect());
        let (evaluated, priority) = (vec![false; rows], (0..rows as u32).collect::<Vec<_>>());
        let improvement = LogExpectedImprovement::new(-1.5, process.posterior().signal.sqrt());
        group.bench_function(name, |bencher| {
            bencher.iter(|| pool.best_row(&process, &improvement, &evaluated, &priority));
        });
    }
    group.finish();
}

fn prior_fit(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("prior fit");
    group.sample_size(10);
    for (name, space) in [
        ("8 numeric", space(8, &[])),
        ("34 one-hot", space(0, &[6, 4, 2, 2, 2, 6, 6, 3, 3])),
    ] {
        let columns = columns(&space, 5000);
        let mut noise = random(3);
        let targets: Vec<f64> = (0..5000).map(|_| noise.normal()).collect();
        let task = Task {
            first_line: 2,
            name: "source".into(),
            objective: targets.clone(),
            further_objectives: Vec::new(),
            measurements: None,
            features: Vec::new(),
            columns,
        };
        let sources = [Source {
            task: &task,
            targets: &targets,
        }];
        group.bench_function(name, |bencher| {
            bencher
                .iter(|| training::fit(&space, Noise::Heteroskedastic, &sources, &mut random(4)));
        });
    }
    group.finish();
}

/// Keeps the table; forgets fitted priors, so that each trace fits its own.
struct TableOnly(Mutex<HashMap<String, Vec<u8>>>);

impl Blobs for TableOnly {
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, BlobError> {
        Ok(self.0.lock().unwrap().get(name).cloned())
    }

    fn put(&self, _: &str, _: &[u8]) -> Result<(), BlobError> {
        Ok(())
    }
}

fn whole_trace(criterion: &mut Criterion) {
    let spec = TableSpec {
        objective: "metric_error".into(),
        categorical: Categorical::Columns(BTreeSet::new()),
        ..TableSpec::default()
    };
    let table = Table::read(SVM, &spec, "svm-sklearn.csv.zip").unwrap();
    let blob = (table.fingerprint.blob_name(), spec.encode_with(SVM));
    let blobs = Arc::new(TableOnly(Mutex::new(HashMap::from([blob]))));
    let runner = TraceRunner::new(blobs);
    let mut group = criterion.benchmark_group("trace of 100 iterations, 288 candidates, own prior");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(8));
    let mut seed = 0;
    let suitable = |method: &&methods::Method| method.check_table(&table).is_ok();
    for method in methods::registry().iter().filter(suitable) {
        group.bench_function(method.id, |bencher| {
            bencher.iter(|| {
                seed += 1;
                let series = Series {
                    method: MethodSpec {
                        name: None,
                        id: method.id.into(),
                        version: method.version,
                        parameters: BTreeMap::new(),
                        program: None,
                    },
                    table: table.fingerprint,
                    task: table.tasks[0].name.clone(),
                    iterations: 100,
                };
                runner.run(&Job { series, seed }).unwrap()
            });
        });
    }
    group.finish();
}

fn all(criterion: &mut Criterion) {
    blas::single_threaded();
    gaussian_process_fit(criterion);
    step(criterion);
    expected_improvement(criterion);
    prior_fit(criterion);
    whole_trace(criterion);
}

criterion_group!(benches, all);
criterion_main!(benches);
