//! The broker or the store is away for a while.

use loto_engine::blobs::BlobError;
use loto_proto::lifecycle::AttemptLimits;

use super::*;

#[tokio::test]
async fn an_outage_of_the_store_costs_neither_traces_nor_attempts() {
    let (queue, store) = set_up(0..2).await;
    queue.close();
    let flaky = Arc::new(FlakyStore::new(store.clone(), 2));
    let calls = AtomicU32::new(0);
    let compute = Threads::new(move |job: &Job| match calls.fetch_add(1, SeqCst) {
        0 => Err(EngineError::Blobs(BlobError {
            unavailable: true,
            source: "out of reach".into(),
        })),
        _ => Ok(trace(job.seed)),
    });
    let token = CancellationToken::new();
    let summary = run(
        Arc::new(queue),
        flaky.clone(),
        Arc::new(compute),
        options(1),
        token,
        None,
    );
    let summary = summary.await.unwrap();
    assert_eq!(
        summary,
        ConsumerSummary {
            stored: 2,
            ..Default::default()
        }
    );
    assert_eq!(flaky.failures(), 2 * 3);
    assert_eq!(done(&*store).await, [0, 1]);
}

#[tokio::test]
async fn a_lost_broker_is_found_again_and_a_missing_one_is_an_error_at_once() {
    let (queue, store) = set_up(0..20).await;
    queue.close();
    let lossy = Arc::new(LossyQueue::new(queue, 7, 2));
    let summary = run(
        lossy.clone(),
        store.clone(),
        Arc::new(Threads::new(|job: &Job| Ok(trace(job.seed)))),
        options(2),
        CancellationToken::new(),
        None,
    );
    let summary = summary.await.unwrap();
    assert_eq!(summary.stored, 20);
    assert_eq!(done(&*store).await, (0..20).collect::<Vec<_>>());

    let missing = Arc::new(LossyQueue::unreachable());
    let token = CancellationToken::new();
    let compute = Arc::new(Threads::new(|job: &Job| Ok(trace(job.seed))));
    let begin = Instant::now();
    let error = run(missing, store, compute, options(1), token, None)
        .await
        .unwrap_err();
    assert!(
        matches!(error, TransportError::Unavailable { .. }),
        "{error}"
    );
    assert!(begin.elapsed() < Duration::from_secs(5));
}

#[tokio::test]
async fn lost_answers_of_the_store_cost_no_attempt() {
    let (queue, store) = set_up(0..1).await;
    queue.close();
    let lossy = Arc::new(FlakyStore::losing_answers(store.clone(), 3));
    let calls = AtomicU32::new(0);
    let seen = store.clone();
    let runtime = Handle::current();
    let compute = Threads::new(move |job: &Job| {
        let record = seen.job_record(job.series.id(), job.seed);
        let attempt = runtime.block_on(record).unwrap().attempt.unwrap();
        let failures = calls.fetch_add(1, SeqCst);
        assert_eq!((attempt.count, attempt.failures), (failures + 1, failures));
        match failures {
            0 => Err(impossible()),
            _ => Ok(trace(job.seed)),
        }
    });
    let token = CancellationToken::new();
    let (queue, compute) = (Arc::new(queue), Arc::new(compute));
    let options = ConsumerOptions {
        attempt_limits: AttemptLimits {
            failures: 3,
            vanished: 2,
        },
        ..options(1)
    };
    let running = run(queue, lossy.clone(), compute, options, token, None);
    let summary = running.await.unwrap();
    assert_eq!((summary.failed, summary.poisoned), (1, 0));
    // The trace was stored when the first answer to that was lost.
    assert_eq!((summary.stored, summary.already_done), (0, 1));
    assert_eq!(done(&*store).await, [0]);
    assert_eq!(lossy.failures(), 3 * 3);
}
