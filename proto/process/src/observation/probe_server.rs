//! Answers metrics and probes over HTTP, also if clients hold connections open.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::serve::{IncomingStream, Listener};
use tokio::net::TcpListener;

use crate::connections::connection::{Client, Connection};
use crate::connections::limits::{ConnectionLimits, connections_at_most};
use crate::connections::listener::BoundedListener;

/// Most connections, and the share of the descriptors that is kept for them: one in so many.
const CONNECTIONS: usize = 32;
const SHARE: u64 = 8;

/// Time for the first request.
const FIRST_REQUEST: Duration = Duration::from_secs(5);

/// Time from one request to the next: longer than between two scrapes of Prometheus.
const BETWEEN_REQUESTS: Duration = Duration::from_secs(150);

/// Answers for as long as the process runs.
pub(super) async fn serve(listener: TcpListener, answers: Router) {
    let limits = ConnectionLimits {
        connections: connections_at_most(CONNECTIONS, SHARE),
        first_request: FIRST_REQUEST,
        between_requests: Some(BETWEEN_REQUESTS),
    };
    let answers = answers.layer(middleware::from_fn(note_request));
    let service = answers.into_make_service_with_connect_info::<Asking>();
    let listener = Connections(BoundedListener::new(listener, limits));
    if let Err(error) = axum::serve(listener, service).await {
        tracing::error!("metrics and probes end: {error}");
    }
}

struct Connections(BoundedListener);

impl Listener for Connections {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        let connection = self.0.next().await;
        let address = connection.client().address;
        (connection, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.address()
    }
}

/// Who asks.
#[derive(Debug, Clone)]
struct Asking(Arc<Client>);

impl Connected<IncomingStream<'_, Connections>> for Asking {
    fn connect_info(stream: IncomingStream<'_, Connections>) -> Self {
        Self(Arc::clone(stream.io().client()))
    }
}

async fn note_request(
    ConnectInfo(Asking(client)): ConnectInfo<Asking>,
    request: Request,
    next: Next,
) -> Response {
    client.note_request();
    next.run(request).await
}
