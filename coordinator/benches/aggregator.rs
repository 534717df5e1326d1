//! Collecting a sweep's traces, and answering questions about it over a socket:
//! 2 black boxes of 10 tasks, 6 methods, 30 seeds, 100 iterations, made up.

// The sweep that the unit tests use, too.
#[path = "../src/results/tests/sample_sweep.rs"]
mod sample_sweep;

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use loto_coordinator::aggregator;
use loto_coordinator::follower::Follower;
use loto_coordinator::results::{CollectedCurves, ObjectiveCache, PlannedTraces, Selection};
use loto_proto::trace::Trace;
use loto_service::wire;
use loto_service::wire::aggregator_client::AggregatorClient;
use loto_transport::store::{EmbeddedStore, Store};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use self::sample_sweep::{SampleSweep, Shape};

const SHAPE: Shape = Shape {
    blackboxes: 2,
    tasks: 10,
    methods: 6,
    seeds: 30,
    iterations: 100,
};

async fn finished() -> (SampleSweep, Arc<dyn Store>) {
    let sample = SampleSweep::new(SHAPE);
    let store = EmbeddedStore::in_memory().await.expect("memory suffices");
    sample.submit(&store).await.expect("the store takes it");
    sample
        .run(&store, sample.sweep.jobs())
        .await
        .expect("the store takes it");
    (sample, Arc::new(store))
}

fn collecting(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let (sample, store) = runtime.block_on(finished());
    let tables = ObjectiveCache::default();
    let planned = PlannedTraces::open(store.as_ref(), &tables, sample.sweep.clone());
    let planned = Arc::new(runtime.block_on(planned).expect("the tables are there"));
    let mut follower = Follower::new(&sample.sweep);
    runtime
        .block_on(follower.scan(store.as_ref()))
        .expect("the store answers");
    let new = || CollectedCurves::new(Arc::clone(&planned));
    let refresh = |collected: &mut CollectedCurves, follower: &mut Follower| {
        runtime.block_on(async {
            let following = follower.follow(store.as_ref()).await;
            following.expect("the store answers");
            let reading = collected.read_new(follower, store.as_ref()).await;
            reading.expect("the traces fit");
        });
    };

    let mut group = criterion.benchmark_group("collect");
    group.sample_size(10);
    group.throughput(Throughput::Elements(sample.sweep.job_count()));
    group.bench_function("fold in", |bencher| {
        let fold_in = |new: &mut CollectedCurves| refresh(new, &mut follower);
        bencher.iter_batched_ref(new, fold_in, criterion::BatchSize::PerIteration);
    });
    let mut collected = new();
    refresh(&mut collected, &mut follower);
    group.bench_function("arrange for statistics", |bencher| {
        bencher.iter(|| black_box(collected.results(&Selection::default())));
    });
    group.throughput(Throughput::Elements(1));
    let job = sample.sweep.jobs().next().expect("a job");
    let (series, seed) = (job.series.id(), job.seed);
    let bytes = sample.trace(&job).encode_for(series, seed);
    group.bench_function("decode a trace", |bencher| {
        bencher.iter(|| Trace::decode(black_box(&bytes)));
    });
    group.bench_function("check and decode a trace", |bencher| {
        bencher.iter(|| Trace::decode_for(series, seed, black_box(&bytes)));
    });
    group.finish();
    criterion.bench_function("collect/refresh without news", |bencher| {
        bencher.iter(|| refresh(&mut collected, &mut follower));
    });
}

fn answering(criterion: &mut Criterion) {
    let runtime = Runtime::new().expect("a runtime");
    let stopping = CancellationToken::new();
    let (client, sweep_id) = runtime.block_on(async {
        let (sample, store) = finished().await;
        let address = "127.0.0.1:0".parse().expect("an address");
        let listener = aggregator::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let sweeps = Arc::new(aggregator::WatchedSweeps::new(Arc::clone(&store)));
        tokio::spawn(aggregator::serve(
            store,
            sweeps,
            listener,
            aggregator::Guard::default(),
            stopping.clone(),
        ));
        let client = AggregatorClient::connect(format!("http://{address}")).await;
        (client.expect("it serves"), sample.sweep.id().to_string())
    });
    let curves = || {
        let request = wire::GetCurvesRequest {
            sweep_id: sweep_id.clone(),
            ..Default::default()
        };
        let mut client = client.clone();
        runtime.block_on(async move { client.get_curves(request).await.expect("curves") })
    };
    let progress = || {
        let request = wire::GetProgressRequest {
            sweep_id: sweep_id.clone(),
        };
        let mut client = client.clone();
        runtime.block_on(async move { client.get_progress(request).await.expect("progress") })
    };
    criterion.bench_function("answer/progress", |bencher| bencher.iter(progress));
    curves();
    criterion.bench_function("answer/curves, asked before", |bencher| {
        bencher.iter(curves)
    });
    stopping.cancel();
}

criterion_group!(benches, collecting, answering);
criterion_main!(benches);
