//! Listens, and stops cleanly.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use loto_proto::limits::{MAX_ANSWER_BYTES, MAX_REQUEST_BYTES, MAX_REQUESTS_PER_CONNECTION};
use loto_service::wire::aggregator_server::AggregatorServer;
use loto_transport::store::Store;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;

use super::guard::Guard;
use super::incoming::incoming;
use super::service::AggregatorService;
use super::watched_sweeps::WatchedSweeps;
use crate::CoordinatorError;

/// Time between two looks whether a silent client is still there.
const KEEPALIVE: Duration = Duration::from_secs(30);

/// Time that answers under way have to end when the service stops.
const DRAIN: Duration = Duration::from_secs(5);

/// Listens on an address; port 0 is any free port.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the address is taken or not this host's.
pub async fn bind(address: SocketAddr) -> Result<TcpListener, CoordinatorError> {
    let listener = TcpListener::bind(address).await;
    listener.map_err(|error| serving(address, error))
}

/// Serves `loto.v1.Aggregator` with the standard health and reflection services
/// to those whom `guard` lets in, until `stopping` is cancelled.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the listener fails.
pub async fn serve(
    store: Arc<dyn Store>,
    sweeps: Arc<WatchedSweeps>,
    listener: TcpListener,
    guard: Guard,
    stopping: CancellationToken,
) -> Result<(), CoordinatorError> {
    let (address, server) = secured(&guard, &listener)?;
    let aggregator =
        AggregatorServer::new(AggregatorService::start(store, sweeps, stopping.clone()))
            .max_decoding_message_size(MAX_REQUEST_BYTES)
            .max_encoding_message_size(MAX_ANSWER_BYTES);

    let (reporter, health) = tonic_health::server::health_reporter();
    reporter
        .set_serving::<AggregatorServer<AggregatorService>>()
        .await;
    let descriptors = || {
        tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(loto_service::FILE_DESCRIPTOR_SET)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
    };
    // Most clients still speak the older version of the reflection protocol.
    let reflection = descriptors()
        .build_v1()
        .map_err(|error| serving(address, error))?;
    let reflection_alpha = descriptors()
        .build_v1alpha()
        .map_err(|error| serving(address, error))?;

    let server = server
        .layer(guard.layer())
        .max_concurrent_streams(MAX_REQUESTS_PER_CONNECTION)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .add_service(health)
        .add_service(reflection)
        .add_service(reflection_alpha)
        .add_service(aggregator)
        .serve_with_incoming_shutdown(incoming(listener), stopping.clone().cancelled_owned());
    tracing::info!("serving loto.v1.Aggregator on {address}");
    let out_of_time = async {
        stopping.cancelled().await;
        reporter
            .set_not_serving::<AggregatorServer<AggregatorService>>()
            .await;
        tokio::time::sleep(DRAIN).await;
    };
    tokio::select! {
        ended = server => ended.map_err(|error| serving(address, error)),
        () = out_of_time => {
            tracing::warn!("answers were still under way after {DRAIN:?}; they are cut off");
            Ok(())
        }
    }
}

/// A server with the TLS of `guard`, and the address that it will serve.
///
/// # Errors
/// [`CoordinatorError::Serving`] if the certificate is of no use.
pub(crate) fn secured(
    guard: &Guard,
    listener: &TcpListener,
) -> Result<(SocketAddr, Server), CoordinatorError> {
    let address = listener
        .local_addr()
        .map_err(|error| serving("a socket", error))?;
    guard.warn_of_tokens_in_the_clear(address);
    let server = Server::builder();
    let server = match guard.tls() {
        None => server,
        Some(tls) => server
            .tls_config(tls)
            .map_err(|error| serving(address, error))?,
    };
    Ok((address, server))
}

pub(crate) fn serving(address: impl ToString, error: impl std::error::Error) -> CoordinatorError {
    // The cause of a transport error is only in its source.
    let cause = error.source().map(|source| format!(": {source}"));
    CoordinatorError::Serving {
        address: address.to_string(),
        problem: format!("{error}{}", cause.unwrap_or_default()),
    }
}
