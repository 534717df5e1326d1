//! The faults that come from outside: of hosts, of the network, of the servers, and of users.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::broker::{Message, QueueName};
use super::coordinator::{CANCELLATION, User, cancel_once, cancel_shared};
use super::database::Stream;
use super::queue::BrokerServer;
use super::store::{LONGEST_RESTART, StoreServer};
use super::worker::WorkerHost;
use super::world::World;

/// What the faults are done to.
pub(crate) struct Environment {
    pub(crate) world: Arc<World>,
    pub(crate) broker: Arc<BrokerServer>,
    pub(crate) store: Arc<StoreServer>,
    pub(crate) hosts: Vec<Arc<WorkerHost>>,
    pub(crate) users: Vec<Arc<User>>,
}

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    WorkerCrash,
    WorkerEnds,
    WorkerFreezes,
    SubmissionCrash,
    Cancellation,
    SharedCancellation,
    ConnectionLoss,
    BrokerRestart,
    Alarm,
    JobsDeleted,
    DelayedDeleted,
    QueuesDeleted,
    Purge,
    MessageLoss,
    DoubledMessage,
    Reordering,
    GarbageMessage,
    EndlessDelay,
    StoreOutage,
    StoreRolledBack,
    StoreWiped,
    StreamTrimmed,
    StreamDeleted,
    DamagedTrace,
}

/// All kinds, with what they are called in a log, and the seconds after which they are over.
pub(crate) const KINDS: [(Kind, &str, u64); 24] = [
    (Kind::WorkerCrash, "a worker crashes", 15),
    (Kind::WorkerEnds, "a worker is asked to end", 45),
    (Kind::WorkerFreezes, "a worker freezes", 60),
    (Kind::SubmissionCrash, "a submission crashes", 15),
    (
        Kind::Cancellation,
        "a sweep is cancelled",
        CANCELLATION.as_secs(),
    ),
    (
        Kind::SharedCancellation,
        "a sweep of somebody else is cancelled that shares all jobs",
        CANCELLATION.as_secs(),
    ),
    (Kind::ConnectionLoss, "a connection is lost", 15),
    (Kind::BrokerRestart, "the broker restarts", 40),
    (Kind::Alarm, "the broker has an alarm", 100),
    (Kind::JobsDeleted, "the queue of jobs is deleted", 15),
    (
        Kind::DelayedDeleted,
        "the queue of delayed jobs is deleted",
        15,
    ),
    (Kind::QueuesDeleted, "all queues are deleted", 15),
    (Kind::Purge, "the queue of jobs is purged", 15),
    (Kind::MessageLoss, "the broker loses a message", 15),
    (Kind::DoubledMessage, "the broker doubles a message", 15),
    (
        Kind::Reordering,
        "the broker changes the order of messages",
        15,
    ),
    (Kind::GarbageMessage, "somebody publishes garbage", 15),
    (
        Kind::EndlessDelay,
        "somebody publishes a delayed job without expiry",
        15,
    ),
    (Kind::StoreOutage, "the store is down", 60),
    (
        Kind::StoreRolledBack,
        "the store loses its last seconds",
        40,
    ),
    (Kind::StoreWiped, "the store is wiped", 30),
    (Kind::StreamTrimmed, "the stream of events is trimmed", 15),
    (Kind::StreamDeleted, "the stream of events is deleted", 15),
    (Kind::DamagedTrace, "a trace is damaged", 15),
];

impl Environment {
    /// Does faults of some of the kinds until there were enough.
    pub(crate) async fn run(self: Arc<Self>, kinds: Vec<Kind>) {
        loop {
            let delay = self.world.draw(|chance| chance.milliseconds(200, 8000));
            sleep(delay).await;
            let Some(kind) = self.world.draw(|chance| chance.of(&kinds).copied()) else {
                return;
            };
            let Some((_, name, seconds)) = KINDS.iter().find(|(each, ..)| *each == kind) else {
                return;
            };
            if !self.world.fault(name, Duration::from_secs(*seconds)) {
                return;
            }
            let environment = Arc::clone(&self);
            tokio::spawn(async move { environment.inject(kind).await });
        }
    }

    fn time(&self, least: u64, most: u64) -> Duration {
        self.world.draw(|chance| chance.milliseconds(least, most))
    }

    async fn inject(&self, kind: Kind) {
        match kind {
            Kind::WorkerCrash | Kind::WorkerEnds | Kind::WorkerFreezes => self.hit_worker(kind),
            Kind::SubmissionCrash => {
                let user = self.world.draw(|chance| chance.of(&self.users).cloned());
                if let Some(process) = user.and_then(|user| user.process()) {
                    process.crash();
                }
            }
            Kind::Cancellation => {
                if let Some(user) = self.world.draw(|chance| chance.of(&self.users).cloned()) {
                    // Whoever takes longer is told that it did not work.
                    let _ = tokio::time::timeout(CANCELLATION, cancel_once(user)).await;
                }
            }
            Kind::SharedCancellation => {
                let cancelling = cancel_shared(&self.world, &self.store);
                let _ = tokio::time::timeout(CANCELLATION, cancelling).await;
            }
            Kind::BrokerRestart => {
                self.broker.broker().down = true;
                self.lose_connections();
                sleep(self.time(0, 20_000)).await;
                self.lose_connections();
                self.broker.broker().down = false;
            }
            Kind::Alarm => {
                self.broker.broker().alarm = true;
                sleep(self.time(1000, 90_000)).await;
                self.broker.broker().end_alarm();
            }
            Kind::StoreOutage => {
                let most = if self.world.draw(|chance| chance.one_in(4)) {
                    60_000
                } else {
                    5000
                };
                self.store.set_down(true);
                sleep(self.time(100, most)).await;
                self.store.set_down(false);
            }
            Kind::StoreRolledBack => {
                let mut kept = self.store.database().clone();
                sleep(self.time(50, 3000)).await;
                self.store.set_down(true);
                // What was mended meanwhile is damaged again.
                let now = Instant::now();
                kept.damaged.values_mut().for_each(|when| *when = now);
                *self.store.database() = kept;
                sleep(self.time(50, LONGEST_RESTART.as_millis() as u64)).await;
                self.store.set_down(false);
            }
            _ if kind >= Kind::StoreWiped => self.change_store(kind),
            _ => self.change_broker(kind),
        }
    }

    fn hit_worker(&self, kind: Kind) {
        let Some(host) = self.world.draw(|chance| chance.of(&self.hosts).cloned()) else {
            return;
        };
        match (kind, host.process()) {
            (Kind::WorkerCrash, Some(process)) => process.crash(),
            (Kind::WorkerFreezes, Some(process)) => process.freeze(self.time(1000, 45_000)),
            _ => host.ask_to_end(),
        }
    }

    fn lose_connections(&self) {
        let mut broker = self.broker.broker();
        for connection in broker.connections() {
            broker.disconnect(connection);
        }
    }

    fn change_broker(&self, kind: Kind) {
        let job = || {
            let user = self.world.draw(|chance| chance.of(&self.users).cloned())?;
            let plan = user.plan();
            let count = plan.sweep.job_count();
            let position = self.world.draw(|chance| chance.below(count));
            plan.sweep.jobs().nth(position as usize)
        };
        let mut broker = self.broker.broker();
        match kind {
            Kind::ConnectionLoss => {
                let connections = broker.connections();
                if let Some(&id) = self
                    .world
                    .draw(|chance| chance.of(&connections).copied())
                    .as_ref()
                {
                    broker.disconnect(id);
                }
            }
            Kind::JobsDeleted => broker.delete(QueueName::Jobs),
            Kind::DelayedDeleted => broker.delete(QueueName::Delayed),
            Kind::QueuesDeleted => {
                for queue in [
                    QueueName::Jobs,
                    QueueName::Delayed,
                    QueueName::FormerDelayed,
                    QueueName::Dead,
                ] {
                    broker.delete(queue);
                }
            }
            Kind::GarbageMessage => {
                let message = Message::new(Arc::from(&b"garbage"[..]), None);
                broker.add(QueueName::Jobs, message);
                broker.deliver();
            }
            Kind::EndlessDelay => {
                if let Some(job) = job() {
                    self.world.truth().published_for_anybody(&job);
                    let message = Message::new(Arc::from(job.encode()), None);
                    let queues = [QueueName::Delayed, QueueName::FormerDelayed];
                    let queue = self.world.draw(|chance| chance.of(&queues).copied());
                    broker.add(queue.unwrap_or(QueueName::Delayed), message);
                    // It moves on when it has waited for as long as any message may.
                    let server = Arc::clone(&self.broker);
                    tokio::spawn(async move {
                        sleep(Duration::from_secs(60)).await;
                        server.broker().expire();
                    });
                }
            }
            _ => {
                let queues = [QueueName::Jobs, QueueName::Jobs, QueueName::Delayed];
                let queue = self.world.draw(|chance| chance.of(&queues).copied());
                let Some(messages) = broker.messages(queue.unwrap_or(QueueName::Jobs)) else {
                    return;
                };
                if messages.is_empty() {
                    return;
                }
                let position = |chance: &mut super::chance::Chance| {
                    chance.below(messages.len() as u64) as usize
                };
                let (one, other) = self
                    .world
                    .draw(|chance| (position(chance), position(chance)));
                match kind {
                    Kind::Purge => messages.clear(),
                    Kind::MessageLoss => {
                        messages.remove(one);
                    }
                    Kind::DoubledMessage => messages.push_back(messages[one].clone()),
                    _ => messages.swap(one, other),
                }
                broker.deliver();
                broker.expire();
            }
        }
    }

    fn change_store(&self, kind: Kind) {
        let (draw, kept) = self
            .world
            .draw(|chance| (chance.number(), chance.below(4) as usize));
        let mut database = self.store.database();
        match kind {
            Kind::StoreWiped => database.wipe(),
            Kind::StreamTrimmed => database.events.trim(kept),
            Kind::StreamDeleted => database.events = Stream::default(),
            _ => {
                if let Some(damage) = database.damage_trace(draw) {
                    self.world.note(format_args!("{damage}"));
                }
            }
        }
    }
}
