//! The connections of the gRPC service, bounded in number and time.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use loto_process::connections::connection::{Client, Connection};
use loto_process::connections::limits::{ConnectionLimits, connections_at_most};
use loto_process::connections::listener::BoundedListener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpListener;
use tonic::transport::server::Connected;

/// Most connections, and the share of the descriptors that they may take: one in so many.
const CONNECTIONS: usize = 1024;
const SHARE: u64 = 2;

/// Time for TLS, the preface of HTTP/2 and the first request that is let in.
const FIRST_REQUEST: Duration = Duration::from_secs(10);

/// The connections that come to a listener, for ever.
pub(crate) fn incoming(
    listener: TcpListener,
) -> impl Stream<Item = io::Result<GrpcConnection>> + Send {
    let limits = ConnectionLimits {
        connections: connections_at_most(CONNECTIONS, SHARE),
        first_request: FIRST_REQUEST,
        between_requests: None,
    };
    let listener = BoundedListener::new(listener, limits);
    futures::stream::unfold(listener, |mut listener| async move {
        let connection = GrpcConnection(listener.next().await);
        Some((Ok(connection), listener))
    })
}

/// A connection of a client to the service.
pub(crate) struct GrpcConnection(Connection);

impl Connected for GrpcConnection {
    type ConnectInfo = Arc<Client>;

    fn connect_info(&self) -> Arc<Client> {
        Arc::clone(self.0.client())
    }
}

impl AsyncRead for GrpcConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for GrpcConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
