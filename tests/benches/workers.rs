//! How many short jobs worker processes do per second over `loto host`, and over RabbitMQ and Redis: each in turn, in
//! one run, with new servers every time.
//!
//! `cargo bench -p loto-tests --bench workers`; `LOTO_BENCH_WORKERS=10` says how many workers there are. It starts servers
//! of its own, on this computer.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use loto_tests::cluster::Cluster;
use loto_tests::host::RunningHost;
use loto_tests::servers::{PrivateServers, Server};
use loto_tests::{samples, settings};
use loto_transport::store;
use tokio::runtime::Runtime;

/// Methods, and seeds of a sweep of each: a job of random search takes well below a millisecond.
const SWEEPS: [(&str, usize); 2] = [("rs", 2000), ("gp", 100)];

/// Targets in the table that is compiled into `loto`.
const TARGETS: [&str; 3] = ["digits-3-vs-8", "wine-noisy", "diabetes-median"];

/// Evaluations of a job.
const ITERATIONS: usize = 20;

/// How often each is measured; the median counts.
const ROUNDS: usize = 3;

/// Far longer than a sweep or a start takes.
const PATIENCE: Duration = Duration::from_secs(300);

/// Jobs per second of every sweep, in the order of [`SWEEPS`].
type Rates = [f64; SWEEPS.len()];

fn main() {
    // `cargo test --benches` asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let workers = settings::number("LOTO_BENCH_WORKERS", 10) as usize;
    let (mut host, mut servers) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let running = RunningHost::start(&[]);
        host.push(measure(workers, &running.url, &running.url));
        let running = PrivateServers::start(&[Server::Broker, Server::Store]);
        servers.push(measure(
            workers,
            &running.broker_url(),
            &running.store_url(),
        ));
    }
    println!("{workers} workers, jobs per second, median of {ROUNDS} (all)");
    for (name, rates) in [("loto host", host), ("RabbitMQ and Redis", servers)] {
        for (place, (method, _)) in SWEEPS.iter().enumerate() {
            let mut of_method: Vec<f64> = rates.iter().map(|rates| rates[place]).collect();
            of_method.sort_by(f64::total_cmp);
            println!(
                "{name:18}  {method}  {:6.0}  ({of_method:.0?})",
                of_method[ROUNDS / 2]
            );
        }
    }
}

/// Runs the sweeps, one after the other, on workers that are there already.
fn measure(workers: usize, broker: &str, store: &str) -> Rates {
    let mut cluster = Cluster::new(broker, store);
    for _ in 0..workers {
        cluster.start_worker();
    }
    wait_for_workers(workers, store);
    let folder = tempfile::tempdir().expect("a temporary folder");
    SWEEPS.map(|(method, seeds)| {
        let file = folder.path().join(format!("{method}.toml"));
        write_sweep(&file, method, seeds);
        let begin = Instant::now();
        let status = cluster.submit(&file).wait(PATIENCE);
        assert!(status.success(), "{method}: {status}");
        (TARGETS.len() * seeds) as f64 / begin.elapsed().as_secs_f64()
    })
}

fn write_sweep(file: &Path, method: &str, seeds: usize) {
    let sweep = samples::built_in_sweep(method, &[method], &TARGETS, seeds, ITERATIONS);
    fs::write(file, sweep).expect("a temporary folder can be written to");
}

fn wait_for_workers(workers: usize, store: &str) {
    let runtime = Runtime::new().expect("threads start");
    let begin = Instant::now();
    runtime.block_on(async {
        let store = store::open(store).await.expect("the store is there");
        while store.heartbeats().await.expect("it answers").len() < workers {
            assert!(begin.elapsed() < PATIENCE, "not all workers are there");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
}
