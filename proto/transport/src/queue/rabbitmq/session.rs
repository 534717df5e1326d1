//! A connection with one channel, over which a process publishes or consumes.

use std::sync::Arc;
use std::time::Duration;

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::{BasicProperties, Channel, Confirmation, Connection, PublisherConfirm};

use super::broker::Broker;
use super::topology::{DELAYED, JOBS, ensure_queues, look_at};
use crate::error::TransportError;

/// Time between two looks whether the queues are there.
const QUEUES_INTERVAL: Duration = Duration::from_secs(2);

/// RabbitMQ marks a message that is to survive its restart with this.
const PERSISTENT: u8 = 2;

/// A connection with one channel; both close when the last user is dropped.
pub(super) struct Session {
    pub(super) broker: Arc<Broker>,
    pub(super) channel: Channel,
    _connection: Connection,
}

impl Session {
    /// Opens a session and sees to it that the queues are there, so that it
    /// does not matter who comes first.
    pub(super) async fn open(broker: &Arc<Broker>) -> Result<Self, TransportError> {
        Self::open_if_queues(broker).await?.ok_or_else(|| {
            let user = broker.user();
            broker.refused(format!(
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
            if !ensure_queues(&connection, broker.declares).await? {
                return Ok(None);
            }
            let channel = connection.create_channel().await?;
            channel
                .confirm_select(ConfirmSelectOptions::default())
                .await?;
            Ok(Some(Self {
                broker: broker.clone(),
                channel,
                _connection: connection,
            }))
        };
        broker.answer("our connecting", opening).await
    }

    /// Sends a message to the queue of jobs, after a delay if there is any;
    /// [`Self::confirmation`] tells when it is safe.
    pub(super) async fn send(
        &self,
        body: &[u8],
        delay: Duration,
    ) -> Result<PublisherConfirm, TransportError> {
        let options = BasicPublishOptions {
            mandatory: true,
            ..BasicPublishOptions::default()
        };
        let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
        let mut queue = JOBS;
        if !delay.is_zero() {
            properties = properties.with_expiration(delay.as_millis().to_string().into());
            queue = DELAYED;
        }
        let sending =
            self.channel
                .basic_publish("".into(), queue.into(), options, body, properties);
        self.broker.answer("a job", sending).await
    }

    /// Waits until the broker says that a message is safe.
    pub(super) async fn confirmation(
        &self,
        pending: PublisherConfirm,
    ) -> Result<(), TransportError> {
        let problem = match self.broker.answer("a published job", pending).await? {
            Confirmation::Ack(None) => return Ok(()),
            Confirmation::Ack(Some(returned)) | Confirmation::Nack(Some(returned)) => {
                format!("it returned a job: {}", returned.reply_text)
            }
            Confirmation::Nack(None) => "it could not keep a job".into(),
            Confirmation::NotRequested => "it does not confirm messages".into(),
        };
        Err(self.broker.unavailable(problem))
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
