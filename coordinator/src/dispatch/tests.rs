use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use loto_proto::attempt::{Attempt, AttemptState, AttemptVersion};
use loto_proto::identity::{Fingerprint, SweepId};
use loto_proto::job::{Job, MethodSpec};
use loto_proto::sweep::{Blackbox, Sweep};
use loto_proto::trace::Trace;
use loto_transport::TransportError;
use loto_transport::queue::{InProcessQueue, Queue};
use loto_transport::store::{Attempts, Blobs, EmbeddedStore, Store, StoreIdentity, Sweeps, Traces};
use tokio_util::sync::CancellationToken;

use super::newer_versions::NewerVersions;
use super::sound_sweeps::earlier_sweeps;
use super::*;
use crate::plan::{Plan, SweepSource};
use crate::progress::Tracker;
use crate::results::tests::faulty_store::FaultyStore;

mod cancel;
mod damage;
mod deletion;
mod interruption;

fn sweep(seeds: u32) -> Sweep {
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
            methods: vec![MethodSpec {
                name: None,
                id: "rs".into(),
                version: 1,
                parameters: BTreeMap::new(),
                program: None,
            }],
        }],
        seeds,
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

async fn scanned(sweep: &Sweep, store: &dyn Store) -> Tracker {
    let mut tracker = Tracker::new(sweep);
    tracker.scan(store).await.unwrap();
    tracker
}

async fn drain(queue: &InProcessQueue) -> Vec<Job> {
    queue.close();
    let mut consumer = queue.consume(1).await.unwrap();
    let mut jobs = Vec::new();
    while let Some(delivery) = consumer.next().await.unwrap() {
        jobs.push(Job::decode(&delivery.body).unwrap());
        delivery.receipt.acknowledge().await.unwrap();
    }
    jobs
}

fn wait<'a>(store: &'a dyn Store, queue: Option<&'a dyn Queue>) -> Wait<'a> {
    let requeue = queue.map(|queue| Requeue {
        queue,
        identity: Box::leak(Box::default()),
        ids: 1,
        settling: Duration::from_millis(20),
        patience: Duration::from_secs(30),
    });
    Wait {
        id: SweepId([1; 16]),
        store,
        inventory: None,
        requeue,
        poll_interval: Duration::from_millis(2),
        longest_outage: Duration::from_secs(30),
        longest_absence: Duration::from_secs(30),
        shutdown: CancellationToken::new(),
    }
}

#[tokio::test]
async fn every_missing_job_is_published_once_in_order() {
    let sweep = sweep(1300);
    let store = EmbeddedStore::in_memory().await.unwrap();
    let jobs: Vec<Job> = sweep.jobs().collect();
    for job in jobs.iter().step_by(2) {
        store.put_trace(job, &trace()).await.unwrap();
    }
    let queue = InProcessQueue::new();
    let mut tracker = scanned(&sweep, &store).await;
    let (identity, token) = (StoreIdentity::default(), CancellationToken::new());
    let published =
        publish_sweep(sweep.id(), &mut tracker, &store, &identity, &queue, &token).await;
    assert_eq!(published.unwrap(), 1300);
    let state = store.sweep_state(sweep.id()).await.unwrap();
    assert_eq!(state.published_seeds, 1300);
    // Whoever comes after that finds all of them waiting.
    let published =
        publish_sweep(sweep.id(), &mut tracker, &store, &identity, &queue, &token).await;
    assert_eq!(published.unwrap(), 0);
    let expected: Vec<Job> = jobs.into_iter().skip(1).step_by(2).collect();
    assert_eq!(drain(&queue).await, expected);
}

#[tokio::test]
async fn waiting_ends_when_the_last_trace_is_there() {
    let sweep = sweep(3);
    let store = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    let jobs: Vec<Job> = sweep.jobs().collect();
    let worker = {
        let store = store.clone();
        tokio::spawn(async move {
            for job in jobs {
                tokio::time::sleep(Duration::from_millis(3)).await;
                store.put_trace(&job, &trace()).await.unwrap();
            }
        })
    };
    let mut seen = Vec::new();
    let mut tracker = Tracker::new(&sweep);
    let outcome = wait_until_done(&mut tracker, wait(store.as_ref(), None), |progress| {
        seen.push(progress.total.done);
    });
    outcome.await.unwrap();
    worker.await.unwrap();
    assert!(seen.is_sorted());
    assert_eq!(seen.last(), Some(&6));
}

#[tokio::test]
async fn lost_jobs_are_published_again() {
    let sweep = sweep(2);
    let store = EmbeddedStore::in_memory().await.unwrap();
    let queue = InProcessQueue::new();
    // Nothing was ever published: as if the broker had lost it all.
    let mut consumer = queue.consume(1).await.unwrap();
    let computing = async {
        for _ in 0..4 {
            let delivery = consumer.next().await.unwrap().unwrap();
            let job = Job::decode(&delivery.body).unwrap();
            store.put_trace(&job, &trace()).await.unwrap();
            delivery.receipt.acknowledge().await.unwrap();
        }
    };
    let mut tracker = Tracker::new(&sweep);
    let waiting = wait_until_done(&mut tracker, wait(&store, Some(&queue)), |_| {});
    let (outcome, ()) = tokio::join!(waiting, computing);
    outcome.unwrap();
}

#[tokio::test]
async fn an_outage_of_the_store_is_outlasted() {
    let sweep = sweep(2);
    let store = FaultyStore::new().await;
    for job in sweep.jobs() {
        store.put_trace(&job, &trace()).await.unwrap();
    }
    store.offline.store(true, Ordering::Relaxed);
    let mut looks = 0;
    let mut tracker = Tracker::new(&sweep);
    let outcome = wait_until_done(&mut tracker, wait(&store, None), |progress| {
        assert_eq!(progress.total.done, if looks < 3 { 0 } else { 4 });
        looks += 1;
        store.offline.store(looks < 3, Ordering::Relaxed);
    });
    outcome.await.unwrap();
    assert_eq!(looks, 4);

    store.offline.store(true, Ordering::Relaxed);
    let mut brief = wait(&store, None);
    brief.longest_outage = Duration::ZERO;
    let outcome = wait_until_done(&mut tracker, brief, |_| {}).await;
    assert!(
        matches!(outcome, Err(DispatchError::Transport(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn poisoned_jobs_are_told_and_retried() {
    let sweep = sweep(1);
    let store = EmbeddedStore::in_memory().await.unwrap();
    let jobs: Vec<Job> = sweep.jobs().collect();
    store.put_trace(&jobs[0], &trace()).await.unwrap();
    let attempt = Attempt {
        count: 3,
        state: AttemptState::Poisoned,
        error: "potrf failed".into(),
        ..Attempt::default()
    };
    let absent = AttemptVersion::default();
    let put = store.put_attempt(&jobs[1], &absent, &attempt).await;
    assert!(put.unwrap().is_some());
    let mut tracker = Tracker::new(&sweep);
    let outcome = wait_until_done(&mut tracker, wait(&store, None), |_| {}).await;
    let Err(error @ DispatchError::Poisoned { .. }) = outcome else {
        panic!("{outcome:?}");
    };
    assert!(error.to_string().contains("potrf failed"), "{error}");
    assert_eq!(tracker.missing().count(), 0);
    let released = retry_poisoned(&mut tracker, &store).await.unwrap();
    assert_eq!(released, jobs[1..]);
    assert_eq!(tracker.missing().collect::<Vec<_>>(), jobs[1..]);
}

#[tokio::test]
async fn publishing_that_was_interrupted_goes_on_where_it_was() {
    let sweep = sweep(5);
    let store = EmbeddedStore::in_memory().await.unwrap();
    store.mark_published(sweep.id(), 3).await.unwrap();
    let queue = InProcessQueue::new();
    let mut tracker = scanned(&sweep, &store).await;
    let (identity, token) = (StoreIdentity::default(), CancellationToken::new());
    let published =
        publish_sweep(sweep.id(), &mut tracker, &store, &identity, &queue, &token).await;
    assert_eq!(published.unwrap(), 4);
    assert!(drain(&queue).await.iter().all(|job| job.seed >= 3));
}

#[tokio::test]
async fn a_sweep_with_two_outcomes_for_a_job_does_not_end_well() {
    let sweep = sweep(1);
    let store = EmbeddedStore::in_memory().await.unwrap();
    for job in sweep.jobs() {
        store.put_trace(&job, &trace()).await.unwrap();
    }
    let job = sweep.jobs().next().unwrap();
    store
        .put_conflict(&job, "iteration 3 differs")
        .await
        .unwrap();
    let waiting =
        async || wait_until_done(&mut Tracker::new(&sweep), wait(&store, None), |_| {}).await;
    let error = waiting().await.unwrap_err();
    assert!(error.to_string().contains("iteration 3"), "{error}");
    store.forget_conflict(job.series.id(), 0).await.unwrap();
    waiting().await.unwrap();
}

#[tokio::test]
async fn waiting_can_be_interrupted() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let wait = wait(&store, None);
    wait.shutdown.cancel();
    let outcome = wait_until_done(&mut Tracker::new(&sweep(1)), wait, |_| {}).await;
    assert!(
        matches!(outcome, Err(DispatchError::Interrupted(_))),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_changed_table_is_refused_and_a_grown_sweep_is_not() {
    let plan = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    let store = EmbeddedStore::in_memory().await.unwrap();
    let id = record(&plan, &store).await.unwrap();
    assert_eq!(record(&plan, &store).await.unwrap(), id);
    let blob = store
        .blob(&plan.tables[0].blob_name())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(blob, plan.tables[0].blob());

    let mut grown = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    grown.sweep.seeds += 1;
    assert_ne!(record(&grown, &store).await.unwrap(), id);

    let mut changed = Plan::read(&SweepSource::BuiltIn, None).unwrap();
    changed.sweep.blackboxes[0].table = Fingerprint([9; 16]);
    let error = record(&changed, &store).await.unwrap_err();
    assert!(
        matches!(error, DispatchError::TableChanged { .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains(&Fingerprint([9; 16]).to_string()), "{text}");
    assert!(
        text.contains(&plan.tables[0].fingerprint().to_string()),
        "{text}"
    );
    changed.sweep.name = "another".into();
    assert!(record(&changed, &store).await.is_ok());
}

async fn newer_versions(
    sweep: &Sweep,
    store: &dyn Store,
) -> Result<Option<NewerVersions>, TransportError> {
    let earlier = earlier_sweeps(sweep, store).await?;
    NewerVersions::find(sweep, &earlier, store).await
}

#[tokio::test]
async fn jobs_of_newer_versions_are_told_before_they_are_computed_again() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let old = sweep(3);
    store.put_sweep(&old).await.unwrap();
    for job in old.jobs().take(5) {
        store.put_trace(&job, &trace()).await.unwrap();
    }
    assert_eq!(newer_versions(&old, &store).await.unwrap(), None);
    let mut new = sweep(2);
    new.blackboxes[0].methods[0].version = 3;
    // Of two tasks with two seeds, one job is done with the new version, too.
    let done = new.jobs().next().unwrap();
    store.put_trace(&done, &trace()).await.unwrap();
    // A job of which there are two earlier versions counts once.
    let mut middle = sweep(2);
    middle.blackboxes[0].methods[0].version = 2;
    store.put_sweep(&middle).await.unwrap();
    let last = middle.jobs().last().unwrap();
    store.put_trace(&last, &trace()).await.unwrap();
    let told = newer_versions(&new, &store).await.unwrap().unwrap();
    assert_eq!(
        told.to_string(),
        "1 method has a newer version, with other traces, than the results in the store (rs 2 -> 3): 3 jobs are \
         computed again; the earlier traces are kept"
    );
    let mut other = new.clone();
    other.name = "other".into();
    assert_eq!(newer_versions(&other, &store).await.unwrap(), None);
}

#[tokio::test]
async fn lost_jobs_are_noticed_while_those_of_another_sweep_wait() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let queue = InProcessQueue::new();
    let mut other = sweep(10);
    other.name = "other".into();
    other.blackboxes[0].targets = vec!["three".into()];
    store.put_sweep(&other).await.unwrap();
    store.mark_published(other.id(), 10).await.unwrap();
    let theirs: Vec<Job> = other.jobs().collect();
    queue.publish(&theirs).await.unwrap();

    let ours = sweep(2);
    store.put_sweep(&ours).await.unwrap();
    let mut tracker = Tracker::new(&ours);
    let waiting = wait_until_done(&mut tracker, wait(&store, Some(&queue)), |_| {});
    let published = async {
        while queue.waiting().await.unwrap() < 10 + 4 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = waiting => panic!("{outcome:?}"),
        published = tokio::time::timeout(Duration::from_secs(20), published) => published.unwrap(),
    }
    let jobs = drain(&queue).await;
    let (theirs_first, published) = jobs.split_at(10);
    assert_eq!(theirs_first, theirs);
    assert_eq!(published, ours.jobs().collect::<Vec<_>>());
}
