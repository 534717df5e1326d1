//! Cancelled sweeps, and those that share series with them.

use super::*;

#[tokio::test]
async fn a_cancelled_sweep_is_left_alone_until_it_is_resumed() {
    let (small, large) = (sweep(2), sweep(3));
    let store = EmbeddedStore::in_memory().await.unwrap();
    store.put_sweep(&small).await.unwrap();
    store.put_sweep(&large).await.unwrap();
    let stopped = async |store: &EmbeddedStore| {
        let job = small.jobs().next().unwrap();
        let record = store.job_record(job.series.id(), job.seed).await;
        record.unwrap().stopped
    };
    // The other sweep needs the same series.
    let first = cancel(small.id(), &small, &store).await.unwrap();
    assert_eq!((first.shared_series, stopped(&store).await), (2, false));
    assert_eq!(first.shared_with, ["test"]);
    let second = cancel(large.id(), &large, &store).await.unwrap();
    assert_eq!(
        (second, stopped(&store).await),
        (Cancelled::default(), true)
    );

    let mut wait = wait(&store, None);
    wait.id = large.id();
    let outcome = wait_until_done(&mut Tracker::new(&large), wait, |_| {}).await;
    assert!(
        matches!(outcome, Err(DispatchError::Cancelled(id)) if id == large.id()),
        "{outcome:?}"
    );
    resume(large.id(), &large, &store).await.unwrap();
    assert!(!stopped(&store).await);
    refuse_cancelled(large.id(), &store).await.unwrap();
}

#[tokio::test]
async fn a_cancelled_sweep_holds_up_no_other_that_comes_later() {
    let (small, large) = (sweep(2), sweep(3));
    let store = EmbeddedStore::in_memory().await.unwrap();
    store.put_sweep(&small).await.unwrap();
    cancel(small.id(), &small, &store).await.unwrap();
    store.put_sweep(&large).await.unwrap();
    let job = small.jobs().next().unwrap();
    let stopped = async || {
        let record = store.job_record(job.series.id(), job.seed).await;
        record.unwrap().stopped
    };
    assert!(stopped().await);
    let (queue, identity) = (InProcessQueue::new(), StoreIdentity::default());
    let token = CancellationToken::new();
    let mut tracker = scanned(&large, &store).await;
    let published =
        publish_sweep(large.id(), &mut tracker, &store, &identity, &queue, &token).await;
    assert_eq!((published.unwrap(), stopped().await), (6, false));
    assert!(store.sweep_state(small.id()).await.unwrap().cancelled);

    // A cancellation that did not know of the sweep comes later still, and workers drop its jobs.
    let series: Vec<_> = small.series().map(|series| series.id()).collect();
    store.cancel_sweep(small.id(), &series).await.unwrap();
    assert_eq!(drain(&queue).await.len(), 6);
    let queue = InProcessQueue::new();
    let mut consumer = queue.consume(1).await.unwrap();
    let computing = async {
        for _ in 0..6 {
            let delivery = consumer.next().await.unwrap().unwrap();
            let job = Job::decode(&delivery.body).unwrap();
            let record = store.job_record(job.series.id(), job.seed).await.unwrap();
            assert!(!record.stopped);
            store.put_trace(&job, &trace()).await.unwrap();
            delivery.receipt.acknowledge().await.unwrap();
        }
    };
    let mut wait = wait(&store, Some(&queue));
    wait.id = large.id();
    let waiting = wait_until_done(&mut tracker, wait, |_| {});
    let (outcome, ()) = tokio::join!(waiting, computing);
    outcome.unwrap();
}
