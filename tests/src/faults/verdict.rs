//! What has to hold in the end, whatever happened on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use lapin::Channel;
use lapin::options::{BasicGetOptions, QueueDeclareOptions};
use lapin::types::FieldTable;
use loto_proto::attempt::{Attempt, AttemptState};
use loto_proto::identity::{SeriesId, SweepId};
use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::Sweep;
use loto_proto::trace::Trace;
use loto_transport::queue::{DEAD_LETTERS, DELAYED, JOBS};
use loto_transport::store;
use redis::AsyncCommands;
use redis::streams::StreamRangeReply;

use crate::programs;
use crate::servers::{connect_broker, connect_redis};

/// How long workers may take to settle what is still on the queue: longer than it takes to
/// notice a dead connection.
const LONGEST_DRAIN: Duration = Duration::from_secs(150);

/// A sweep and what it comes to where nothing goes wrong.
pub struct Undisturbed {
    file: PathBuf,
    sweep: Sweep,
    traces: BTreeMap<(SeriesId, u32), Trace>,
}

impl Undisturbed {
    /// Runs the sweep with this text by `loto run` in this folder.
    ///
    /// # Panics
    /// If that fails.
    pub async fn run(text: &str, folder: &Path) -> Self {
        Self::run_by(programs::command("loto"), text, folder).await
    }

    /// As [`Self::run`], by a `loto` that may be of another release.
    ///
    /// # Panics
    /// If that fails.
    pub async fn run_by(mut loto: Command, text: &str, folder: &Path) -> Self {
        let file = folder.join("sweep.toml");
        fs::write(&file, text).expect("the folder can be written to");
        let out = folder.join("undisturbed");
        loto.arg("run").arg(&file).arg("--out").arg(&out);
        let output = loto.output().expect("loto runs");
        assert!(output.status.success(), "{output:?}");
        let store = store::open(&out.join("sweep.loto").to_string_lossy()).await;
        let store = store.expect("it ran");
        // What was planned is read from the store: another release may plan the same file otherwise.
        let [id] = store.sweeps().await.expect("the store is sound")[..] else {
            panic!("it ran one sweep");
        };
        let sweep = store.sweep(id).await.expect("the store is sound");
        let sweep = sweep.expect("it is listed");
        let mut traces = BTreeMap::new();
        for job in sweep.jobs() {
            let series = job.series.id();
            let trace = store.trace(series, job.seed).await;
            let trace = trace.expect("the store is sound").expect("it is done");
            traces.insert((series, job.seed), trace);
        }
        Self {
            file,
            sweep,
            traces,
        }
    }

    /// The sweep with other methods in its plan, of which the traces are the same.
    #[must_use]
    pub fn with_methods(mut self, change: impl Fn(&mut MethodSpec)) -> Self {
        let was: Vec<Job> = self.jobs();
        for blackbox in &mut self.sweep.blackboxes {
            blackbox.methods.iter_mut().for_each(&change);
        }
        let mut traces = BTreeMap::new();
        for (was, is) in was.iter().zip(self.sweep.jobs()) {
            let trace = &self.traces[&(was.series.id(), was.seed)];
            traces.insert((is.series.id(), is.seed), trace.clone());
        }
        self.traces = traces;
        self
    }

    /// This sweep and another one as if they were one, for a store that both are in.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.sweep.blackboxes.extend(other.sweep.blackboxes);
        self.traces.extend(other.traces);
        self
    }

    /// The sweep file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The id of the sweep.
    pub fn id(&self) -> SweepId {
        self.sweep.id()
    }

    /// Every job of the sweep.
    pub fn jobs(&self) -> Vec<Job> {
        self.sweep.jobs().collect()
    }

    /// Compares what Redis keeps with what it should; returns what is wrong. The jobs of the
    /// `poisoned` seeds must have been given up, all others must be done.
    ///
    /// A server whose append-only file was `torn` off within a transaction keeps its beginning:
    /// when it starts once more, Redis 7.0 runs that together with the next one. Events may then
    /// stand there twice or be lost, which readers have to make good; they are not looked at. The same
    /// holds if the history was emptied.
    ///
    /// # Panics
    /// If Redis does not answer.
    pub async fn compare(&self, store: &str, poisoned: &BTreeSet<u32>, torn: bool) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut redis = connect_redis(store).await;
        let keys: Vec<String> = redis.keys("loto:traces:*").await.expect("Redis answers");
        let mut kept = BTreeSet::new();
        for key in keys {
            let name = key.trim_start_matches("loto:traces:").to_owned();
            let fields: BTreeMap<u32, Vec<u8>> = redis.hgetall(key).await.expect("Redis answers");
            for (seed, bytes) in fields {
                let series: SeriesId = name.parse().expect("a series id");
                kept.insert((series, seed));
                let Some(expected) = self.traces.get(&(series, seed)) else {
                    complaints.push(format!("series {name}, seed {seed} was never planned"));
                    continue;
                };
                match Trace::decode(&bytes) {
                    Err(error) => complaints.push(format!("series {name}, seed {seed}: {error}")),
                    Ok(trace) => {
                        if let Some(iteration) = trace.first_difference(expected) {
                            complaints.push(format!(
                                "series {name}, seed {seed} differs from the undisturbed run at {iteration}"
                            ));
                        }
                    }
                }
            }
        }
        let all = self.traces.keys().copied();
        let planned: BTreeSet<_> = all.filter(|(_, seed)| !poisoned.contains(seed)).collect();
        let missing = planned.difference(&kept).count();
        if missing > 0 {
            complaints.push(format!("{missing} of {} traces are missing", planned.len()));
        }
        let beyond = kept.difference(&planned).count();
        if beyond > 0 {
            complaints.push(format!("{beyond} traces are there that should not be"));
        }
        if !torn {
            complaints.extend(self.compare_history(&mut redis, &kept).await);
        }
        complaints.extend(self.compare_attempts(store, poisoned).await);
        let conflicts: Vec<String> = redis.keys("loto:conflicts*").await.expect("Redis answers");
        complaints.extend(conflicts.into_iter().map(|key| format!("there is {key}")));
        complaints
    }

    /// Every trace has to be told of once.
    async fn compare_history(
        &self,
        redis: &mut redis::aio::MultiplexedConnection,
        kept: &BTreeSet<(SeriesId, u32)>,
    ) -> Vec<String> {
        let mut complaints = Vec::new();
        let history: StreamRangeReply = redis.xrange_all("loto:events").await.expect("a stream");
        let mut told = BTreeSet::new();
        for event in &history.ids {
            let series: String = event.get("series").expect("an event names a series");
            let seed = event.get("seed").expect("an event names a seed");
            if !told.insert((series.parse().expect("a series id"), seed)) {
                complaints.push(format!("told twice: {event:?}"));
            }
        }
        if &told != kept {
            let (told, kept) = (told.len(), kept.len());
            complaints.push(format!(
                "the history tells of {told} traces, {kept} are kept"
            ));
        }
        complaints
    }

    /// Attempts are kept only of jobs that were given up.
    async fn compare_attempts(&self, store: &str, poisoned: &BTreeSet<u32>) -> Vec<String> {
        let mut complaints = Vec::new();
        let store = store::open(store).await.expect("Redis answers");
        let series: Vec<SeriesId> = self.sweep.series().map(|series| series.id()).collect();
        let attempts = store.attempts(&series).await.expect("Redis answers");
        for (series, attempts) in series.iter().zip(attempts) {
            let seeds: BTreeSet<u32> = attempts.iter().map(|(seed, _)| *seed).collect();
            let is_poisoned =
                |(_, attempt): &(u32, Attempt)| attempt.state == AttemptState::Poisoned;
            if &seeds != poisoned || !attempts.iter().all(is_poisoned) {
                complaints.push(format!("attempts of {series}: {attempts:?}"));
            }
        }
        complaints
    }
}

/// Waits until the queue of jobs is empty and nothing is unacknowledged, and looks at the dead
/// letters: only `garbage` may be among them. Returns what is wrong.
///
/// # Panics
/// If the broker does not answer.
pub async fn leftovers(broker: &str, garbage: &[Vec<u8>]) -> Vec<String> {
    leftovers_but(broker, garbage, &[]).await
}

/// As [`leftovers`]; these jobs may be among the dead letters, too.
pub(super) async fn leftovers_but(broker: &str, garbage: &[Vec<u8>], jobs: &[Job]) -> Vec<String> {
    let mut complaints = Vec::new();
    let (_connection, channel) = connect_broker(broker).await;
    let begin = Instant::now();
    loop {
        let left = waiting(&channel, JOBS).await + waiting(&channel, DELAYED).await;
        if left == 0 {
            break;
        }
        if begin.elapsed() > LONGEST_DRAIN {
            complaints.push(format!("{left} messages are left"));
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let options = BasicGetOptions { no_ack: true };
    while let Ok(Some(letter)) = channel.basic_get(DEAD_LETTERS.into(), options).await {
        let body = &letter.delivery.data;
        if !garbage.contains(body) {
            let what = match Job::decode(body) {
                Ok(job) if jobs.iter().any(|known| known.id() == job.id()) => continue,
                Ok(job) => format!(
                    "{} on {}, seed {}",
                    job.series.method.id, job.series.task, job.seed
                ),
                Err(error) => format!("{} bytes, {error}", body.len()),
            };
            let headers = letter.delivery.properties.headers();
            complaints.push(format!(
                "a dead letter is none of ours: {what}; {headers:?}"
            ));
        }
    }
    complaints
}

/// How many messages wait in the queues of jobs.
///
/// # Panics
/// If the broker does not answer.
pub async fn waiting_messages(broker: &str) -> u32 {
    let (_connection, channel) = connect_broker(broker).await;
    waiting(&channel, JOBS).await + waiting(&channel, DELAYED).await
}

async fn waiting(channel: &Channel, queue: &'static str) -> u32 {
    let passive = QueueDeclareOptions {
        passive: true,
        ..QueueDeclareOptions::default()
    };
    let declared = channel.queue_declare(queue.into(), passive, FieldTable::default());
    declared.await.expect("the queue is there").message_count()
}
