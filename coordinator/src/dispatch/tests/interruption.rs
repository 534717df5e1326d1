//! A signal comes while a server does not answer.

use std::sync::atomic::AtomicUsize;

use loto_transport::queue::Consumer;
use loto_transport::server::Server;
use tonic::async_trait;

use super::*;

/// How long after a signal anything may take to end that waits for a server.
const PROMPTLY: Duration = Duration::from_secs(5);

/// A broker that takes some batches of jobs and then is silent.
struct SilentQueue {
    queue: InProcessQueue,
    takes: AtomicUsize,
}

impl SilentQueue {
    fn taking(takes: usize) -> Self {
        Self {
            queue: InProcessQueue::new(),
            takes: AtomicUsize::new(takes),
        }
    }
}

#[async_trait]
impl Queue for SilentQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        if self.takes.load(Ordering::Relaxed) == 0 {
            std::future::pending::<()>().await;
        }
        self.takes.fetch_sub(1, Ordering::Relaxed);
        self.queue.publish(jobs).await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        std::future::pending().await
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        self.queue.consume(in_flight).await
    }
}

/// A broker that gave up publishing so many times.
#[derive(Default)]
struct FailingQueue(AtomicUsize);

#[async_trait]
impl Queue for FailingQueue {
    async fn publish(&self, _jobs: &[Job]) -> Result<(), TransportError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(TransportError::Unavailable {
            server: Server::Broker,
            address: "test".into(),
            reason: "it has an alarm".into(),
        })
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        Ok(0)
    }

    async fn consume(&self, _in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        Err(TransportError::QueueClosed)
    }
}

/// A token that is cancelled while what it is for waits for a server.
fn soon() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        cancelled.cancel();
    });
    token
}

#[tokio::test]
async fn publishing_to_a_silent_broker_ends_at_a_signal_and_goes_on_later() {
    let sweep = sweep(6000);
    let store = EmbeddedStore::in_memory().await.unwrap();
    let mut tracker = scanned(&sweep, &store).await;
    let identity = StoreIdentity::default();
    // How far it went is noted after ten batches.
    let silent = SilentQueue::taking(11);
    let token = soon();
    let publishing = publish_sweep(sweep.id(), &mut tracker, &store, &identity, &silent, &token);
    let outcome = tokio::time::timeout(PROMPTLY, publishing).await;
    let interruption = Interruption::Publishing {
        published: 5000,
        seeds: 6000,
    };
    match outcome.expect("it waits for the broker") {
        Err(DispatchError::Interrupted(found)) => assert_eq!(found, interruption),
        other => panic!("{other:?}"),
    }
    assert_eq!(drain(&silent.queue).await.len(), 11_000);

    let (queue, token) = (InProcessQueue::new(), CancellationToken::new());
    let published =
        publish_sweep(sweep.id(), &mut tracker, &store, &identity, &queue, &token).await;
    assert_eq!(published.unwrap(), 2000);
    assert!(drain(&queue).await.iter().all(|job| job.seed >= 5000));

    // Now lost jobs are looked for, which asks the broker, too.
    let (silent, token) = (SilentQueue::taking(0), soon());
    let publishing = publish_sweep(sweep.id(), &mut tracker, &store, &identity, &silent, &token);
    let outcome = tokio::time::timeout(PROMPTLY, publishing).await;
    let outcome = outcome.expect("it waits for the broker");
    let interruption = Interruption::LookingForLostJobs;
    assert!(
        matches!(outcome, Err(DispatchError::Interrupted(found)) if found == interruption),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn waiting_ends_at_a_signal_while_a_server_is_silent() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let silent = SilentQueue::taking(0);
    let wait = Wait {
        shutdown: soon(),
        ..wait(&store, Some(&silent))
    };
    store.put_sweep(&sweep(1)).await.unwrap();
    let id = sweep(1).id();
    let mut tracker = Tracker::new(&sweep(1));
    let waiting = wait_until_done(&mut tracker, Wait { id, ..wait }, |_| {});
    let outcome = tokio::time::timeout(PROMPTLY, waiting).await;
    match outcome.expect("it waits for the broker") {
        Err(DispatchError::Interrupted(Interruption::Watching { counts, .. })) => {
            assert_eq!(counts.unfinished(), 2);
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_queue_that_gave_up_is_not_asked_for_as_long_again() {
    let store = EmbeddedStore::in_memory().await.unwrap();
    let (queue, identity) = (FailingQueue::default(), StoreIdentity::default());
    let sweep = sweep(1);
    let publishing = publish_for(&identity, &store, sweep.jobs(), &queue);
    let outcome = tokio::time::timeout(PROMPTLY, publishing).await;
    let error = outcome.expect("it tries again").unwrap_err();
    assert!(error.is_transient(), "{error}");
    assert_eq!(queue.0.load(Ordering::Relaxed), 1);
}
