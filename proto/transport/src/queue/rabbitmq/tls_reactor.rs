//! AMQP over TLS through the same TLS library as Redis and gRPC.
//!
//! lapin's own TLS features bring a second connector and a reader of PKCS #12 files, forty packages
//! that nothing else needs. It takes any stream that its reactor makes, so this reactor makes
//! encrypted ones.

use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use async_rs::Tokio;
use async_rs::traits::Reactor;
use async_rs::util::RuntimeParts;
use futures::Stream;
use lapin::uri::AMQPUri;
use lapin::{AsyncTcpStream, Connection, ConnectionProperties};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt};

use crate::connection::refusal;

/// Connects to a broker over TLS.
///
/// # Errors
/// Those of lapin; an I/O error that holds rustls' own if the handshake fails.
pub(super) async fn connect(
    uri: AMQPUri,
    config: Arc<ClientConfig>,
    properties: ConnectionProperties,
) -> lapin::Result<Connection> {
    let host = uri.authority.host.clone();
    let server = ServerName::try_from(host).map_err(io::Error::other)?;
    let reactor = TlsReactor {
        tcp: Tokio::current(),
        connector: TlsConnector::from(config),
        server,
    };
    let runtime = async_rs::Runtime::new(RuntimeParts::new(Tokio::current(), reactor));
    Connection::connector(
        uri,
        runtime,
        async move |uri, runtime| {
            let place = (uri.authority.host.clone(), uri.authority.port);
            let addresses = runtime.to_socket_addrs(place);
            Ok(AsyncTcpStream::connect(&runtime, addresses).await?)
        },
        properties,
    )
    .await
}

/// Tokio's reactor, but its streams are encrypted, and the server has proved that it is `server`.
#[derive(Clone)]
struct TlsReactor {
    tcp: Tokio,
    connector: TlsConnector,
    server: ServerName<'static>,
}

impl std::fmt::Debug for TlsReactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("TlsReactor").finish_non_exhaustive()
    }
}

impl Reactor for TlsReactor {
    type TcpStream = Compat<ReasonedStream>;
    type Sleep = tokio::time::Sleep;

    /// lapin takes its streams from `tcp_connect_addr` and registers none.
    fn register<H: Read + Write + Send + 'static>(
        &self,
        _socket: H,
    ) -> io::Result<impl futures::io::AsyncRead + futures::io::AsyncWrite + Send + Unpin + 'static>
    {
        Err::<Self::TcpStream, _>(io::ErrorKind::Unsupported.into())
    }

    fn sleep(&self, duration: Duration) -> Self::Sleep {
        self.tcp.sleep(duration)
    }

    fn interval(&self, duration: Duration) -> impl Stream<Item = Instant> + Send + 'static {
        self.tcp.interval(duration)
    }

    fn tcp_connect_addr(
        &self,
        address: SocketAddr,
    ) -> impl Future<Output = io::Result<Self::TcpStream>> + Send + 'static {
        let (connector, server) = (self.connector.clone(), self.server.clone());
        async move {
            let stream = TcpStream::connect(address).await?;
            let encrypted = connector.connect(server, stream).await?;
            Ok(ReasonedStream(encrypted).compat())
        }
    }
}

/// A stream that tells why the server ended it. A server that refuses our certificate says so after
/// the handshake is over for us, and closes: our first write then fails with nothing but the reset of the
/// connection, while the reason waits to be read.
struct ReasonedStream(TlsStream<TcpStream>);

impl ReasonedStream {
    /// The reason that waits to be read, if there is one, in place of the error of a write.
    fn explain<T>(&mut self, context: &mut Context<'_>, written: Written<T>) -> Written<T> {
        let Poll::Ready(Err(error)) = written else {
            return written;
        };
        let read = Pin::new(&mut self.0).poll_read(context, &mut ReadBuf::new(&mut [0]));
        Poll::Ready(Err(match read {
            Poll::Ready(Err(reason)) if refusal::of_tls(&reason).is_some() => reason,
            _ => error,
        }))
    }
}

type Written<T> = Poll<io::Result<T>>;

impl AsyncRead for ReasonedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for ReasonedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Written<usize> {
        let written = Pin::new(&mut self.0).poll_write(context, bytes);
        self.explain(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        let flushed = Pin::new(&mut self.0).poll_flush(context);
        self.explain(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Written<()> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
