//! Time of the statistics of a large sweep: 16 methods, 26 tasks, 30 seeds, 100 iterations.

use std::collections::BTreeMap;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use loto_statistics::analysis::{AnalysisOptions, analyse};
use loto_statistics::random_search::{
    expected_gaps_with_replacement, expected_gaps_without_replacement,
};
use loto_statistics::results::{BlackboxResults, SeedTrace, SweepResults, TaskResults};
use loto_statistics::studentized_range::upper_quantile;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const METHODS: usize = 16;
const TASKS: usize = 26;
const SEEDS: u32 = 30;
const ITERATIONS: usize = 100;
const ROWS: usize = 5000;

/// Random traces over tables of random values.
fn synthetic_sweep() -> SweepResults {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let tasks = (0..TASKS).map(|task| TaskResults {
        name: format!("task {task}"),
        objective: ascending(ROWS, &mut random).into(),
        hypervolume: None,
        mean_cost: None,
        traces: (0..METHODS)
            .map(|_| {
                let seeds = (0..SEEDS).map(|seed| {
                    let values = (0..ITERATIONS).map(|_| random.random::<f64>().powi(2));
                    let trace = SeedTrace {
                        values: values.collect(),
                        ..SeedTrace::default()
                    };
                    (seed, trace)
                });
                seeds.collect::<BTreeMap<u32, SeedTrace>>()
            })
            .collect(),
    });
    SweepResults {
        name: "synthetic".into(),
        seeds: SEEDS,
        blackboxes: vec![BlackboxResults {
            name: "synthetic".into(),
            direction: Default::default(),
            iterations: ITERATIONS,
            methods: (0..METHODS)
                .map(|method| format!("method {method}"))
                .collect(),
            tasks: tasks.collect(),
            arrivals: None,
            unmarked: Default::default(),
        }],
    }
}

fn ascending(rows: usize, random: &mut ChaCha8Rng) -> Vec<f64> {
    let mut values: Vec<f64> = (0..rows).map(|_| random.random::<f64>().powi(2)).collect();
    values.sort_by(f64::total_cmp);
    values
}

fn statistics(criterion: &mut Criterion) {
    let sweep = synthetic_sweep();
    let options = AnalysisOptions::default();
    let mut group = criterion.benchmark_group("statistics");
    group.sample_size(10);
    group.bench_function(
        "analysis of 16 methods x 26 tasks x 30 seeds x 100",
        |bencher| {
            bencher.iter(|| {
                analyse(black_box(&sweep), &options).expect("the synthetic sweep is valid")
            });
        },
    );
    let single = AnalysisOptions {
        bootstrap_resamples: 1,
        ..options
    };
    group.bench_function("the same without bootstrap", |bencher| {
        bencher.iter(|| analyse(black_box(&sweep), &single).expect("the synthetic sweep is valid"));
    });
    let table = ascending(62208, &mut ChaCha8Rng::seed_from_u64(1));
    group.bench_function("exact random search on 62208 rows", |bencher| {
        bencher.iter(|| expected_gaps_without_replacement(black_box(&table), ITERATIONS));
    });
    group.bench_function("exact random search with replacement", |bencher| {
        bencher.iter(|| expected_gaps_with_replacement(black_box(&table), ITERATIONS));
    });
    group.bench_function("quantile of the studentized range, 16 methods", |bencher| {
        bencher.iter(|| upper_quantile(black_box(0.05), METHODS));
    });
    group.finish();
}

criterion_group!(benches, statistics);
criterion_main!(benches);
