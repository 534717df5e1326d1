//! What a job costs on its way: through each queue and into each store.
//!
//! Needs the private servers: `make bench`, or
//! `deploy/local/with-servers cargo bench -p loto-tests`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_tests::host::RunningHost;
use loto_tests::{samples, servers};
use loto_transport::queue::{self, InProcessQueue, Queue};
use loto_transport::store::{self, EmbeddedStore, Store};
use tokio::runtime::Runtime;

/// Jobs sent through a queue at a time.
const BATCH: u32 = 256;

/// A trace as long as the sweeps' are.
fn trace(seed: u32) -> Trace {
    let iterations = 0..100;
    Trace {
        rows: iterations
            .clone()
            .map(|row| 1000 + seed % 100 + row)
            .collect(),
        values: iterations
            .clone()
            .map(|row| 1.0 / f64::from(1 + seed + row))
            .collect(),
        further_values: Vec::new(),
        microseconds: iterations.map(|row| 100 + row).collect(),
        preparation_microseconds: 12_345,
        linear_algebra: "OpenBLAS 0.3.21, core Haswell, 1 thread".into(),
        program: Default::default(),
    }
}

fn queue_per_job(
    group: &mut BenchmarkGroup<WallTime>,
    runtime: &Runtime,
    name: &str,
    queue: &Arc<dyn Queue>,
) {
    let jobs: Vec<Job> = (0..BATCH).map(|seed| samples::job("one", seed)).collect();
    let mut consumer = runtime.block_on(queue.consume(16)).unwrap();
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            runtime.block_on(async {
                queue.publish(&jobs).await.unwrap();
                for _ in &jobs {
                    let delivery = consumer.next().await.unwrap().unwrap();
                    delivery.receipt.acknowledge().await.unwrap();
                }
            });
        });
    });
}

fn store_per_job(
    group: &mut BenchmarkGroup<WallTime>,
    runtime: &Runtime,
    name: &str,
    store: &Arc<dyn Store>,
) {
    let mut seed = 0;
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|rounds| {
            let mut spent = Duration::ZERO;
            for _ in 0..rounds {
                seed += 1;
                let (job, trace) = (samples::job("one", seed), trace(seed));
                let start = Instant::now();
                runtime.block_on(store.put_trace(&job, &trace)).unwrap();
                spent += start.elapsed();
            }
            spent
        });
    });
}

fn transport(criterion: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let turn = runtime.block_on(servers::broker_turn());
    let rabbitmq = runtime.block_on(queue::connect(&turn.url)).unwrap();
    let mut group = criterion.benchmark_group("queue: publish, consume and acknowledge 256 jobs");
    group.throughput(Throughput::Elements(BATCH.into()));
    let in_process: Arc<dyn Queue> = Arc::new(InProcessQueue::new());
    queue_per_job(&mut group, &runtime, "in process", &in_process);
    queue_per_job(&mut group, &runtime, "RabbitMQ", &rabbitmq);
    let host = RunningHost::start(&[]);
    let hosted = runtime.block_on(queue::connect(&host.url)).unwrap();
    queue_per_job(&mut group, &runtime, "loto host", &hosted);
    group.finish();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sweep.loto");
    let embedded: Arc<dyn Store> = Arc::new(runtime.block_on(EmbeddedStore::open(&file)).unwrap());
    let url = runtime.block_on(servers::empty_store());
    let redis = runtime.block_on(store::open(&url)).unwrap();
    let mut group = criterion.benchmark_group("store: put a trace of 100 iterations");
    store_per_job(&mut group, &runtime, "embedded", &embedded);
    store_per_job(&mut group, &runtime, "Redis", &redis);
    let hosted = runtime.block_on(store::open(&host.url)).unwrap();
    store_per_job(&mut group, &runtime, "loto host", &hosted);
    group.finish();
}

criterion_group!(benches, transport);
criterion_main!(benches);
