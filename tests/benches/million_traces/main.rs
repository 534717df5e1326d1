//! How the aggregator does with many traces: memory, latencies, rate of folding in, the cost of pages.
//!
//! Fills a Redis and an embedded file with made-up traces of a valid sweep, starts
//! `loto serve` on each and asks it over gRPC, first while nothing is new, then while
//! traces arrive. Small unless `LOTO_BENCH_SWEEP` says METHODSxTASKSxSEEDSxITERATIONS;
//! a million traces, some minutes for each store:
//!
//! ```sh
//! cargo build --release
//! LOTO_BENCH_SWEEP=16x26x2400x100 deploy/local/with-servers \
//!     cargo bench -p loto-tests --bench million_traces
//! ```
//!
//! `LOTO_BENCH_STORE=redis` or `embedded` measures only one of the two, and `LOTO_BENCH_ANSWERS=pages` or `grpc` only what
//! browsers or only what clients over gRPC get. `LOTO_BENCH_BROWSER` names a program that is given the addresses of the list and
//! of the sweep when all is on them, such as `tests/python/live_page_paint.py`, which tells when a browser has painted them.

mod pages;
mod questions;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt, stream};
use loto_proto::job::Job;
use loto_tests::programs::{self, Process};
use loto_tests::servers;
use loto_tests::synthetic_sweep::{Shape, SyntheticSweep};
use loto_transport::store::{self, Store};

use self::questions::{Asker, Latencies, Question};

/// Traces stored at a time while a store is filled.
const CONCURRENT_WRITES: usize = 64;

/// How long questions are asked while nothing is new, and while traces arrive.
const ASKING: Duration = Duration::from_secs(20);

/// Traces that arrive in a second.
const ARRIVALS: u32 = 100;

/// Pause between two questions.
const PAUSE: Duration = Duration::from_millis(10);

#[tokio::main]
async fn main() {
    let shape = std::env::var("LOTO_BENCH_SWEEP").unwrap_or_else(|_| "4x10x100x100".into());
    let shape = Shape::parse(&shape).unwrap_or_else(|| {
        panic!("LOTO_BENCH_SWEEP is METHODSxTASKSxSEEDSxITERATIONS, not {shape}")
    });
    let only = std::env::var("LOTO_BENCH_STORE").unwrap_or_default();
    // So many more seeds that traces arrive as long as questions are asked, and as long as browsers look.
    let arriving = ASKING + pages::WATCHING;
    let arrivals = arriving.as_secs() as u32 * ARRIVALS;
    let spare = arrivals.div_ceil(shape.series() as u32);
    let sweep = Arc::new(SyntheticSweep::new(shape, spare));
    println!("{} traces: {shape:?}", shape.traces());
    if only != "embedded" {
        let url = servers::empty_store().await;
        measure(&url, shape, &sweep).await;
    }
    if only != "redis" {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let file = folder.path().join("sweep.loto");
        measure(file.to_str().expect("a path in UTF-8"), shape, &sweep).await;
    }
}

/// Fills a store, serves it and asks.
async fn measure(url: &str, shape: Shape, sweep: &Arc<SyntheticSweep>) {
    println!(
        "\n{}",
        if url.starts_with("redis:") {
            "Redis"
        } else {
            "embedded file"
        }
    );
    let store = store::open(url).await.expect("the store opens");
    let memory_before = redis_memory(url).await;
    let begin = Instant::now();
    sweep
        .submit(store.as_ref())
        .await
        .expect("the store takes the plan");
    let plan_memory = redis_memory(url).await;
    fill(&store, sweep, 0..shape.seeds).await;
    let traces = shape.traces() as f64;
    println!(
        "  stored {:.0} traces/s",
        traces / begin.elapsed().as_secs_f64()
    );
    if let (Some(_), Some(before), Some(after)) =
        (memory_before, plan_memory, redis_memory(url).await)
    {
        println!(
            "  Redis keeps {:.0} bytes per trace",
            (after - before) / traces
        );
    }

    let only = std::env::var("LOTO_BENCH_ANSWERS").unwrap_or_default();
    // Each has traces of its own to come.
    let mut spare = sweep.jobs(shape.seeds..sweep.sweep.seeds);
    let mut next = |time: Duration| -> Vec<Job> {
        spare
            .by_ref()
            .take(time.as_secs() as usize * ARRIVALS as usize)
            .collect()
    };
    if only != "pages" {
        measure_answers(url, shape, &store, sweep, next(ASKING)).await;
    }
    if only != "grpc" {
        pages::measure(url, &store, sweep, next(pages::WATCHING)).await;
    }
}

/// Serves a store that is filled but for the spare seeds and asks over gRPC.
async fn measure_answers(
    url: &str,
    shape: Shape,
    store: &Arc<dyn Store>,
    sweep: &Arc<SyntheticSweep>,
    arriving: Vec<Job>,
) {
    let begin = Instant::now();
    let (service, address) = programs::serve(url);
    let mut asker = Asker::connect(&address, sweep.sweep.id().to_string(), shape).await;
    let (finished, _) = asker.ask(Question::Improvement).await.expect("an answer");
    assert_eq!(
        finished,
        shape.traces(),
        "the first answer is about all traces"
    );
    let ready = begin.elapsed().as_secs_f64();
    println!(
        "  first answer after {ready:.1} s: folded in {:.0} traces/s",
        shape.traces() as f64 / ready
    );
    for question in Question::ALL {
        let (_, took) = asker.ask(question).await.expect("an answer");
        println!("  asked first: {question:?} {:.1} s", took.as_secs_f64());
    }
    print_memory(&service);
    println!(
        "  {:<14} {:>6} {:>8} {:>8} {:>8}   milliseconds",
        "", "number", "median", "p99", "most"
    );
    println!("  nothing new");
    ask_for_a_while(&mut asker).await;

    println!("  {ARRIVALS} traces/s arrive");
    let used = processor_time(&service);
    let begin = Instant::now();
    let all = shape.traces() + arriving.len() as u64;
    let writing = tokio::spawn(arrive(Arc::clone(store), Arc::clone(sweep), arriving));
    ask_for_a_while(&mut asker).await;
    let share = (processor_time(&service) - used) / begin.elapsed().as_secs_f64();
    writing.await.expect("traces are stored");
    let begin = Instant::now();
    for question in Question::ALL {
        while asker.ask(question).await.expect("an answer").0 < asker.expected(question, all) {
            assert!(
                begin.elapsed() < Duration::from_secs(600),
                "{question:?} stays behind"
            );
            tokio::time::sleep(PAUSE).await;
        }
    }
    println!(
        "  it used {:.0} % of a processor; all answers were up to date {:.1} s after the last trace",
        share * 100.0,
        begin.elapsed().as_secs_f64()
    );
    print_memory(&service);
}

async fn fill(store: &Arc<dyn Store>, sweep: &Arc<SyntheticSweep>, seeds: std::ops::Range<u32>) {
    let writes = stream::iter(sweep.jobs(seeds)).map(|job| {
        let (store, sweep) = (Arc::clone(store), Arc::clone(sweep));
        async move { store.put_trace(&job, &sweep.trace(&job)).await }
    });
    let written = writes
        .buffer_unordered(CONCURRENT_WRITES)
        .try_for_each(|_| async { Ok(()) });
    written.await.expect("the store takes the traces");
}

/// Stores traces at an even pace.
async fn arrive(store: Arc<dyn Store>, sweep: Arc<SyntheticSweep>, jobs: Vec<Job>) {
    let mut ticks = tokio::time::interval(Duration::from_secs(1) / ARRIVALS);
    for job in jobs {
        ticks.tick().await;
        store
            .put_trace(&job, &sweep.trace(&job))
            .await
            .expect("the store takes it");
    }
}

async fn ask_for_a_while(asker: &mut Asker) {
    let mut latencies = Question::ALL.map(|question| (question, Latencies::default()));
    let begin = Instant::now();
    while begin.elapsed() < ASKING {
        for (question, latencies) in &mut latencies {
            let (_, took) = asker.ask(*question).await.expect("an answer");
            latencies.add(took);
            tokio::time::sleep(PAUSE).await;
        }
    }
    for (question, mut latencies) in latencies {
        println!(
            "    {:<12} {}",
            format!("{question:?}"),
            latencies.summary()
        );
    }
}

/// What Redis uses, in bytes; `None` for another store.
async fn redis_memory(url: &str) -> Option<f64> {
    if !url.starts_with("redis:") {
        return None;
    }
    let mut connection = servers::connect_redis(url).await;
    let info: String = redis::cmd("INFO")
        .arg("memory")
        .query_async(&mut connection)
        .await
        .expect("it answers");
    let used = info
        .lines()
        .find_map(|line| line.strip_prefix("used_memory:"));
    used.and_then(|used| used.trim().parse().ok())
}

fn print_memory(service: &Process) {
    let status = std::fs::read_to_string(format!("/proc/{}/status", service.id()));
    let status = status.expect("the service runs");
    let megabytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kilobytes.expect("the kernel tells") / 1024.0
    };
    println!(
        "  memory {:.0} MB, at most {:.0} MB",
        megabytes("VmRSS:"),
        megabytes("VmHWM:")
    );
}

/// Processor seconds that the service used.
fn processor_time(service: &Process) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", service.id()));
    let stat = stat.expect("the service runs");
    let (_, after_name) = stat.rsplit_once(')').expect("the name is in parentheses");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    let ticks = |field: &str| field.parse::<f64>().expect("a number");
    // User and system time, in the kernel's ticks of 1/100 s.
    (ticks(fields[11]) + ticks(fields[12])) / 100.0
}
