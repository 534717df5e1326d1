//! Answers for the store and the queue of this process.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use loto_proto::limits::MAX_MESSAGE_BYTES;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::{Request, Response, Status, Streaming};

use super::{answer, delivery};
use crate::error::TransportError;
use crate::host::protocol::MAX_HOST_MESSAGE_BYTES;
use crate::host::protocol::wire::consume_request::Request as Consume;
use crate::host::protocol::wire::host_server::Host;
pub use crate::host::protocol::wire::host_server::HostServer;
use crate::host::protocol::wire::{
    ConsumeRequest, DeliveredJob, PublishAnswer, PublishRequest, StoreAnswer, StoreCall,
    WaitingAnswer, WaitingRequest,
};
use crate::queue::{InProcessQueue, Queue};
use crate::store::Store;

/// `loto.v1.Host` for a store and a queue of this process.
pub struct HostService {
    store: Arc<dyn Store>,
    queue: InProcessQueue,
    stopping: CancellationToken,
}

/// The service, to be served: consumers get no more jobs once `stopping` is cancelled.
pub fn host_server(
    store: Arc<dyn Store>,
    queue: InProcessQueue,
    stopping: CancellationToken,
) -> HostServer<HostService> {
    let service = HostService {
        store,
        queue,
        stopping,
    };
    HostServer::new(service)
        .max_decoding_message_size(MAX_HOST_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_HOST_MESSAGE_BYTES)
}

fn unavailable(error: TransportError) -> Status {
    Status::unavailable(error.to_string())
}

#[tonic::async_trait]
impl Host for HostService {
    async fn publish(
        &self,
        request: Request<PublishRequest>,
    ) -> Result<Response<PublishAnswer>, Status> {
        let jobs = request.into_inner().jobs;
        if let Some(job) = jobs.iter().find(|job| job.len() > MAX_MESSAGE_BYTES) {
            return Err(Status::invalid_argument(format!(
                "a message has {} bytes, allowed are {MAX_MESSAGE_BYTES}",
                job.len()
            )));
        }
        self.queue.publish_messages(jobs).map_err(unavailable)?;
        Ok(Response::new(PublishAnswer {}))
    }

    async fn waiting(
        &self,
        _request: Request<WaitingRequest>,
    ) -> Result<Response<WaitingAnswer>, Status> {
        let messages = self.queue.waiting().await.map_err(unavailable)?;
        Ok(Response::new(WaitingAnswer { messages }))
    }

    type ConsumeStream = BoxStream<'static, Result<DeliveredJob, Status>>;

    async fn consume(
        &self,
        request: Request<Streaming<ConsumeRequest>>,
    ) -> Result<Response<Self::ConsumeStream>, Status> {
        let mut requests = request.into_inner();
        let first = requests.message().await?.and_then(|first| first.request);
        let in_flight = match first {
            Some(Consume::InFlight(in_flight)) => u16::try_from(in_flight).ok(),
            _ => None,
        };
        let in_flight = in_flight.filter(|number| *number > 0).ok_or_else(|| {
            Status::invalid_argument("the first request has to say how many jobs, from 1 to 65535")
        })?;
        let consumer = self.queue.consume(in_flight).await.map_err(unavailable)?;
        let (sender, mut receiver) = mpsc::channel(in_flight.into());
        let stopping = self.stopping.clone();
        tokio::spawn(delivery::deliver(consumer, requests, sender, stopping));
        let deliveries = stream::poll_fn(move |context| receiver.poll_recv(context));
        Ok(Response::new(deliveries.boxed()))
    }

    async fn keep(&self, request: Request<StoreCall>) -> Result<Response<StoreAnswer>, Status> {
        let answer = answer::answer(self.store.as_ref(), request.into_inner()).await?;
        Ok(Response::new(answer))
    }
}
