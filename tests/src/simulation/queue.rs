//! The client of a simulated RabbitMQ: the rules of `proto/transport/src/queue/rabbitmq/client.rs`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use loto_transport::TransportError;
use loto_transport::queue::{Consumer, Delivery, Queue, Receipt};
use loto_transport::retry::{Backoff, retry_transient};
use loto_transport::server::Server;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::Instant;

use super::broker::{Broker, ConnectionId, Message, QueueName, Request, Taken};
use super::process::{Fate, Process};

/// How long a delivery that cannot be published anew is held for its delay.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

type Outcome<Value> = Result<Value, TransportError>;

/// A broker with its state.
#[derive(Debug, Default)]
pub(crate) struct BrokerServer(Mutex<Broker>);

impl BrokerServer {
    /// A broker without queues.
    pub(crate) fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Its state.
    pub(crate) fn broker(&self) -> MutexGuard<'_, Broker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn unavailable(reason: &str) -> TransportError {
    TransportError::Unavailable {
        server: Server::Broker,
        address: "simulated".into(),
        reason: reason.into(),
    }
}

/// A connection, which ends when the last user is dropped.
#[derive(Debug)]
struct Session {
    process: Arc<Process>,
    server: Arc<BrokerServer>,
    id: ConnectionId,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.server.broker().disconnect(self.id);
    }
}

impl Session {
    async fn open(process: &Arc<Process>, server: &Arc<BrokerServer>) -> Outcome<Self> {
        process.goes_on().await;
        let fate = process.fate(false);
        process.travel().await;
        let is_down = server.broker().down;
        if is_down || fate != Fate::Plain {
            process.suffer(fate).await;
            return Err(unavailable("it cannot be reached"));
        }
        let mut broker = server.broker();
        broker.declare();
        Ok(Self {
            process: Arc::clone(process),
            server: Arc::clone(server),
            id: broker.connect(),
        })
    }

    /// The connection is lost.
    fn lose(&self) {
        self.server.broker().disconnect(self.id);
    }

    fn is_lost(&self) -> bool {
        let broker = self.server.broker();
        broker.down || !broker.is_connected(self.id)
    }

    fn note(&self, what: &str) {
        let Process { name, world, .. } = &*self.process;
        world.note(format_args!("{name} broker {}: {what}", self.id));
    }

    /// Publishes a message and waits until it is safe.
    async fn publish(&self, body: &Arc<[u8]>, delay: Duration) -> Outcome<()> {
        self.process.goes_on().await;
        let fate = self.process.fate(true);
        self.process.travel().await;
        if self.is_lost() {
            return Err(unavailable("the connection was lost"));
        }
        if matches!(fate, Fate::LostRequest | Fate::CrashBefore) {
            self.lose();
            self.process.suffer(fate).await;
            return Err(unavailable("the connection was lost"));
        }
        let (queue, expires) = match delay {
            Duration::ZERO => (QueueName::Jobs, None),
            delay => (QueueName::Delayed, Some(Instant::now() + delay)),
        };
        if let Some(expires) = expires {
            let server = Arc::clone(&self.server);
            tokio::spawn(async move {
                tokio::time::sleep_until(expires).await;
                server.broker().expire();
            });
        }
        let request = Request::Publish(queue, Message::new(Arc::clone(body), expires));
        if fate == Fate::Doubled {
            self.server.broker().take(self.id, request.clone());
        }
        let taken = self.server.broker().take(self.id, request);
        self.note("published");
        if matches!(fate, Fate::LostAnswer | Fate::CrashAfter | Fate::Late) {
            self.process.suffer(fate).await;
            if fate == Fate::LostAnswer {
                self.lose();
            }
            return Err(unavailable("no answer to a published job"));
        }
        match taken {
            Taken::Done => {
                self.process.travel().await;
                Ok(())
            }
            Taken::Returned => Err(unavailable("it returned a job")),
            Taken::Disconnected => Err(unavailable("the connection was lost")),
            Taken::Waits => self.blocked().await,
        }
    }

    /// The broker has told that it has an alarm.
    async fn blocked(&self) -> Outcome<()> {
        self.process.travel().await;
        self.note("blocked");
        Err(unavailable("it has an alarm"))
    }

    fn is_blocked(&self) -> bool {
        self.server.broker().is_blocked(self.id)
    }

    /// Settles a delivery, without an answer.
    async fn settle(&self, request: Request) -> Outcome<()> {
        self.process.goes_on().await;
        let fate = self.process.fate(true);
        self.process.travel().await;
        match fate {
            Fate::Plain | Fate::Doubled | Fate::Late => {}
            Fate::CrashBefore => self.process.suffer(fate).await,
            Fate::LostRequest | Fate::LostAnswer => {
                self.lose();
                self.note("a settlement is lost");
                // The client may have written it already.
                return match fate {
                    Fate::LostAnswer => Ok(()),
                    _ => Err(unavailable("the connection was lost")),
                };
            }
            Fate::CrashAfter => {
                self.server.broker().take(self.id, request);
                self.process.suffer(fate).await;
                return Ok(());
            }
        }
        if self.is_lost() {
            return Err(unavailable("the connection was lost"));
        }
        self.server.broker().take(self.id, request);
        self.note("settled");
        Ok(())
    }
}

/// Publishes over a session that is opened again after it failed.
#[derive(Debug)]
struct Publisher {
    process: Arc<Process>,
    server: Arc<BrokerServer>,
    session: tokio::sync::Mutex<Option<Arc<Session>>>,
}

impl Publisher {
    async fn session(&self) -> Outcome<Arc<Session>> {
        let mut kept = self.session.lock().await;
        let session = match kept.take() {
            Some(session) => session,
            None => Arc::new(Session::open(&self.process, &self.server).await?),
        };
        *kept = Some(Arc::clone(&session));
        Ok(session)
    }

    /// Passes on what came of using a session, and forgets the session if that is a failure, unless it is
    /// blocked.
    async fn checked<Value>(&self, used: &Arc<Session>, outcome: Outcome<Value>) -> Outcome<Value> {
        if outcome.is_err() && !used.is_blocked() {
            let mut kept = self.session.lock().await;
            kept.take_if(|session| Arc::ptr_eq(session, used));
        }
        outcome
    }

    async fn publish(&self, body: &Arc<[u8]>, delay: Duration) -> Outcome<()> {
        let session = self.session().await?;
        let published = session.publish(body, delay).await;
        self.checked(&session, published).await
    }
}

/// A process's queue in a simulated broker.
#[derive(Debug)]
pub(crate) struct SimulatedQueue {
    publisher: Arc<Publisher>,
}

impl SimulatedQueue {
    /// The queue as a process sees it.
    pub(crate) fn new(process: &Arc<Process>, server: &Arc<BrokerServer>) -> Self {
        let publisher = Publisher {
            process: Arc::clone(process),
            server: Arc::clone(server),
            session: tokio::sync::Mutex::default(),
        };
        Self {
            publisher: Arc::new(publisher),
        }
    }

    async fn publish_all(&self, store: Option<StoreId>, jobs: &[Job]) -> Outcome<()> {
        let confirmed = tokio::sync::Mutex::new(0);
        retry_transient(Backoff::BRIEF, "publishing jobs", || async {
            let mut confirmed = confirmed.lock().await;
            for job in &jobs[*confirmed..] {
                let body = Arc::from(job.encode_for(store));
                self.publisher.publish(&body, Duration::ZERO).await?;
                *confirmed += 1;
            }
            Ok(())
        })
        .await
    }
}

/// Counts the messages that wait, and frees those that former releases left without expiry.
async fn count_waiting(session: &Session) -> Outcome<u64> {
    let Session {
        process, server, ..
    } = session;
    let fate = process.fate(false);
    process.travel().await;
    if fate != Fate::Plain || session.is_lost() {
        process.suffer(fate).await;
        return Err(unavailable("no answer to our looking at a queue"));
    }
    let mut broker = server.broker();
    let queues = [
        QueueName::Jobs,
        QueueName::Delayed,
        QueueName::FormerDelayed,
    ];
    let mut waiting = 0;
    for queue in queues {
        let messages = broker.waiting(queue);
        waiting += messages.ok_or_else(|| unavailable("NOT_FOUND - no queue"))?;
    }
    broker.release_endless();
    Ok(waiting)
}

#[async_trait]
impl Queue for SimulatedQueue {
    async fn publish(&self, jobs: &[Job]) -> Outcome<()> {
        self.publish_all(None, jobs).await
    }

    async fn publish_for(&self, store: StoreId, jobs: &[Job]) -> Outcome<()> {
        self.publish_all(Some(store), jobs).await
    }

    async fn alarm(&self) -> Outcome<Option<String>> {
        let session = self.publisher.session().await?;
        let has_alarm = session.server.broker().alarm;
        Ok(has_alarm.then(|| "the broker has an alarm".into()))
    }

    async fn waiting(&self) -> Outcome<u64> {
        let session = self.publisher.session().await?;
        if session.is_blocked() {
            return Err(unavailable("it has an alarm"));
        }
        let counted = count_waiting(&session).await;
        self.publisher.checked(&session, counted).await
    }

    async fn consume(&self, in_flight: u16) -> Outcome<Box<dyn Consumer>> {
        let Publisher {
            process, server, ..
        } = &*self.publisher;
        let session = Session::open(process, server).await?;
        let (sender, deliveries) = unbounded_channel();
        server
            .broker()
            .consume(session.id, in_flight.max(1), sender);
        session.note("consumes");
        Ok(Box::new(SimulatedConsumer {
            session: Arc::new(session),
            publisher: Arc::clone(&self.publisher),
            deliveries,
        }))
    }
}

struct SimulatedConsumer {
    session: Arc<Session>,
    publisher: Arc<Publisher>,
    deliveries: UnboundedReceiver<(u64, Arc<[u8]>)>,
}

impl Drop for SimulatedConsumer {
    fn drop(&mut self) {
        let server = &self.session.server;
        server.broker().stop_consuming(self.session.id);
    }
}

#[async_trait]
impl Consumer for SimulatedConsumer {
    async fn next(&mut self) -> Outcome<Option<Delivery>> {
        self.session.process.goes_on().await;
        // The caller may drop this future at any time: a delivery that was received is handed on at once.
        let next = self.deliveries.recv().await;
        let Some((tag, body)) = next else {
            return Err(unavailable("it ended the delivery of jobs"));
        };
        self.session.note("a delivery");
        Ok(Some(Delivery {
            body: body.to_vec(),
            receipt: Box::new(SimulatedReceipt {
                session: Arc::clone(&self.session),
                publisher: Arc::clone(&self.publisher),
                tag,
                body,
            }),
        }))
    }
}

struct SimulatedReceipt {
    session: Arc<Session>,
    publisher: Arc<Publisher>,
    tag: u64,
    body: Arc<[u8]>,
}

#[async_trait]
impl Receipt for SimulatedReceipt {
    async fn acknowledge(self: Box<Self>) -> Outcome<()> {
        self.session.settle(Request::Acknowledge(self.tag)).await
    }

    async fn requeue(self: Box<Self>, delay: Duration) -> Outcome<()> {
        let Err(error) = self.publisher.publish(&self.body, delay).await else {
            // If this is lost the job waits twice, which is harmless.
            return self.acknowledge().await;
        };
        if error.is_transient() {
            // It would come again at once.
            tokio::time::sleep(delay.min(LONGEST_HOLD)).await;
        }
        self.session.settle(Request::TakeBack(self.tag)).await
    }

    async fn reject(self: Box<Self>) -> Outcome<()> {
        self.session.settle(Request::Reject(self.tag)).await
    }
}
