//! The queue of `loto host`.

use std::time::Duration;

use async_trait::async_trait;
use futures::stream;
use loto_proto::identity::StoreId;
use loto_proto::job::Job;
use tokio::sync::mpsc;
use tonic::Streaming;

use super::interface::{Consumer, Delivery, Queue, Receipt};
use crate::connection::Access;
use crate::error::TransportError;
use crate::host::channel::{HostChannel, Place};
use crate::host::protocol::wire::consume_request::Request;
use crate::host::protocol::wire::settlement::Outcome;
use crate::host::protocol::wire::{
    ConsumeRequest, DeliveredJob, Nothing, PublishRequest, Settlement, WaitingRequest,
};
use crate::retry::{Backoff, retry_transient};
use crate::server::Server;

/// Bytes of messages that are published at a time.
const BYTES_PER_REQUEST: usize = 4 << 20;

/// A queue in a process that runs `loto host`.
pub struct HostQueue {
    channel: HostChannel,
}

impl HostQueue {
    /// Connects to `loto[s]://[:TOKEN@]HOST[:PORT]`.
    ///
    /// # Errors
    /// [`TransportError::UnknownUrl`] if it is not such a URL; [`TransportError::Unavailable`] if the host does
    /// not answer; [`TransportError::Refused`] if it refuses us, or we do not trust it.
    pub async fn connect(access: impl Into<Access>) -> Result<Self, TransportError> {
        let channel = HostChannel::connect(Server::Broker, &access.into()).await?;
        Ok(Self { channel })
    }

    async fn publish_messages(
        &self,
        messages: impl Iterator<Item = Vec<u8>>,
    ) -> Result<(), TransportError> {
        let mut batch = PublishRequest::default();
        let mut bytes = 0;
        for message in messages {
            bytes += message.len();
            batch.jobs.push(message);
            if bytes >= BYTES_PER_REQUEST {
                self.publish_batch(std::mem::take(&mut batch)).await?;
                bytes = 0;
            }
        }
        if batch.jobs.is_empty() {
            return Ok(());
        }
        self.publish_batch(batch).await
    }

    async fn publish_batch(&self, batch: PublishRequest) -> Result<(), TransportError> {
        retry_transient(Backoff::BRIEF, "publishing jobs", || async {
            let answer = self.channel.client().publish(batch.clone()).await;
            answer.map_err(|status| self.channel.place().failed(status))?;
            Ok(())
        })
        .await
    }
}

#[async_trait]
impl Queue for HostQueue {
    async fn publish(&self, jobs: &[Job]) -> Result<(), TransportError> {
        self.publish_messages(jobs.iter().map(Job::encode)).await
    }

    async fn publish_for(&self, store: StoreId, jobs: &[Job]) -> Result<(), TransportError> {
        let messages = jobs.iter().map(|job| job.encode_for(Some(store)));
        self.publish_messages(messages).await
    }

    async fn waiting(&self) -> Result<u64, TransportError> {
        let answer = self.channel.client().waiting(WaitingRequest {}).await;
        let answer = answer.map_err(|status| self.channel.place().failed(status))?;
        Ok(answer.into_inner().messages)
    }

    async fn consume(&self, in_flight: u16) -> Result<Box<dyn Consumer>, TransportError> {
        // At most one settlement for each delivery is in it.
        let (settlements, mut requests) = mpsc::unbounded_channel();
        let first = ConsumeRequest {
            request: Some(Request::InFlight(in_flight.max(1).into())),
        };
        // The receiver is just below.
        let _received = settlements.send(first);
        let requests = stream::poll_fn(move |context| requests.poll_recv(context));
        let place = self.channel.place().clone();
        let answer = self.channel.client().consume(requests).await;
        let deliveries = answer.map_err(|status| place.failed(status))?.into_inner();
        Ok(Box::new(HostConsumer {
            deliveries,
            settlements,
            place,
        }))
    }
}

type Settlements = mpsc::UnboundedSender<ConsumeRequest>;

struct HostConsumer {
    deliveries: Streaming<DeliveredJob>,
    settlements: Settlements,
    place: Place,
}

#[async_trait]
impl Consumer for HostConsumer {
    async fn next(&mut self) -> Result<Option<Delivery>, TransportError> {
        let next = self.deliveries.message().await;
        let next = next.map_err(|status| self.place.failed(status))?;
        let ended = || self.place.unavailable("it ended the delivery of jobs");
        let DeliveredJob { delivery, body } = next.ok_or_else(ended)?;
        Ok(Some(Delivery {
            body,
            receipt: Box::new(HostReceipt {
                delivery,
                settlements: self.settlements.clone(),
                place: self.place.clone(),
            }),
        }))
    }
}

/// A delivery that is not settled before the consumer's call ends goes back to the queue.
struct HostReceipt {
    delivery: u64,
    settlements: Settlements,
    place: Place,
}

impl HostReceipt {
    fn settle(&self, outcome: Outcome) -> Result<(), TransportError> {
        let settlement = Settlement {
            delivery: self.delivery,
            outcome: Some(outcome),
        };
        let request = ConsumeRequest {
            request: Some(Request::Settlement(settlement)),
        };
        let sent = self.settlements.send(request);
        sent.map_err(|_| self.place.unavailable("the connection was lost"))
    }
}

#[async_trait]
impl Receipt for HostReceipt {
    async fn acknowledge(self: Box<Self>) -> Result<(), TransportError> {
        self.settle(Outcome::Acknowledged(Nothing {}))
    }

    async fn requeue(self: Box<Self>, delay: Duration) -> Result<(), TransportError> {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        self.settle(Outcome::RequeuedAfterMs(delay))
    }

    async fn reject(self: Box<Self>) -> Result<(), TransportError> {
        self.settle(Outcome::Rejected(Nothing {}))
    }
}
