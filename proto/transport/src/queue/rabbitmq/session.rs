//! A connection with one channel, over which a process publishes or consumes.

use std::sync::Arc;
use std::time::Duration;

use lapin::options::{
    BasicAckOptions, BasicGetOptions, BasicPublishOptions, BasicRejectOptions,
    ConfirmSelectOptions, QueueDeleteOptions,
};
use lapin::{BasicProperties, Channel, Confirmation, Connection, PublisherConfirm};

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::broker::{Broker, RESPONSE_TIMEOUT};
use super::topology::{FORMER_DELAYED, JOBS, LONGEST_DELAY, ensure_queues, look_at};
use crate::error::TransportError;

/// Time between two looks whether the queues are there.
const QUEUES_INTERVAL: Duration = Duration::from_secs(2);

/// What an alarm of the broker means.
pub(super) const ALARM: &str = "it has an alarm (its memory or disk is almost full) and takes no messages until \
                                that is over";

/// RabbitMQ marks a message that is to survive its restart with this.
const PERSISTENT: u8 = 2;

/// Time between two looks whether the broker has an alarm.
const ALARM_INTERVAL: Duration = Duration::from_millis(100);

/// How long an alarm's notice may take after a message that it keeps from being taken.
const ALARM_NOTICE: Duration = Duration::from_secs(2);

/// How long a connection may take to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// How long it may take to delete a queue. RabbitMQ waits five seconds for a leader that there is not.
const DELETION: Duration = Duration::from_secs(10);

/// A queue that is never there: what is published to it comes back.
const NO_QUEUE: &str = "loto.nobody";

/// A message that was sent and is not yet known to be safe.
pub(super) struct Pending {
    queue: &'static str,
    confirm: PublisherConfirm,
}

/// A connection with one channel; both close when the last user is dropped.
pub(super) struct Session {
    pub(super) broker: Arc<Broker>,
    pub(super) channel: Channel,
    /// Where messages with a delay go.
    pub(super) delayed: &'static str,
    connection: Connection,
    abandoned: CancellationToken,
}

impl Session {
    /// Opens a session and sees to it that the queues are there, so that it
    /// does not matter who comes first.
    pub(super) async fn open(broker: &Arc<Broker>) -> Result<Self, TransportError> {
        Self::open_if_queues(broker).await?.ok_or_else(|| {
            let user = broker.user();
            broker.unavailable(format!(
                "there are no queues, and the user `{user}` may not make them: submit a sweep first"
            ))
        })
    }

    /// As [`Self::open`], but waits for somebody to make the queues if we may not.
    pub(super) async fn open_when_ready(broker: &Arc<Broker>) -> Result<Self, TransportError> {
        let mut told = false;
        loop {
            if let Some(session) = Self::open_if_queues(broker).await? {
                return Ok(session);
            }
            if !told {
                tracing::info!("waiting for the first sweep: its submission makes the queues");
                told = true;
            }
            tokio::time::sleep(QUEUES_INTERVAL).await;
        }
    }

    /// Opens a session; `None` if there are no queues and we may not make them.
    async fn open_if_queues(broker: &Arc<Broker>) -> Result<Option<Self>, TransportError> {
        let opening = async {
            let connection = broker.connect().await?;
            let Some(delayed) = ensure_queues(&connection, broker.declares).await? else {
                return Ok(None);
            };
            let channel = connection.create_channel().await?;
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await?;
            Ok(Some(Self {
                broker: broker.clone(),
                channel,
                delayed,
                connection,
                abandoned: CancellationToken::new(),
            }))
        };
        broker.answer("our connecting", opening).await
    }

    /// Ends the connection, so that all that is not settled goes back to the queue.
    pub(super) fn abandon(self: &Arc<Self>) {
        self.abandoned.cancel();
        let session = Arc::clone(self);
        tokio::spawn(async move {
            let closing = session.connection.close(200, "".into());
            // If it does not end now, it does when the broker misses signs of life.
            let _ended = tokio::time::timeout(FAREWELL, closing).await;
        });
    }

    /// Waits until the session is abandoned.
    pub(super) async fn is_abandoned(&self) {
        self.abandoned.cancelled().await;
    }

    /// Whether the broker takes no messages because of an alarm, as far as we were told: it tells
    /// those who publish.
    pub(super) fn is_blocked(&self) -> bool {
        let status = self.connection.status();
        // A connection that is lost stays as blocked as it was, whatever became of the alarm.
        status.connected() && status.blocked()
    }

    /// Publishes a message for nobody, at which a broker tells of its alarm; says whether it has one.
    pub(super) async fn asks_for_alarm(&self) -> Result<bool, TransportError> {
        if self.is_blocked() {
            return Ok(true);
        }
        let asking = async {
            let options = BasicPublishOptions {
                mandatory: true,
                ..BasicPublishOptions::default()
            };
            let properties = BasicProperties::default();
            let sending =
                self.channel
                    .basic_publish("".into(), NO_QUEUE.into(), options, &[], properties);
            sending.await?.await
        };
        match tokio::time::timeout(ALARM_NOTICE, asking).await {
            Ok(answer) => answer
                .map_err(|error| self.broker.failed(error))
                .map(|_| false),
            Err(_) => Ok(self.is_blocked()),
        }
    }

    /// The answer to a request that publishes; an error at once if the broker has an alarm.
    async fn answer<Answer>(
        &self,
        request: &str,
        asking: impl Future<Output = lapin::Result<Answer>>,
    ) -> Result<Answer, TransportError> {
        let blocked = async {
            while !self.is_blocked() {
                tokio::time::sleep(ALARM_INTERVAL).await;
            }
        };
        tokio::select! {
            biased;
            answer = self.broker.answer(request, asking) => answer,
            () = blocked => Err(self.broker.unavailable(ALARM)),
        }
    }

    /// Sends a message to the queue of jobs, after a delay if there is any;
    /// [`Self::confirmation`] tells when it is safe.
    pub(super) async fn send(
        &self,
        body: &[u8],
        delay: Duration,
    ) -> Result<Pending, TransportError> {
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
        let mut queue = JOBS;
        if !delay.is_zero() {
            let delay = delay.min(LONGEST_DELAY).as_millis().to_string();
            properties = properties.with_expiration(delay.into());
            queue = self.delayed;
        }
        let sending =
            self.channel
                .basic_publish("".into(), queue.into(), options, body, properties);
        let confirm = self.answer("a job", sending).await?;
        Ok(Pending { queue, confirm })
    }

    /// Waits until the broker says that a message is safe.
    pub(super) async fn confirmation(&self, pending: Pending) -> Result<(), TransportError> {
        let begin = Instant::now();
        let answer = self.answer("a published job", pending.confirm).await;
        if answer.is_err() && begin.elapsed() >= RESPONSE_TIMEOUT {
            self.delete_if_dead(pending.queue).await;
        }
        let problem = match answer? {
            Confirmation::Ack(None) => return Ok(()),
            Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => {
                format!("it returned a job: {}", returned.reply_text)
            }
            Confirmation::Nack(None) => "it could not keep a job".into(),
            Confirmation::NotRequested => "it does not confirm messages".into(),
        };
        Err(self.broker.unavailable(problem))
    }

    /// Deletes the queue of delayed messages if it takes none because it has no leader, although that of jobs has one: the next
    /// session makes it anew. RabbitMQ that dies within half a second after it made a quorum queue comes back with one that never
    /// gets a leader. Jobs that were in it are lost ones, to be published again; the queue of jobs itself is left alone.
    async fn delete_if_dead(&self, queue: &'static str) {
        let looking = async { Ok(queue != JOBS && self.delete_if_leaderless(queue).await?) };
        match tokio::time::timeout(DELETION, looking).await {
            Ok(Ok(true)) => {
                tracing::warn!("the queue {queue} took no message: it was deleted and is made anew")
            }
            Ok(Err(error)) => {
                let problem = self.broker.failed(error);
                tracing::warn!(
                    "the queue {queue} takes no message; if that lasts, delete it, and it is made anew: {problem}"
                );
            }
            // It is not dead, or others are, too, or the connection is.
            Ok(Ok(false)) | Err(_) => {}
        }
    }

    /// Whether the queue had no leader while that of jobs had one, and so was deleted. RabbitMQ counts neither messages nor
    /// consumers of a queue whose leader does not answer, and this worker consumes from the queue of jobs.
    async fn delete_if_leaderless(&self, queue: &'static str) -> lapin::Result<bool> {
        // A channel of its own: a refusal closes it.
        let channel = self.connection.create_channel().await?;
        let is_counted =
            |found: &lapin::Queue| found.message_count() > 0 || found.consumer_count() > 0;
        if is_counted(&look_at(&channel, queue).await?)
            || !is_counted(&look_at(&channel, JOBS).await?)
        {
            return Ok(false);
        }
        channel
            .queue_delete(queue.into(), QueueDeleteOptions::default())
            .await?;
        Ok(true)
    }

    /// Gives back the messages at the head of a former release's queue of delayed messages that would stay
    /// there for ever, as far as our account may.
    pub(super) async fn release_endless(&self) {
        match self.releasing_endless().await {
            Ok(0) => {}
            Ok(count) => tracing::warn!(
                "{count} messages without expiry held up all others in {FORMER_DELAYED}: they are back in {JOBS}"
            ),
            Err(error) => tracing::debug!("looking at {FORMER_DELAYED}: {error}"),
        }
    }

    async fn releasing_endless(&self) -> lapin::Result<u64> {
        // A channel of its own: a refusal closes it.
        let channel = self.connection.create_channel().await?;
        let mut released = 0;
        let get = BasicGetOptions::default();
        while let Some(head) = channel.basic_get(FORMER_DELAYED.into(), get).await? {
            let is_endless = head.delivery.properties.expiration().is_none();
            let sent = is_endless && self.forward(&head.delivery.data).await.is_ok();
            if !sent {
                let back = BasicRejectOptions { requeue: true };
                head.delivery.acker.reject(back).await?;
                break;
            }
            head.delivery.acker.ack(BasicAckOptions::default()).await?;
            released += 1;
        }
        channel.close(200, "".into()).await?;
        Ok(released)
    }

    async fn forward(&self, body: &[u8]) -> Result<(), TransportError> {
        let pending = self.send(body, Duration::ZERO).await?;
        self.confirmation(pending).await
    }

    /// Number of messages in a queue that no consumer holds.
    pub(super) async fn messages(&self, queue: &str) -> Result<u64, TransportError> {
        let looking = look_at(&self.channel, queue);
        let found = self
            .broker
            .answer("our looking at a queue", looking)
            .await?;
        Ok(found.message_count().into())
    }
}
