//! Listens, and stops cleanly.

use std::sync::Arc;
use std::time::Duration;

use loto_proto::limits::MAX_REQUESTS_PER_CONNECTION;
use loto_transport::hosting::host_server;
use loto_transport::queue::InProcessQueue;
use loto_transport::store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::CoordinatorError;
use crate::aggregator::{Guard, incoming, secured, serving};

/// Time between two looks whether a silent client is still there, and for its answer: the jobs of one that is gone go
/// to another.
const KEEPALIVE: Duration = Duration::from_secs(10);

/// Time that clients have to end when the host stops: longer than it takes to notice that one vanished.
const DRAIN: Duration = Duration::from_secs(30);

/// Serves `loto.v1.Host` to those whom `guard` lets in, until `stopping` is cancelled.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the listener fails.
pub(crate) async fn serve(
    store: Arc<dyn Store>,
    queue: InProcessQueue,
    listener: TcpListener,
    guard: Guard,
    stopping: CancellationToken,
) -> Result<(), CoordinatorError> {
    let (address, server) = secured(&guard, &listener)?;
    let scheme = if guard.tls().is_some() {
        "lotos"
    } else {
        "loto"
    };
    tracing::info!("serving a queue and a store on {scheme}://{address}");
    let host = host_server(store, queue, stopping.clone());
    let server = server
        .layer(guard.layer())
        .max_concurrent_streams(MAX_REQUESTS_PER_CONNECTION)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .add_service(host)
        .serve_with_incoming_shutdown(incoming(listener), stopping.clone().cancelled_owned());
    let out_of_time = async {
        stopping.cancelled().await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = server => ended.map_err(|error| serving(address, error)),
        () = out_of_time => {
            tracing::warn!("clients were still connected after {DRAIN:?}; they are cut off");
            Ok(())
        }
    }
}
