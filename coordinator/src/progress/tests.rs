use std::collections::BTreeMap;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::identity::Fingerprint;
use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::trace::Trace;
use loto_transport::store::{Attempts, EmbeddedStore, Traces};

use super::*;
use crate::results::tests::jobs_by_series;

fn sweep() -> Sweep {
    let method = |id: &str| MethodSpec {
        name: None,
        id: id.into(),
        version: 1,
        parameters: BTreeMap::new(),
        program: None,
    };
    Sweep {
        name: "test".into(),
        blackboxes: vec![Blackbox {
            name: "B".into(),
            table: Fingerprint([1; 16]),
            table_file: None,
            targets: vec!["one".into(), "two".into()],
            iterations: 1,
            protocol: Default::default(),
            cost: None,
            methods: vec![method("rs"), method("gp")],
        }],
        seeds: 3,
    }
}

fn trace() -> Trace {
    Trace {
        rows: vec![0],
        values: vec![0.5],
        further_values: Vec::new(),
        microseconds: vec![1],
        preparation_microseconds: 0,
        linear_algebra: String::new(),
        program: Default::default(),
    }
}

fn attempt(state: AttemptState) -> Attempt {
    Attempt {
        count: 1,
        state,
        worker: "host:1".into(),
        error: "it broke".into(),
        ..Attempt::default()
    }
}

/// Seeds 0 and 2 of the first series are done, the next three jobs are running,
/// failed and poisoned.
async fn store_half_way(jobs: &[Job]) -> EmbeddedStore {
    let store = EmbeddedStore::in_memory().await.unwrap();
    store.put_trace(&jobs[0], &trace()).await.unwrap();
    store.put_trace(&jobs[2], &trace()).await.unwrap();
    let states = [
        AttemptState::Running,
        AttemptState::Failed,
        AttemptState::Poisoned,
    ];
    for (job, state) in jobs[3..].iter().zip(states) {
        let absent = AttemptVersion::default();
        let put = store.put_attempt(job, &absent, &attempt(state)).await;
        assert!(put.unwrap().is_some());
    }
    store
}

#[tokio::test]
async fn jobs_are_counted_by_state_and_method() {
    let jobs: Vec<Job> = jobs_by_series(&sweep());
    let store = store_half_way(&jobs).await;
    let expected = Counts {
        queued: 7,
        running: 1,
        done: 2,
        failed: 1,
        poisoned: 1,
    };
    let mut scanned = Tracker::new(&sweep());
    scanned.scan(&store).await.unwrap();
    assert_eq!(scanned.progress().total, expected);
    assert_eq!(scanned.progress().groups[1].counts.queued, 6);
    let mut followed = Tracker::new(&sweep());
    followed.follow(&store).await.unwrap();
    assert_eq!(followed.progress(), scanned.progress());
    let text = "2 of 12 done, 1 running, 7 queued, 1 failed (to be tried again), 1 poisoned";
    assert_eq!(expected.to_string(), text);
}

#[tokio::test]
async fn missing_is_what_is_neither_done_nor_poisoned_seed_by_seed() {
    let jobs: Vec<Job> = jobs_by_series(&sweep());
    let store = store_half_way(&jobs).await;
    let mut tracker = Tracker::new(&sweep());
    tracker.scan(&store).await.unwrap();
    let missing: Vec<Job> = tracker.missing().collect();
    let expected = [3, 6, 9, 1, 4, 7, 10, 8, 11].map(|position: usize| jobs[position].clone());
    assert_eq!(missing, expected);
    let poisoned: Vec<PoisonedJob> = tracker.poisoned().collect();
    assert_eq!(poisoned.len(), 1);
    assert_eq!(poisoned[0].job, jobs[5]);
    let text = poisoned[0].to_string();
    assert!(text.contains("rs on two, seed 2: it broke"), "{text}");
}

#[tokio::test]
async fn following_takes_in_only_what_is_new() {
    let jobs: Vec<Job> = jobs_by_series(&sweep());
    let store = store_half_way(&jobs).await;
    let mut tracker = Tracker::new(&sweep());
    tracker.follow(&store).await.unwrap();
    for job in &jobs {
        store.put_trace(job, &trace()).await.unwrap();
    }
    // A trace of another sweep in the same store is none of ours.
    let mut other = jobs[0].clone();
    other.series.task = "three".into();
    store.put_trace(&other, &trace()).await.unwrap();
    let mut beyond = jobs[0].clone();
    beyond.seed = 7;
    store.put_trace(&beyond, &trace()).await.unwrap();
    tracker.follow(&store).await.unwrap();
    let total = tracker.progress().total;
    assert_eq!((total.done, total.unfinished(), total.poisoned), (12, 0, 0));
}

#[test]
fn a_series_planned_twice_is_one_set_of_jobs() {
    let mut twice = sweep();
    let mut copy = twice.blackboxes[0].clone();
    copy.name = "C".into();
    twice.blackboxes.push(copy);
    assert_eq!(Tracker::new(&twice).progress().total.queued, 12);
}

#[tokio::test]
async fn the_costliest_are_missing_first_once_their_cost_is_measured() {
    let jobs: Vec<Job> = jobs_by_series(&sweep());
    let store = EmbeddedStore::in_memory().await.unwrap();
    // `rs` on both tasks is measured, at 1 and 3 ms; `gp` on the second alone, at 50 ms.
    for (job, milliseconds) in [(0, 1), (3, 3), (9, 50)] {
        let mut trace = trace();
        trace.preparation_microseconds = milliseconds * 1000 - 1;
        store.put_trace(&jobs[job], &trace).await.unwrap();
    }
    let mut tracker = Tracker::new(&sweep());
    tracker.scan(&store).await.unwrap();
    let order = |tracker: &Tracker| -> Vec<usize> {
        let missing = tracker.missing();
        missing
            .map(|job| jobs.iter().position(|known| *known == job).unwrap())
            .collect()
    };
    assert_eq!(order(&tracker), [6, 1, 4, 7, 10, 2, 5, 8, 11]);
    tracker.measure(&store).await.unwrap();
    assert_eq!(order(&tracker), [6, 7, 10, 1, 4, 8, 11, 2, 5]);
    let missing: Vec<Job> = tracker.missing_of_seeds(0..1).collect();
    assert_eq!(missing, [jobs[6].clone()]);
    let cpu_time: Vec<_> = tracker
        .progress()
        .groups
        .iter()
        .map(|g| g.cpu_time)
        .collect();
    assert_eq!(cpu_time, [2, 50].map(std::time::Duration::from_millis));
    assert!(tracker.may_measure());
}
