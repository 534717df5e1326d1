//! Delivers jobs to one consumer of the host's queue.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tonic::{Status, Streaming};

use crate::error::TransportError;
use crate::host::protocol::wire::consume_request::Request;
use crate::host::protocol::wire::settlement::Outcome;
use crate::host::protocol::wire::{ConsumeRequest, DeliveredJob, Settlement};
use crate::queue::{Consumer, Receipt};

/// Longest delay of a message that was given back.
const LONGEST_DELAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Where deliveries go.
pub(super) type Deliveries = mpsc::Sender<Result<DeliveredJob, Status>>;

/// Hands deliveries on and settles them, until the consumer or the host ends. What is not settled then
/// goes back to the queue, since its receipt is dropped.
pub(super) async fn deliver(
    mut consumer: Box<dyn Consumer>,
    mut requests: Streaming<ConsumeRequest>,
    deliveries: Deliveries,
    stopping: CancellationToken,
) {
    let mut unsettled: HashMap<u64, Box<dyn Receipt>> = HashMap::new();
    let mut number = 0;
    loop {
        tokio::select! {
            biased;
            () = stopping.cancelled() => return,
            () = deliveries.closed() => return,
            request = requests.message() => {
                // A consumer that is gone says nothing more.
                let Ok(Some(request)) = request else { return };
                if let Err(status) = settle(request, &mut unsettled).await {
                    let _gone = deliveries.send(Err(status)).await;
                    return;
                }
            }
            delivery = consumer.next() => {
                let Ok(Some(delivery)) = delivery else { return };
                number += 1;
                unsettled.insert(number, delivery.receipt);
                let job = DeliveredJob { delivery: number, body: delivery.body };
                if deliveries.send(Ok(job)).await.is_err() {
                    return;
                }
            }
        }
    }
}

async fn settle(
    request: ConsumeRequest,
    unsettled: &mut HashMap<u64, Box<dyn Receipt>>,
) -> Result<(), Status> {
    let Some(Request::Settlement(Settlement {
        delivery,
        outcome: Some(outcome),
    })) = request.request
    else {
        return Err(Status::invalid_argument("a settlement was expected"));
    };
    let Some(receipt) = unsettled.remove(&delivery) else {
        let problem = format!("delivery {delivery} is settled, or never was");
        return Err(Status::invalid_argument(problem));
    };
    let settled = match outcome {
        Outcome::Acknowledged(_) => receipt.acknowledge().await,
        Outcome::RequeuedAfterMs(delay) => {
            let delay = Duration::from_millis(delay).min(LONGEST_DELAY);
            receipt.requeue(delay).await
        }
        Outcome::Rejected(_) => {
            tracing::warn!(
                "a consumer rejected a message, which is no job; it is kept among the dead letters"
            );
            receipt.reject().await
        }
    };
    settled.map_err(|error: TransportError| Status::unavailable(error.to_string()))
}
