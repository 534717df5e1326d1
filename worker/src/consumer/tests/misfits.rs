//! Jobs for the workers of another store or release.

use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use loto_proto::identity::StoreId;
use loto_transport::queue::{Consumer, Queue};
use loto_transport::store::StoreIdentity;

use super::*;

/// Options of a worker among others.
fn among_others() -> ConsumerOptions {
    ConsumerOptions {
        heartbeat_interval: Some(Duration::from_millis(5)),
        ..options(1)
    }
}

/// Runs a worker until it has settled so many deliveries, and gives what the store was told meanwhile.
async fn settle_deliveries(
    queue: &InProcessQueue,
    store: &Arc<EmbeddedStore>,
    compute: impl Fn(&Job) -> Result<Trace, EngineError> + Send + Sync + 'static,
    wanted: u32,
) -> (ConsumerSummary, Vec<String>) {
    let shutdown = CancellationToken::new();
    let (settled, end) = (AtomicU32::new(0), shutdown.clone());
    let observer: Observer = Arc::new(move |_, _| {
        if settled.fetch_add(1, SeqCst) + 1 == wanted {
            end.cancel();
        }
    });
    let names = Arc::new(std::sync::Mutex::new(Vec::new()));
    let (watched, seen) = (store.clone(), names.clone());
    let watching = tokio::spawn(async move {
        loop {
            for (name, _) in watched.heartbeats().await.unwrap() {
                let mut seen = seen.lock().unwrap();
                if !seen.contains(&name) {
                    seen.push(name);
                }
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    let running = run(
        Arc::new(queue.clone()),
        store.clone(),
        Arc::new(Threads::new(compute)),
        among_others(),
        shutdown,
        Some(observer),
    );
    let summary = tokio::time::timeout(Duration::from_secs(60), running).await;
    watching.abort();
    let names = names.lock().unwrap().clone();
    (summary.expect("it hangs").unwrap(), names)
}

#[tokio::test]
async fn a_job_for_another_store_is_requeued_and_not_recorded() {
    let store = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    let identity = StoreIdentity::default();
    let ours = identity.current(&*store).await.unwrap();
    let queue = InProcessQueue::new();
    let foreign = job(0).encode_for(Some(StoreId([0xee; 16])));
    let messages = [
        foreign.clone(),
        job(1).encode_for(Some(ours)),
        job(2).encode(),
    ];
    queue.publish_messages(messages).unwrap();
    let compute = |job: &Job| {
        assert_ne!(job.seed, 0, "it is not ours");
        Ok(trace(job.seed))
    };
    let (summary, names) = settle_deliveries(&queue, &store, compute, 3).await;
    assert_eq!((summary.foreign, summary.stored), (1, 2));
    assert_eq!(done(&*store).await, [1, 2]);
    assert!(attempts(&*store).await.is_empty());
    assert!(queue.dead_letters().is_empty());
    assert!(
        names.iter().any(|name| name.contains("another store")),
        "{names:?}"
    );
    // It says farewell.
    assert!(store.heartbeats().await.unwrap().is_empty());
    let mut consumer = queue.consume(1).await.unwrap();
    let delivery = consumer.next().await.unwrap().unwrap();
    assert_eq!(delivery.body, foreign);
}

/// A queue whose broker has an alarm as long as it is told so.
struct Alarmed {
    queue: InProcessQueue,
    alarm: AtomicBool,
}

#[async_trait]
impl Queue for Alarmed {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.queue.publish(jobs).await
    }

    async fn alarm(&self) -> Result<Option<String>, TransportError> {
        Ok(self
            .alarm
            .load(SeqCst)
            .then(|| "it has an alarm".to_owned()))
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        self.queue.waiting().await
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        self.queue.consume(in_flight).await
    }
}

#[tokio::test]
async fn a_job_for_others_is_held_while_the_broker_has_an_alarm() {
    let store = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    let queue = InProcessQueue::new();
    let foreign = job(0).encode_for(Some(StoreId([0xee; 16])));
    queue.publish_messages([foreign]).unwrap();
    let alarmed = Arc::new(Alarmed {
        queue,
        alarm: AtomicBool::new(true),
    });
    let (shutdown, settled) = (CancellationToken::new(), Arc::new(AtomicU32::new(0)));
    let (end, counted) = (shutdown.clone(), settled.clone());
    let observer: Observer = Arc::new(move |_, _| {
        counted.fetch_add(1, SeqCst);
        end.cancel();
    });
    let compute = Arc::new(Threads::new(|_: &Job| panic!("it is not ours")));
    let worker = run(
        alarmed.clone(),
        store,
        compute,
        among_others(),
        shutdown,
        Some(observer),
    );
    let worker = tokio::spawn(worker);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(settled.load(SeqCst), 0);
    alarmed.alarm.store(false, SeqCst);
    let ended = tokio::time::timeout(Duration::from_secs(20), worker).await;
    let summary = ended.expect("it does not end").unwrap().unwrap();
    assert_eq!(summary.foreign, 1);
}

#[tokio::test]
async fn jobs_for_others_keep_no_worker_from_ending_when_it_is_idle() {
    let store = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    let queue = InProcessQueue::new();
    let foreign = |seed| job(seed).encode_for(Some(StoreId([0xee; 16])));
    queue.publish_messages((0..3).map(foreign)).unwrap();
    let options = ConsumerOptions {
        exit_when_idle: Some(Duration::from_millis(300)),
        ..among_others()
    };
    let compute = Arc::new(Threads::new(|_: &Job| panic!("it is not ours")));
    let token = CancellationToken::new();
    let running = run(Arc::new(queue), store, compute, options, token, None);
    let summary = tokio::time::timeout(Duration::from_secs(20), running).await;
    assert!(summary.expect("it does not end").unwrap().foreign >= 3);
}

#[tokio::test]
async fn a_job_of_another_release_is_requeued_at_no_cost() {
    let (queue, store) = set_up(0..1).await;
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let compute = move |_: &Job| {
        counted.fetch_add(1, SeqCst);
        Err(EngineError::OtherVersion {
            method: "rs".into(),
            wanted: 1,
            available: 7,
        })
    };
    let (summary, names) = settle_deliveries(&queue, &store, compute, 2).await;
    assert_eq!(
        (summary.other_release, summary.failed, summary.poisoned),
        (2, 0, 0)
    );
    assert_eq!(calls.load(SeqCst), 1, "the second time it is known");
    let (_, attempt) = attempts(&*store).await.remove(0);
    assert_eq!((attempt.count, attempt.state), (0, AttemptState::Queued));
    let told = "cannot run method rs of version 1";
    assert!(names.iter().any(|name| name.contains(told)), "{names:?}");
}

/// Nothing is computed: the table is not in the store, as long as that is so.
fn without_table(job: &Job) -> Result<Trace, EngineError> {
    Err(EngineError::MissingTable(job.series.table))
}

#[tokio::test]
async fn a_job_without_a_store_is_left_to_others_if_its_table_is_not_here() {
    let (queue, store) = set_up(0..1).await;
    let (summary, names) = settle_deliveries(&queue, &store, without_table, 2).await;
    assert_eq!((summary.foreign, summary.failed), (2, 0));
    let (_, attempt) = attempts(&*store).await.remove(0);
    assert_eq!((attempt.count, attempt.failures), (0, 0));
    let told = "gets jobs of another store";
    assert!(names.iter().any(|name| name.contains(told)), "{names:?}");
}

#[tokio::test]
async fn a_job_whose_table_the_store_lost_waits_for_it_at_no_cost() {
    let store = Arc::new(EmbeddedStore::in_memory().await.unwrap());
    let ours = StoreIdentity::default().current(&*store).await.unwrap();
    let queue = InProcessQueue::new();
    let message = job(0).encode_for(Some(ours));
    queue.publish_messages([message]).unwrap();
    let calls = AtomicU32::new(0);
    let compute = move |job: &Job| match calls.fetch_add(1, SeqCst) {
        0 => without_table(job),
        _ => Ok(trace(job.seed)),
    };
    let (summary, names) = settle_deliveries(&queue, &store, compute, 2).await;
    assert_eq!((summary.missing_table, summary.stored), (1, 1));
    assert_eq!(summary.failed, 0);
    let told = "which the store has lost: submit the sweep again";
    assert!(names.iter().any(|name| name.contains(told)), "{names:?}");
}

#[tokio::test]
async fn a_process_that_is_its_own_coordinator_poisons_jobs_without_their_table() {
    let (queue, store) = set_up(0..1).await;
    let summary = consume(&queue, &store, 1, without_table).await;
    assert_eq!((summary.missing_table, summary.poisoned), (0, 1));
}

#[tokio::test]
async fn a_process_that_is_its_own_coordinator_knows_no_other_release() {
    let (queue, store) = set_up(0..1).await;
    let summary = consume(&queue, &store, 1, |_| {
        Err(EngineError::UnknownMethod {
            id: "rs".into(),
            suggestion: "known are none".into(),
        })
    })
    .await;
    assert_eq!((summary.other_release, summary.poisoned), (0, 1));
}

#[tokio::test]
async fn a_job_that_makes_no_progress_is_told_to_the_probe() {
    let (queue, store) = set_up(0..1).await;
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let compute = Threads::new(move |job: &Job| {
        wait.lock()
            .unwrap()
            .recv_timeout(Duration::from_secs(20))
            .ok();
        Ok(trace(job.seed))
    });
    let options = ConsumerOptions {
        longest_silence: Duration::from_millis(30),
        ..among_others()
    };
    let readiness = options.readiness.clone();
    queue.close();
    let token = CancellationToken::new();
    let (queue, compute) = (Arc::new(queue), Arc::new(compute));
    let running = tokio::spawn(run(queue, store, compute, options, token, None));
    let begin = Instant::now();
    while readiness.stalled().is_none() {
        assert!(begin.elapsed() < Duration::from_secs(20), "nobody notices");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go.send(()).unwrap();
    assert_eq!(running.await.unwrap().unwrap().stored, 1);
}
