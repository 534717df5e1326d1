//! The loop on the embedded queue and store, with what can go wrong put in its way.

mod faults;
mod misfits;
mod outages;
mod shutdown;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use loto_engine::{EngineError, ImpossibleJob};
use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::identity::{Fingerprint, SweepId};
use loto_proto::job::{Job, MethodSpec, Series};
use loto_proto::lifecycle;
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::queue::InProcessQueue;
use loto_transport::store::{Attempts, EmbeddedStore, Heartbeats, Sweeps, Traces};
use tokio::runtime::Handle;

use self::faults::{FlakyStore, LossyQueue, SilentQueue};
use super::*;
use crate::threads::Threads;

fn job(seed: u32) -> Job {
    Job {
        series: Series {
            method: MethodSpec {
                name: None,
                id: "rs".into(),
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            },
            table: Fingerprint([9; 16]),
            task: "one".into(),
            iterations: 1,
        },
        seed,
    }
}

fn trace(seed: u32) -> Trace {
    Trace {
        rows: vec![seed],
        values: vec![f64::from(seed)],
        further_values: Vec::new(),
        microseconds: vec![1],
        preparation_microseconds: 0,
        linear_algebra: "none".into(),
        program: Default::default(),
    }
}

fn impossible() -> EngineError {
    ImpossibleJob::NoRow("no such task").into()
}

fn options(jobs: u16) -> ConsumerOptions {
    ConsumerOptions {
        jobs,
        failure_backoff: Backoff {
            first_delay: Duration::from_millis(1),
            longest_delay: Duration::from_millis(4),
            time_limit: None,
        },
        grace: Duration::from_secs(20),
        ..ConsumerOptions::default()
    }
}

/// A queue with these jobs that ends the consumer when they are settled, and an empty store.
async fn set_up(seeds: std::ops::Range<u32>) -> (InProcessQueue, Arc<EmbeddedStore>) {
    let queue = InProcessQueue::new();
    queue
        .publish(&seeds.map(job).collect::<Vec<_>>())
        .await
        .unwrap();
    (queue, Arc::new(EmbeddedStore::in_memory().await.unwrap()))
}

async fn consume(
    queue: &InProcessQueue,
    store: &Arc<EmbeddedStore>,
    jobs: u16,
    compute: impl Fn(&Job) -> Result<Trace, EngineError> + Send + Sync + 'static,
) -> ConsumerSummary {
    queue.close();
    let running = run(
        Arc::new(queue.clone()),
        store.clone(),
        Arc::new(Threads::new(compute)),
        options(jobs),
        CancellationToken::new(),
        None,
    );
    tokio::time::timeout(Duration::from_secs(60), running)
        .await
        .expect("it hangs")
        .unwrap()
}

async fn done(store: &dyn Store) -> Vec<u32> {
    store
        .seeds_done(&[job(0).series.id()])
        .await
        .unwrap()
        .remove(0)
}

async fn attempts(store: &dyn Store) -> Vec<(u32, Attempt)> {
    store
        .attempts(&[job(0).series.id()])
        .await
        .unwrap()
        .remove(0)
}

async fn put_attempt(store: &EmbeddedStore, attempt: &Attempt) {
    let absent = AttemptVersion::default();
    let put = store.put_attempt(&job(0), &absent, attempt).await;
    assert!(put.unwrap().is_some());
}

#[tokio::test]
async fn every_job_is_run_once_and_stored_at_most_so_many_side_by_side() {
    let (queue, store) = set_up(0..40).await;
    let (running, most, calls) = (
        AtomicU32::new(0),
        Arc::new(AtomicU32::new(0)),
        AtomicU32::new(0),
    );
    let seen = most.clone();
    let summary = consume(&queue, &store, 3, move |job| {
        calls.fetch_add(1, SeqCst);
        seen.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        running.fetch_sub(1, SeqCst);
        Ok(trace(job.seed))
    })
    .await;
    assert_eq!(
        summary,
        ConsumerSummary {
            stored: 40,
            ..Default::default()
        }
    );
    assert_eq!(done(&*store).await, (0..40).collect::<Vec<_>>());
    assert!(attempts(&*store).await.is_empty());
    assert!((2..=3).contains(&most.load(SeqCst)));
}

#[tokio::test]
async fn it_ends_without_jobs_if_asked_but_not_while_one_runs() {
    let (queue, store) = set_up(0..1).await;
    let idle = Duration::from_millis(20);
    let options = ConsumerOptions {
        exit_when_idle: Some(idle),
        ..options(1)
    };
    // The queue is open: nothing but the idle time ends the loop.
    let running = run(
        Arc::new(queue),
        store.clone(),
        Arc::new(Threads::new(move |job: &Job| {
            std::thread::sleep(10 * idle);
            Ok(trace(job.seed))
        })),
        options,
        CancellationToken::new(),
        None,
    );
    let summary = tokio::time::timeout(Duration::from_secs(60), running).await;
    let summary = summary.expect("it does not end").unwrap();
    assert_eq!((summary.stored, summary.requeued), (1, 0));
    assert_eq!(done(&*store).await, [0]);
}

#[tokio::test]
async fn what_is_done_is_not_computed_again() {
    let (queue, store) = set_up(0..3).await;
    store.put_trace(&job(1), &trace(1)).await.unwrap();
    let summary = consume(&queue, &store, 1, |job| {
        assert_ne!(job.seed, 1);
        Ok(trace(job.seed))
    })
    .await;
    assert_eq!((summary.stored, summary.already_done), (2, 1));
}

#[tokio::test]
async fn garbage_goes_to_the_dead_letters_and_the_loop_lives_on() {
    let (queue, store) = set_up(0..1).await;
    let garbage = [b"garbage".to_vec(), Vec::new(), vec![0xff; 1000]];
    queue.publish_messages(garbage.clone()).unwrap();
    queue.publish(&[job(1)]).await.unwrap();
    let summary = consume(&queue, &store, 1, |job| Ok(trace(job.seed))).await;
    assert_eq!((summary.stored, summary.refused), (2, 3));
    assert_eq!(queue.dead_letters(), garbage);
}

#[tokio::test]
async fn a_failing_or_panicking_job_is_tried_again_and_then_poisoned() {
    let (queue, store) = set_up(0..3).await;
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let summary = consume(&queue, &store, 1, move |job| match job.seed {
        0 => Err(impossible()),
        1 => {
            counted.fetch_add(1, SeqCst);
            panic!("index 7 of 5")
        }
        seed => Ok(trace(seed)),
    })
    .await;
    let expected = ConsumerSummary {
        stored: 1,
        failed: 4,
        poisoned: 2,
        ..Default::default()
    };
    assert_eq!(summary, expected);
    assert_eq!(calls.load(SeqCst), 3);
    let attempts = attempts(&*store).await;
    for ((seed, attempt), problem) in attempts.iter().zip(["no such task", "index 7 of 5"]) {
        assert_eq!(
            (attempt.count, attempt.state),
            (3, AttemptState::Poisoned),
            "{seed}"
        );
        assert!(attempt.error.contains(problem), "{}", attempt.error);
        assert!(
            attempt
                .worker
                .ends_with(&format!(":{}", std::process::id()))
        );
    }
    assert_eq!(attempts.len(), 2);
}

#[tokio::test]
async fn a_job_that_works_the_second_time_is_done_and_a_retried_one_begins_afresh() {
    let (queue, store) = set_up(0..2).await;
    let recalled = lifecycle::retry(&Attempt {
        count: 3,
        failures: 3,
        state: AttemptState::Poisoned,
        ..Attempt::default()
    });
    put_attempt(&store, &recalled).await;
    let calls = AtomicU32::new(0);
    let summary = consume(&queue, &store, 1, move |job| {
        match calls.fetch_add(1, SeqCst) {
            0 => Err(impossible()),
            _ => Ok(trace(job.seed)),
        }
    })
    .await;
    assert_eq!((summary.stored, summary.failed), (2, 1));
    assert!(attempts(&*store).await.is_empty());
}

#[tokio::test]
async fn a_job_that_kills_its_workers_is_poisoned() {
    let (queue, store) = set_up(0..1).await;
    let unfinished = Attempt {
        count: 10,
        state: AttemptState::Running,
        ..Attempt::default()
    };
    put_attempt(&store, &unfinished).await;
    let summary = consume(&queue, &store, 1, |_| panic!("it must not run")).await;
    assert_eq!(summary.poisoned, 1);
    assert!(attempts(&*store).await[0].1.error.contains("workers died"));
}

#[tokio::test]
async fn nothing_is_begun_of_what_is_poisoned_or_cancelled() {
    let (queue, store) = set_up(0..1).await;
    let poisoned = Attempt {
        state: AttemptState::Poisoned,
        ..Attempt::default()
    };
    put_attempt(&store, &poisoned).await;
    let summary = consume(&queue, &store, 1, |_| panic!("it must not run")).await;
    assert_eq!(summary.dropped, 1);

    let (queue, store) = set_up(0..2).await;
    let (sweep, series) = (SweepId([1; 16]), [job(0).series.id()]);
    store.cancel_sweep(sweep, &series).await.unwrap();
    let summary = consume(&queue, &store, 1, |_| panic!("it must not run")).await;
    assert_eq!(summary.dropped, 2);
}

/// A message that was delivered twice: while one worker runs the job, another begins it, again and again.
#[tokio::test]
async fn a_job_that_two_workers_take_from_each_other_is_poisoned_by_its_failures() {
    let (queue, store) = set_up(0..1).await;
    let (other, runtime) = (store.clone(), Handle::current());
    let summary = consume(&queue, &store, 1, move |job| {
        let record = other.job_record(job.series.id(), job.seed);
        let record = runtime.block_on(record).unwrap();
        let ours = record.attempt.unwrap();
        let theirs = Attempt {
            count: ours.count + 1,
            worker: "elsewhere:1".into(),
            token: "80/1".into(),
            ..ours
        };
        let put = other.put_attempt(job, &record.version, &theirs);
        assert!(runtime.block_on(put).unwrap().is_some());
        Err(impossible())
    })
    .await;
    assert_eq!((summary.requeued, summary.poisoned), (2, 1));
    let attempt = &attempts(&*store).await[0].1;
    assert!(attempt.error.contains("no such task"), "{}", attempt.error);
    assert_eq!(attempt.failures, 3);
}

#[tokio::test]
async fn an_attempt_that_another_worker_took_is_not_reported_on() {
    let (queue, store) = set_up(0..1).await;
    let (other, runtime) = (store.clone(), Handle::current());
    let calls = AtomicU32::new(0);
    let summary = consume(&queue, &store, 1, move |job| {
        if calls.fetch_add(1, SeqCst) > 0 {
            return Ok(trace(job.seed));
        }
        let record = other.job_record(job.series.id(), job.seed);
        let record = runtime.block_on(record).unwrap();
        let theirs = Attempt {
            count: 2,
            state: AttemptState::Running,
            worker: "elsewhere:1".into(),
            ..Attempt::default()
        };
        let put = other.put_attempt(job, &record.version, &theirs);
        assert!(runtime.block_on(put).unwrap().is_some());
        Err(impossible())
    })
    .await;
    assert_eq!((summary.requeued, summary.stored), (1, 1));
}

#[tokio::test]
async fn the_store_is_told_which_jobs_are_held() {
    let (queue, store) = set_up(0..1).await;
    queue.close();
    let (watched, runtime) = (store.clone(), Handle::current());
    let compute = Threads::new(move |job: &Job| {
        let reports = || runtime.block_on(watched.heartbeats()).unwrap();
        let begin = Instant::now();
        while !reports()
            .iter()
            .any(|(_, report)| report.jobs == [job.id()])
        {
            assert!(begin.elapsed() < Duration::from_secs(20), "nothing is told");
        }
        Ok(trace(job.seed))
    });
    let options = ConsumerOptions {
        heartbeat_interval: Some(Duration::from_millis(1)),
        ..options(1)
    };
    let (queue, token) = (Arc::new(queue), CancellationToken::new());
    let running = run(
        queue,
        store.clone(),
        Arc::new(compute),
        options,
        token,
        None,
    );
    assert_eq!(running.await.unwrap().stored, 1);
    assert!(store.heartbeats().await.unwrap().is_empty());
}

#[tokio::test]
async fn another_outcome_for_a_job_is_refused_loudly() {
    let (queue, store) = set_up(0..1).await;
    let other = store.clone();
    let runtime = Handle::current();
    // The other outcome arrives while this one is computed.
    let summary = consume(&queue, &store, 1, move |job| {
        runtime.block_on(other.put_trace(job, &trace(77))).unwrap();
        Ok(trace(0))
    })
    .await;
    assert_eq!(summary.refused, 1);
    assert_eq!(queue.dead_letters(), [job(0).encode()]);
    let conflicts = store.conflicts().await.unwrap();
    let [conflict] = conflicts.as_slice() else {
        panic!("{conflicts:?}")
    };
    assert_eq!((conflict.series, conflict.seed), (job(0).series.id(), 0));
    let problem = &conflict.problem;
    assert!(problem.contains("another outcome"), "{problem}");
    assert_eq!(
        store.trace(job(0).series.id(), 0).await.unwrap(),
        Some(trace(77))
    );
}

#[tokio::test]
async fn the_observer_sees_every_job() {
    let (queue, store) = set_up(0..3).await;
    queue.close();
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let notes = seen.clone();
    let observer: Observer = Arc::new(move |job, outcome| {
        notes.lock().unwrap().push((job.seed, outcome.clone()));
    });
    let compute = Arc::new(Threads::new(|job: &Job| Ok(trace(job.seed))));
    let token = CancellationToken::new();
    run(
        Arc::new(queue),
        store,
        compute,
        options(1),
        token,
        Some(observer),
    )
    .await
    .unwrap();
    let expected = [0, 1, 2].map(|seed| (seed, Outcome::Stored));
    assert_eq!(*seen.lock().unwrap(), expected);
}
