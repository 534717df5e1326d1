//! AMQP over TLS through the same TLS library as Redis and gRPC.
//!
//! lapin's own TLS features bring a second connector and a reader of PKCS #12 files, forty packages
//! that nothing else needs. It takes any stream that its reactor makes, so this reactor makes
//! encrypted ones.

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_rs::Tokio;
use async_rs::traits::Reactor;
use async_rs::util::RuntimeParts;
use futures::Stream;
use futures::io::{AsyncRead, AsyncWrite};
use lapin::uri::AMQPUri;
use lapin::{AsyncTcpStream, Connection, ConnectionProperties};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::compat::{Compat, TokioAsyncReadCompatExt};

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
    let server = ServerName::try_from(host).map_err(std::io::Error::other)?;
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
    type TcpStream = Compat<TlsStream<TcpStream>>;
    type Sleep = tokio::time::Sleep;

    /// lapin takes its streams from `tcp_connect_addr` and registers none.
    fn register<H: Read + Write + Send + 'static>(
        &self,
        _socket: H,
    ) -> std::io::Result<impl AsyncRead + AsyncWrite + Send + Unpin + 'static> {
        Err::<Self::TcpStream, _>(std::io::ErrorKind::Unsupported.into())
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
    ) -> impl Future<Output = std::io::Result<Self::TcpStream>> + Send + 'static {
        let (connector, server) = (self.connector.clone(), self.server.clone());
        async move {
            let stream = TcpStream::connect(address).await?;
            let encrypted = connector.connect(server, stream).await?;
            Ok(encrypted.compat())
        }
    }
}
