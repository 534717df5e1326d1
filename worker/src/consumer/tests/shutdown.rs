//! What becomes of running jobs when the worker is to end.

use super::*;

/// Starts a consumer of one job whose computation waits for a word; returns when it runs.
async fn blocked(
    queue: impl Queue + 'static,
    store: &Arc<EmbeddedStore>,
    grace: Duration,
    shutdown: &CancellationToken,
) -> (tokio::task::JoinHandle<ConsumerSummary>, mpsc::Sender<()>) {
    let (go, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let begun = Arc::new(tokio::sync::Notify::new());
    let tell = begun.clone();
    let compute = Threads::new(move |job: &Job| {
        tell.notify_one();
        wait.lock()
            .unwrap()
            .recv_timeout(Duration::from_secs(20))
            .ok();
        Ok(trace(job.seed))
    });
    let compute = Arc::new(compute);
    let options = ConsumerOptions {
        grace,
        ..options(1)
    };
    let (queue, store) = (Arc::new(queue), store.clone());
    let shutdown = shutdown.clone();
    let running = tokio::spawn(async move {
        run(queue, store, compute, options, shutdown, None)
            .await
            .unwrap()
    });
    begun.notified().await;
    (running, go)
}

#[tokio::test]
async fn a_shutdown_lets_running_jobs_end_and_takes_no_others() {
    let (queue, store) = set_up(0..3).await;
    let shutdown = CancellationToken::new();
    let (running, go) = blocked(queue.clone(), &store, Duration::from_secs(20), &shutdown).await;
    shutdown.cancel();
    go.send(()).unwrap();
    let summary = running.await.unwrap();
    assert_eq!(
        summary,
        ConsumerSummary {
            stored: 1,
            ..Default::default()
        }
    );
    // The others still wait: the next consumer finds them.
    let summary = consume(&queue, &store, 1, |job| Ok(trace(job.seed))).await;
    assert_eq!(summary.stored, 2);
}

#[tokio::test]
async fn a_job_that_does_not_end_in_time_is_requeued() {
    let (queue, store) = set_up(0..1).await;
    let shutdown = CancellationToken::new();
    let (running, go) = blocked(queue.clone(), &store, Duration::from_millis(10), &shutdown).await;
    shutdown.cancel();
    let summary = running.await.unwrap();
    assert_eq!(
        summary,
        ConsumerSummary {
            requeued: 1,
            ..Default::default()
        }
    );
    assert!(done(&*store).await.is_empty());
    let summary = consume(&queue, &store, 1, |job| Ok(trace(job.seed))).await;
    assert_eq!(summary.stored, 1);
    drop(go);
}

#[tokio::test]
async fn a_broker_that_does_not_answer_keeps_no_worker_that_is_to_end() {
    let (queue, store) = set_up(0..1).await;
    let shutdown = CancellationToken::new();
    let silent = SilentQueue(queue.clone());
    let (running, go) = blocked(silent, &store, Duration::from_millis(10), &shutdown).await;
    shutdown.cancel();
    let summary = tokio::time::timeout(Duration::from_secs(10), running)
        .await
        .expect("it waits for the broker");
    assert_eq!(
        summary.unwrap(),
        ConsumerSummary {
            requeued: 1,
            ..Default::default()
        }
    );
    let summary = consume(&queue, &store, 1, |job| Ok(trace(job.seed))).await;
    assert_eq!(summary.stored, 1);
    drop(go);
}

/// What a job is computed to.
type Computing = fn(&Job) -> Result<Trace, EngineError>;

/// What is left of a job whose worker leaves it alone when it has been computed for so long, and the store, to which its
/// outcome goes, is away: the time that is told to be lost, and the attempt on record.
async fn left_alone_while_it_is_stored(time: Duration, outcome: Computing) -> (Duration, Attempt) {
    let (queue, store) = set_up(0..1).await;
    let flaky = Arc::new(FlakyStore::new(store.clone(), 0));
    let leaving = flaky.clone();
    let compute = Threads::new(move |job: &Job| {
        std::thread::sleep(time);
        leaving.is_away.store(true, SeqCst);
        outcome(job)
    });
    let (compute, token) = (Arc::new(compute), CancellationToken::new());
    let handler = Arc::new(Handler::new(
        flaky.clone(),
        compute,
        options(1),
        token,
        None,
    ));
    let mut consumer = queue.consume(1).await.unwrap();
    let delivery = consumer.next().await.unwrap().unwrap();
    let handling = tokio::spawn(handler.clone().handle(delivery));
    // After the third failure it is a while to the next try, in which the store comes back.
    while flaky.failures() < 3 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    flaky.is_away.store(false, SeqCst);
    handler.abandon();
    assert_eq!(handling.await.unwrap(), Outcome::Requeued);
    let (_, attempt) = attempts(&*store).await.remove(0);
    (handler.lost_time(), attempt)
}

#[tokio::test]
async fn an_outcome_that_is_not_stored_in_time_is_lost_and_costs_the_job_no_attempt() {
    let time = Duration::from_millis(50);
    let outcomes: [Computing; 2] = [|job| Ok(trace(job.seed)), |_| Err(impossible())];
    for outcome in outcomes {
        let (lost, attempt) = left_alone_while_it_is_stored(time, outcome).await;
        assert!(lost >= time, "{lost:?}");
        assert_eq!((attempt.count, attempt.state), (0, AttemptState::Queued));
    }
}
