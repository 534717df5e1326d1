//! How many jobs per second a broker and a store take, and what that costs them: a sweep of jobs
//! that sleep instead of computing, on as many workers as wished.
//!
//! `cargo bench --workspace --bench load`, or with `LOTO_BENCH_LOAD=WORKERS/JOBS/MILLISECONDS,...`
//! in the environment. A worker here is what the program is, but for the process that computes:
//! connections of its own, one job at a time. RabbitMQ, Redis and the workers share this host.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use loto_proto::heartbeat::HEARTBEAT_INTERVAL;
use loto_proto::job::Job;
use loto_proto::trace::Trace;
use loto_tests::samples;
use loto_tests::servers::{PrivateServers, Server};
use loto_transport::queue;
use loto_transport::store::{self, Store};
use loto_worker::compute::{Compute, ComputeError};
use loto_worker::consumer::{self, ConsumerOptions};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Workers, jobs, and how long a job sleeps in milliseconds.
const LOADS: &str = "1/2000/0,10/10000/0,100/20000/0,300/20000/0,100/10000/100,300/10000/300";

/// Ticks of the clock by which the kernel counts CPU time, per second.
const TICKS: f64 = 100.0;

/// A trace of 100 iterations that took no time.
struct Sleeping(Duration);

#[async_trait]
impl Compute for Sleeping {
    async fn compute(&self, job: &Job) -> Result<Trace, ComputeError> {
        tokio::time::sleep(self.0).await;
        let rows = 0..100;
        Ok(Trace {
            rows: rows
                .clone()
                .map(|row| 1000 + job.seed % 1000 + row)
                .collect(),
            values: rows
                .clone()
                .map(|row| 1.0 / f64::from(1 + job.seed + row))
                .collect(),
            further_values: Vec::new(),
            microseconds: rows.map(|row| 1000 + row).collect(),
            preparation_microseconds: 12_345,
            linear_algebra: "OpenBLAS 0.3.21, core Haswell, 1 thread".into(),
            program: Default::default(),
        })
    }
}

fn main() {
    // `cargo test --benches` asks whether it starts.
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let loads = std::env::var("LOTO_BENCH_LOAD").unwrap_or_else(|_| LOADS.into());
    println!(
        "workers   jobs  ms each   jobs/s  CPU ms per job: broker  store  worker  busy: broker  store"
    );
    for load in loads.split(',') {
        let numbers: Vec<u32> = load
            .split('/')
            .filter_map(|number| number.parse().ok())
            .collect();
        let &[workers, jobs, milliseconds] = numbers.as_slice() else {
            panic!("LOTO_BENCH_LOAD: `{load}` is not WORKERS/JOBS/MILLISECONDS");
        };
        let runtime = tokio::runtime::Runtime::new().expect("threads start");
        runtime.block_on(measure(workers, jobs, milliseconds));
    }
}

/// CPU seconds that a process has used.
fn cpu_seconds(process: u32) -> f64 {
    let path = format!("/proc/{process}/stat");
    let text = std::fs::read_to_string(path).expect("the process runs");
    // After the name, which may contain anything, in parentheses.
    let (_, fields) = text.rsplit_once(')').expect("it has a name");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let ticks: f64 = fields[11..13]
        .iter()
        .map(|field| field.parse::<f64>().expect("a number"))
        .sum();
    ticks / TICKS
}

/// The process of a server: the broker's is that of Erlang, which writes its own file.
fn process(servers: &PrivateServers, server: Server) -> u32 {
    let file = match server {
        Server::Broker => "erlang.pid",
        Server::Store => "store.pid",
    };
    let text = std::fs::read_to_string(servers.data(server).join(file)).expect("it was started");
    let number = text.split_whitespace().next().expect("a number");
    number.parse().expect("a number")
}

async fn measure(workers: u32, jobs: u32, milliseconds: u32) {
    let servers = PrivateServers::start(&[Server::Broker, Server::Store]);
    let (broker, store) = (servers.broker_url(), servers.store_url());
    let queue = queue::connect(broker.as_str())
        .await
        .expect("the broker is there");
    let all: Vec<Job> = (0..jobs).map(|seed| samples::job("one", seed)).collect();
    for batch in all.chunks(1000) {
        queue.publish(batch).await.expect("the broker takes jobs");
    }
    let mine = std::process::id();
    let processes = [
        process(&servers, Server::Broker),
        process(&servers, Server::Store),
        mine,
    ];
    let before = processes.map(cpu_seconds);
    let begin = Instant::now();
    let shutdown = CancellationToken::new();
    let mut running = JoinSet::new();
    for _ in 0..workers {
        let queue = queue::connect_worker(broker.as_str())
            .await
            .expect("the broker is there");
        let store = store::open(store.as_str())
            .await
            .expect("the store is there");
        let compute = Arc::new(Sleeping(Duration::from_millis(milliseconds.into())));
        let options = ConsumerOptions {
            heartbeat_interval: Some(HEARTBEAT_INTERVAL),
            ..ConsumerOptions::default()
        };
        running.spawn(consumer::run(
            queue,
            store,
            compute,
            options,
            shutdown.clone(),
            None,
        ));
    }
    let watched = store::open(store.as_str())
        .await
        .expect("the store is there");
    while done(watched.as_ref()).await < jobs as usize {
        // Rarely: the store lists all seeds each time.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let after = processes.map(cpu_seconds);
    let [broker, store, worker] = [0, 1, 2].map(|place| after[place] - before[place]);
    let each = 1000.0 / f64::from(jobs);
    println!(
        "{workers:7} {jobs:6} {milliseconds:8} {:8.0} {:23.2} {:6.2} {:7.2} {:12.0}% {:5.0}%",
        f64::from(jobs) / seconds,
        broker * each,
        store * each,
        worker * each,
        100.0 * broker / seconds,
        100.0 * store / seconds,
    );
    shutdown.cancel();
    while let Some(ended) = running.join_next().await {
        ended.expect("no worker panics").expect("no worker fails");
    }
}

async fn done(store: &dyn Store) -> usize {
    let series = samples::series("one").id();
    let seeds = store
        .seeds_done(&[series])
        .await
        .expect("the store answers");
    seeds[0].len()
}
