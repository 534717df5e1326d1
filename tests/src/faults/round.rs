//! One sweep from its submission to the verdict.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use loto_proto::job::Job;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::chronicle::Chronicle;
use super::injection::{Outcome, Target, inject};
use super::installation::{COORDINATOR, Carrier, GRACE, HOST, Installation, worker_name};
use super::left::{leftovers_but, waiting_messages};
use super::schedule::{Fault, Kind, Poison, WORKERS};
use super::stray_messages;
use super::supervisor::End;
use super::verdict::Undisturbed;

/// How long the sweep may take after the last fault.
const LONGEST_END: Duration = Duration::from_secs(300);

/// How long the client may take to learn of the end.
const LONGEST_NEWS: Duration = Duration::from_secs(60);

/// How much longer than its grace period a worker may take to end: it settles what it holds.
const SETTLING: Duration = Duration::from_secs(5);

/// How long a host may take to end: it waits for clients that vanished until they miss a sign of life, which is asked for
/// after ten seconds of silence and waited for as long.
const LONGEST_HOST_END: Duration = Duration::from_secs(25);

/// What came of a round.
pub struct Report {
    /// By kind: how many faults happened, and how many could not be brought about here.
    pub faults: BTreeMap<Kind, (u64, u64)>,
    /// What is wrong; empty if everything was survived.
    pub complaints: Vec<String>,
}

/// Runs a sweep under the faults of a schedule, at most so many, and says what came of it.
/// Faults end with the sweep, so there may be fewer. Logs go to `logs`.
///
/// # Panics
/// If a fault cannot be brought about that should be.
pub async fn run(
    sweep: &Undisturbed,
    poison: &Poison,
    (carrier, schedule): (Carrier, impl Iterator<Item = Fault>),
    most: u64,
    logs: &Path,
) -> Report {
    let installation = Arc::new(Installation::start(sweep, poison, carrier, logs).await);
    let mut chronicle = Chronicle::new();
    let strays = disturb(&installation, sweep, schedule, most, &mut chronicle).await;
    let complaints = judge(&installation, sweep, poison, &strays, &chronicle).await;
    Report {
        faults: chronicle.counts(),
        complaints,
    }
}

/// What the dead letters may hold in the end.
#[derive(Default)]
struct Strays {
    /// Messages that are no jobs.
    garbage: Vec<Vec<u8>>,
    /// Jobs whose traces were damaged: a worker that meets one cannot compute it until it is discarded.
    damaged: Vec<Job>,
}

/// Brings the faults about; returns what may become of that in the dead letters.
async fn disturb(
    installation: &Arc<Installation>,
    sweep: &Undisturbed,
    schedule: impl Iterator<Item = Fault>,
    most: u64,
    chronicle: &mut Chronicle,
) -> Strays {
    let jobs = Arc::new(sweep.jobs());
    let mut turns: HashMap<Target, Arc<Mutex<()>>> = HashMap::new();
    let mut running = JoinSet::new();
    let mut strays = Strays::default();
    let mut begun = 0;
    for fault in schedule {
        while let Some(ended) = running.try_join_next() {
            begun += record(chronicle, &mut strays, ended.expect("no panic"));
        }
        if begun + running.len() as u64 >= most {
            break;
        }
        sleep(fault.pause).await;
        let turn = Arc::clone(turns.entry(Target::of(&fault)).or_default());
        let turn = turn.lock_owned().await;
        if installation.supervisor.ended(COORDINATOR).is_some() {
            break;
        }
        let at = chronicle.now();
        let injecting = inject(Arc::clone(installation), Arc::clone(&jobs), fault);
        running.spawn(async move {
            let outcome = injecting.await;
            drop(turn);
            (at, fault.kind, outcome)
        });
    }
    while let Some(ended) = running.join_next().await {
        record(chronicle, &mut strays, ended.expect("no panic"));
    }
    strays
}

/// Returns how many faults that were: one, or none if it came too late.
fn record(
    chronicle: &mut Chronicle,
    strays: &mut Strays,
    (at, kind, outcome): (Duration, Kind, anyhow::Result<Outcome>),
) -> u64 {
    match outcome.unwrap_or_else(|error| panic!("{kind:?} cannot be brought about: {error:#}")) {
        Outcome::Injected(what) => chronicle.injected(at, kind, &what),
        Outcome::Littered(bytes) => {
            chronicle.injected(at, kind, &format!("{} bytes", bytes.len()));
            strays.garbage.push(bytes);
        }
        Outcome::Damaged(job) => {
            chronicle.injected(at, kind, &format!("job {}", job.id()));
            strays.damaged.push(job);
        }
        Outcome::Skipped(reason) => chronicle.skipped(at, kind, &reason),
        Outcome::TooLate => return 0,
    }
    1
}

/// Waits for the end of the sweep and says what is wrong with it.
async fn judge(
    installation: &Installation,
    sweep: &Undisturbed,
    poison: &Poison,
    strays: &Strays,
    chronicle: &Chronicle,
) -> Vec<String> {
    let mut complaints = Vec::new();
    let supervisor = &installation.supervisor;
    let ended = || supervisor.ended(COORDINATOR).is_some();
    if !eventually(LONGEST_END, ended).await {
        complaints.push(format!("the sweep did not end within {LONGEST_END:?}"));
    } else {
        complaints.extend(last_words(installation, poison));
    }
    chronicle.tell(chronicle.now(), "the coordinator ended");
    if !eventually(LONGEST_NEWS, || installation.client.is_complete()).await {
        complaints.push("the client was never told that the sweep is complete".into());
    }
    let seen = installation.client.seen();
    chronicle.tell(
        chronicle.now(),
        &format!(
            "the client was told {} times over {} streams how far the sweep is",
            seen.messages, seen.streams
        ),
    );
    complaints.extend(seen.complaints);
    let happened = |kind| chronicle.counts().contains_key(&kind);
    if !happened(Kind::StoreWiped) && !happened(Kind::TraceDamaged) {
        complaints.extend(seen.losses);
    }
    let (broker, store) = (installation.broker_url(), installation.store_url());
    if happened(Kind::ForeignJobs) {
        complaints.extend(take_foreign_jobs(&broker).await);
    }
    let Strays { garbage, damaged } = strays;
    complaints.extend(leftovers_but(&broker, garbage, damaged).await);
    let poisoned = poison.keys().copied().collect();
    // A damaged trace that was computed again is told of twice.
    let torn = happened(Kind::StoreLosesPower)
        || happened(Kind::HistoryTrimmed)
        || happened(Kind::TraceDamaged);
    complaints.extend(sweep.compare(&store, &poisoned, torn).await);
    chronicle.tell(chronicle.now(), "the queue is empty; traces were compared");

    let at_most = Duration::from_secs(GRACE.into()) + SETTLING;
    for number in 0..WORKERS {
        supervisor.stop(&worker_name(number), 2 * at_most).await;
    }
    // What a worker took and never settled comes back to the queue when the worker ends.
    let mut unsettled = waiting_messages(&broker).await;
    if unsettled > 0 && happened(Kind::ForeignJobs) {
        // A worker may hold the last job of the other store just then, which is no delivery of ours.
        complaints.extend(take_foreign_jobs(&broker).await);
        unsettled = waiting_messages(&broker).await;
    }
    if unsettled > 0 {
        complaints.push(format!("{unsettled} deliveries were never settled"));
    }
    for name in supervisor.names() {
        let ends = supervisor.ends(&name);
        chronicle.tell(chronicle.now(), &describe(&name, &ends));
        let at_most = if name == HOST {
            LONGEST_HOST_END
        } else {
            at_most
        };
        for end in &ends {
            let is_late = end.sent == Some("TERM") && end.after > at_most;
            let is_last_word = name == COORDINATOR && end.status.code() == Some(1);
            if !(end.is_sound() || is_last_word) || is_late {
                complaints.push(format!("{name} ended badly: {end:?}"));
            }
        }
    }
    complaints.extend(installation.panics());
    complaints.extend(rejections(installation));
    complaints
}

/// Takes the jobs of the other store from the queue, as its workers do. Returns what is wrong.
async fn take_foreign_jobs(broker: &str) -> Option<String> {
    let taken = stray_messages::fetch(broker, usize::MAX).await;
    let error = taken.err()?;
    Some(format!(
        "the jobs of another store cannot be taken: {error:#}"
    ))
}

/// What is wrong with how the coordinator ended: it has to name the jobs that were given up.
fn last_words(installation: &Installation, poison: &Poison) -> Vec<String> {
    let supervisor = &installation.supervisor;
    let status = supervisor.ended(COORDINATOR);
    let code = status.and_then(|status| status.code());
    let expected = i32::from(!poison.is_empty());
    let mut complaints = Vec::new();
    if code != Some(expected) {
        complaints.push(format!(
            "the coordinator ended with {code:?}, not {expected}"
        ));
    }
    let log = std::fs::read_to_string(supervisor.log(COORDINATOR)).unwrap_or_default();
    let names = |seed: &u32| log.contains(&format!("seed {seed}"));
    if !poison.is_empty() && !poison.keys().any(names) {
        complaints.push("the coordinator names no job that was given up".into());
    }
    complaints
}

/// What a host says of messages that are no jobs: it keeps them in memory, and nobody put any on its queue.
fn rejections(installation: &Installation) -> Option<String> {
    let log = std::fs::read_to_string(installation.supervisor.log(HOST)).unwrap_or_default();
    let rejected = log
        .lines()
        .filter(|line| line.contains("rejected a message"));
    match rejected.count() {
        0 => None,
        count => Some(format!("{count} messages were taken for no jobs")),
    }
}

/// How often the processes of a service ended, and how.
fn describe(name: &str, ends: &[End]) -> String {
    let with = |signal| ends.iter().filter(move |end| end.sent == signal);
    let longest = with(Some("TERM")).map(|end| end.after).max();
    format!(
        "{name}: killed {} times, ended on request {} times (at most {:.1} s), on its own {} times",
        with(Some("KILL")).count(),
        with(Some("TERM")).count(),
        longest.unwrap_or_default().as_secs_f64(),
        with(None).count(),
    )
}

async fn eventually(at_most: Duration, is_so: impl Fn() -> bool) -> bool {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() > at_most {
            return false;
        }
        sleep(Duration::from_millis(50)).await;
    }
    true
}
