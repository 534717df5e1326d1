//! The state of a simulated RabbitMQ: its queues, and who holds which message.
//!
//! It has what the product relies on: a message that a connection held when it ended comes back and
//! counts one delivery more; after too many it goes to the dead letters; messages expire at the head of a
//! queue only; an alarm blocks whoever publishes, with all that its connection says after that.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use loto_transport::queue::DELIVERY_LIMIT;
use tokio::sync::mpsc::UnboundedSender;
use tokio::time::Instant;

/// The queues that there can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum QueueName {
    Jobs,
    Delayed,
    /// Where former releases delay messages.
    FormerDelayed,
    Dead,
}

/// The longest time that a message stays in the queue of delayed messages.
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// A message with what the broker knows of it.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) body: Arc<[u8]>,
    /// How often it came back.
    returns: u32,
    expires: Option<Instant>,
}

impl Message {
    /// A message that nobody has received.
    pub(crate) fn new(body: Arc<[u8]>, expires: Option<Instant>) -> Self {
        Self {
            body,
            returns: 0,
            expires,
        }
    }
}

pub(crate) type ConnectionId = u64;

/// What a client does with a delivery, or sends.
#[derive(Debug, Clone)]
pub(crate) enum Request {
    Acknowledge(u64),
    Reject(u64),
    TakeBack(u64),
    Publish(QueueName, Message),
}

#[derive(Debug, Default)]
struct Connection {
    /// An alarm came while it published: what it says waits until that is over.
    blocked: bool,
    said: VecDeque<Request>,
    unsettled: BTreeMap<u64, Message>,
    consumer: Option<Consumer>,
}

#[derive(Debug)]
struct Consumer {
    in_flight: usize,
    deliveries: UnboundedSender<(u64, Arc<[u8]>)>,
}

/// The broker.
#[derive(Debug, Default)]
pub(crate) struct Broker {
    queues: BTreeMap<QueueName, VecDeque<Message>>,
    connections: BTreeMap<ConnectionId, Connection>,
    last_connection: ConnectionId,
    last_tag: u64,
    /// Whose turn it is to receive a message.
    turn: ConnectionId,
    pub(crate) alarm: bool,
    pub(crate) down: bool,
}

impl Broker {
    /// Makes the queues that are missing.
    pub(crate) fn declare(&mut self) {
        for queue in [
            QueueName::Jobs,
            QueueName::Delayed,
            QueueName::FormerDelayed,
            QueueName::Dead,
        ] {
            self.queues.entry(queue).or_default();
        }
    }

    pub(crate) fn connect(&mut self) -> ConnectionId {
        self.last_connection += 1;
        let connection = Connection::default();
        self.connections.insert(self.last_connection, connection);
        self.last_connection
    }

    pub(crate) fn is_connected(&self, id: ConnectionId) -> bool {
        self.connections.contains_key(&id)
    }

    pub(crate) fn connections(&self) -> Vec<ConnectionId> {
        self.connections.keys().copied().collect()
    }

    /// Ends a connection: what it held comes back.
    pub(crate) fn disconnect(&mut self, id: ConnectionId) {
        let Some(connection) = self.connections.remove(&id) else {
            return;
        };
        for message in connection.unsettled.into_values().rev() {
            self.take_back(message);
        }
        self.deliver();
    }

    fn take_back(&mut self, message: Message) {
        let returns = message.returns + 1;
        let message = Message { returns, ..message };
        if returns > DELIVERY_LIMIT {
            self.add(QueueName::Dead, message);
        } else if let Some(jobs) = self.queues.get_mut(&QueueName::Jobs) {
            jobs.push_front(message);
        }
    }

    /// Sends messages to a connection, at most `in_flight` unsettled ones at a time.
    pub(crate) fn consume(
        &mut self,
        id: ConnectionId,
        in_flight: u16,
        deliveries: UnboundedSender<(u64, Arc<[u8]>)>,
    ) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.consumer = Some(Consumer {
                in_flight: in_flight.into(),
                deliveries,
            });
        }
        self.deliver();
    }

    /// Sends no more messages to a connection.
    pub(crate) fn stop_consuming(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.consumer = None;
        }
    }

    /// Does what a client says, unless its connection is blocked: then later. Returns whether it was
    /// done; a message for a queue that is not there comes back instead.
    pub(crate) fn take(&mut self, id: ConnectionId, request: Request) -> Taken {
        let publishes = matches!(request, Request::Publish(..));
        let alarm = self.alarm;
        let Some(connection) = self.connections.get_mut(&id) else {
            return Taken::Disconnected;
        };
        connection.blocked |= publishes && alarm;
        if connection.blocked {
            connection.said.push_back(request);
            return Taken::Waits;
        }
        self.perform(id, request)
    }

    /// Whether anything that the connection said still waits.
    pub(crate) fn is_blocked(&self, id: ConnectionId) -> bool {
        let connection = self.connections.get(&id);
        connection.is_some_and(|connection| connection.blocked)
    }

    fn perform(&mut self, id: ConnectionId, request: Request) -> Taken {
        let connection = self.connections.get_mut(&id);
        match request {
            Request::Acknowledge(tag) => {
                connection.map(|connection| connection.unsettled.remove(&tag));
            }
            Request::Reject(tag) => {
                let message = connection.and_then(|connection| connection.unsettled.remove(&tag));
                if let Some(message) = message {
                    self.add(QueueName::Dead, message);
                }
            }
            Request::TakeBack(tag) => {
                let message = connection.and_then(|connection| connection.unsettled.remove(&tag));
                if let Some(message) = message {
                    self.take_back(message);
                }
            }
            Request::Publish(queue, message) => {
                if !self.add(queue, message) {
                    return Taken::Returned;
                }
            }
        }
        self.deliver();
        Taken::Done
    }

    /// Puts a message at the end of a queue; says no if there is none.
    pub(crate) fn add(&mut self, queue: QueueName, mut message: Message) -> bool {
        if queue == QueueName::Delayed {
            let latest = Instant::now() + LONGEST_DELAY;
            message.expires = Some(message.expires.map_or(latest, |own| own.min(latest)));
        }
        let messages = self.queues.get_mut(&queue);
        messages
            .map(|messages| messages.push_back(message))
            .is_some()
    }

    /// Ends an alarm: what was said meanwhile is done.
    pub(crate) fn end_alarm(&mut self) {
        self.alarm = false;
        for id in self.connections() {
            let Some(connection) = self.connections.get_mut(&id) else {
                continue;
            };
            connection.blocked = false;
            for request in std::mem::take(&mut connection.said) {
                self.perform(id, request);
            }
        }
        // The delay of what was published meanwhile may be over.
        self.expire();
    }

    /// Moves what has expired at the head of the queue of delayed messages.
    pub(crate) fn expire(&mut self) {
        let now = Instant::now();
        while let Some(delayed) = self.queues.get_mut(&QueueName::Delayed)
            && let Some(head) = delayed.front()
            && head.expires.is_some_and(|expires| expires <= now)
            && let Some(message) = delayed.pop_front()
        {
            self.add(
                QueueName::Jobs,
                Message {
                    expires: None,
                    ..message
                },
            );
        }
        self.deliver();
    }

    /// Hands waiting messages to consumers in turn.
    pub(crate) fn deliver(&mut self) {
        while !self.down
            && let Some(jobs) = self.queues.get_mut(&QueueName::Jobs)
            && !jobs.is_empty()
        {
            let is_free = |connection: &Connection| {
                let consumer = connection.consumer.as_ref();
                consumer.is_some_and(|consumer| connection.unsettled.len() < consumer.in_flight)
            };
            let mut free = self.connections.iter().filter(|(_, each)| is_free(each));
            let first = free.clone().next().map(|(id, _)| *id);
            let next = free.find(|(id, _)| **id > self.turn).map(|(id, _)| *id);
            let Some(id) = next.or(first) else {
                return;
            };
            self.turn = id;
            let (Some(message), Some(connection)) =
                (jobs.pop_front(), self.connections.get_mut(&id))
            else {
                return;
            };
            self.last_tag += 1;
            if let Some(consumer) = &connection.consumer {
                // A client that is gone is noticed when its connection ends.
                let _ = consumer
                    .deliveries
                    .send((self.last_tag, Arc::clone(&message.body)));
            }
            connection.unsettled.insert(self.last_tag, message);
        }
    }

    /// Moves messages without expiry from the head of the queue of former releases.
    pub(crate) fn release_endless(&mut self) {
        while let Some(former) = self.queues.get_mut(&QueueName::FormerDelayed)
            && let Some(message) = former.pop_front()
        {
            self.add(QueueName::Jobs, message);
        }
        self.deliver();
    }

    /// Number of messages that wait in a queue; `None` if it is not there.
    pub(crate) fn waiting(&self, queue: QueueName) -> Option<u64> {
        Some(self.queues.get(&queue)?.len() as u64)
    }

    /// Number of messages that wait in each queue, for people.
    pub(crate) fn lengths(&self) -> String {
        let queues = self.queues.iter();
        let lengths = queues.map(|(name, messages)| format!("{name:?} {}", messages.len()));
        lengths.collect::<Vec<_>>().join(", ")
    }

    /// The messages of a queue, to be changed by a fault.
    pub(crate) fn messages(&mut self, queue: QueueName) -> Option<&mut VecDeque<Message>> {
        self.queues.get_mut(&queue)
    }

    /// Number of messages that consumers hold.
    pub(crate) fn unsettled(&self) -> usize {
        let connections = self.connections.values();
        connections
            .map(|connection| connection.unsettled.len())
            .sum()
    }

    /// Deletes a queue: what was held of it is gone, too, and its consumers are told.
    pub(crate) fn delete(&mut self, queue: QueueName) {
        self.queues.remove(&queue);
        if queue == QueueName::Jobs {
            for connection in self.connections.values_mut() {
                connection.unsettled.clear();
                connection.consumer = None;
            }
        }
    }
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Taken {
    Done,
    Waits,
    Returned,
    Disconnected,
}
