//! What keeps a delivery from being settled, or its job from being done, with real processes and servers.

mod alarm;
mod deleted_queue;
mod endless_delay;
mod foreign_jobs;
mod trimmed_events;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use lapin::options::QueueDeclareOptions;
use lapin::types::FieldTable;
use loto_proto::attempt::AttemptState;
use loto_proto::job::Job;
use loto_tests::{programs, samples, servers, small_sweep};
use loto_transport::store::{self, Store};

/// How long jobs that take milliseconds may take on a busy host.
const PATIENCE: Duration = Duration::from_secs(60);

/// A worker that runs one job at a time and tries each twice.
fn worker(program: &str, broker: &str, store: &str) -> Command {
    let mut command = programs::command(program);
    command.args(["--jobs", "1", "--max-attempts", "2"]);
    command.args(["--broker", broker, "--store", store]);
    command.stderr(Stdio::inherit());
    command
}

/// A store with the small table, and so many jobs on it.
async fn store_with_table(url: &str, jobs: u32) -> (Arc<dyn Store>, Vec<Job>) {
    let store = store::open(url).await.unwrap();
    let (table, blob) = small_sweep::table_blob();
    store.put_blob(&table.blob_name(), &blob).await.unwrap();
    let jobs = (0..jobs).map(|seed| small_sweep::job(table, seed));
    (store, jobs.collect())
}

/// How many of these jobs, which differ in the seed only, are done and how many are poisoned.
async fn settled(store: &dyn Store, jobs: &[Job]) -> (usize, usize) {
    let series = [jobs[0].series.id()];
    let done = store.seeds_done(&series).await.unwrap().remove(0).len();
    let attempts = store.attempts(&series).await.unwrap().remove(0);
    let poisoned = attempts
        .iter()
        .filter(|(_, attempt)| attempt.state == AttemptState::Poisoned);
    (done, poisoned.count())
}

/// Waits until so many of the jobs are done and so many are poisoned.
async fn wait_until_settled(store: &dyn Store, jobs: &[Job], wanted: (usize, usize)) {
    let begin = Instant::now();
    loop {
        let now = settled(store, jobs).await;
        if now == wanted {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{now:?} of {wanted:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until `loto status` says this of the sweep of [`samples::sweep`], which is recorded for that.
async fn wait_until_told(store: &dyn Store, url: &str, expected: &str) {
    store.put_sweep(&samples::sweep("told", 1)).await.unwrap();
    wait_until_told_of("told", url, expected).await;
}

/// Waits until `loto status` says this of a sweep.
async fn wait_until_told_of(sweep: &str, url: &str, expected: &str) {
    let begin = Instant::now();
    loop {
        let output = programs::run("loto", ["status", sweep, "--store", url]);
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        if told.contains(expected) {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{output:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Number of messages in a queue that nobody holds.
async fn ready(broker: &str, queue: &'static str) -> u32 {
    let (_connection, channel) = servers::connect_broker(broker).await;
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let declared = channel.queue_declare(queue.into(), passive, FieldTable::default());
    declared.await.unwrap().message_count()
}
