//! A network between two processes that can be made as bad as wished.
//!
//! A [`Proxy`] takes TCP connections on a port of its own and forwards them to a
//! server. What it is told to do holds for all its connections from that moment on, or,
//! where that makes no sense for new ones, for those that are open.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{sleep, sleep_until};

/// Bytes forwarded at a time.
const CHUNK: usize = 16 << 10;

/// Pieces per second in which a throttled connection forwards.
const THROTTLED_PIECES: usize = 10;

/// How long a connection that is to be cut may stay silent until it is cut all the same.
const LONGEST_SILENCE: Duration = Duration::from_secs(1);

/// A TCP proxy on a free port of this host; it ends when this value is dropped.
pub struct Proxy {
    port: u16,
    orders: watch::Sender<Orders>,
    accepting: JoinHandle<()>,
}

/// What a proxy does now. Connections are numbered from 1; orders for open ones name
/// the last of them.
#[derive(Debug, Clone, Copy, Default)]
struct Orders {
    newest: u64,
    stalled: bool,
    bytes_per_second: Option<usize>,
    turned_away: bool,
    swallow_to: u64,
    cut_to: u64,
    cut_after: usize,
}

impl Proxy {
    /// Forwards what comes to a free port to `server`, which need not be there yet.
    ///
    /// # Panics
    /// If there is no free port.
    pub async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("a bound port").port();
        let (orders, _) = watch::channel(Orders::default());
        let accepting = tokio::spawn(accept(listener, server, orders.clone()));
        Self {
            port,
            orders,
            accepting,
        }
    }

    /// Its port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts the open connections, each after so many more bytes in one direction or a
    /// second of silence: in the middle of a frame, as a rule.
    pub fn cut(&self, after_bytes: usize) {
        self.orders.send_modify(|orders| {
            orders.cut_to = orders.newest;
            orders.cut_after = after_bytes;
        });
    }

    /// Leaves the open connections open, but nothing passes any more, as when the host
    /// on the other side vanished.
    pub fn swallow(&self) {
        self.orders
            .send_modify(|orders| orders.swallow_to = orders.newest);
    }

    /// Holds everything back for so long, then passes it on.
    pub async fn stall(&self, time: Duration) {
        self.orders.send_modify(|orders| orders.stalled = true);
        sleep(time).await;
        self.orders.send_modify(|orders| orders.stalled = false);
    }

    /// Passes on only so much in each direction of each connection, for so long.
    pub async fn throttle(&self, bytes_per_second: usize, time: Duration) {
        let limit = |limit| move |orders: &mut Orders| orders.bytes_per_second = limit;
        self.orders.send_modify(limit(Some(bytes_per_second)));
        sleep(time).await;
        self.orders.send_modify(limit(None));
    }

    /// Cuts all connections and takes no new ones for so long.
    pub async fn turn_away(&self, time: Duration) {
        self.orders.send_modify(|orders| orders.turned_away = true);
        self.cut(0);
        sleep(time).await;
        self.orders.send_modify(|orders| orders.turned_away = false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, orders: watch::Sender<Orders>) {
    while let Ok((client, _)) = listener.accept().await {
        if orders.borrow().turned_away {
            reset(&client);
            continue;
        }
        orders.send_modify(|orders| orders.newest += 1);
        let number = orders.borrow().newest;
        tokio::spawn(forward(client, server, number, orders.subscribe()));
    }
}

async fn forward(
    client: TcpStream,
    server: SocketAddr,
    number: u64,
    orders: watch::Receiver<Orders>,
) {
    let Ok(server) = TcpStream::connect(server).await else {
        // As the server itself would do: it is not there.
        reset(&client);
        return;
    };
    for side in [&client, &server] {
        let _slower_without = side.set_nodelay(true);
        // Whoever ends: the other side gets a reset rather than an orderly end.
        reset(side);
    }
    let (client_reader, client_writer) = client.into_split();
    let (server_reader, server_writer) = server.into_split();
    tokio::select! {
        () = pump(client_reader, server_writer, number, orders.clone()) => {}
        () = pump(server_reader, client_writer, number, orders.clone()) => {}
        () = silent_cut(number, orders) => {}
    }
}

/// Makes the connection end with a reset when it is dropped.
fn reset(connection: &TcpStream) {
    let _ends_orderly_without = connection.set_zero_linger();
}

/// Returns when the connection is to be cut and nothing passed that could be cut through.
async fn silent_cut(number: u64, mut orders: watch::Receiver<Orders>) {
    let told = orders.wait_for(|orders| number <= orders.cut_to).await;
    if told.map(drop).is_ok() {
        sleep(LONGEST_SILENCE).await;
    }
}

/// Forwards one direction until it ends or is cut.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    number: u64,
    mut orders: watch::Receiver<Orders>,
) {
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(read) => read,
        };
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            let now = orders.wait_for(|orders| !orders.stalled).await;
            let Ok(now) = now.map(|orders| *orders) else {
                return;
            };
            if number <= now.swallow_to {
                break;
            }
            let is_cut = number <= now.cut_to;
            let mut length = rest.len();
            if let Some(rate) = now.bytes_per_second {
                length = length.min(rate.div_ceil(THROTTLED_PIECES));
            }
            if is_cut {
                length = length.min(now.cut_after);
            }
            let begin = tokio::time::Instant::now();
            if to.write_all(&rest[..length]).await.is_err() || is_cut {
                return;
            }
            if now.bytes_per_second.is_some() {
                sleep_until(begin + Duration::from_secs(1) / THROTTLED_PIECES as u32).await;
            }
            rest = &rest[length..];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(300);

    /// A proxy to a server that sends everything back, and a connection through it.
    async fn echo() -> (Proxy, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let proxy = Proxy::to(listener.local_addr().unwrap()).await;
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                tokio::spawn(async move {
                    let (mut reader, mut writer) = stream.split();
                    tokio::io::copy(&mut reader, &mut writer).await
                });
            }
        });
        let connection = connect(&proxy).await;
        (proxy, connection)
    }

    async fn connect(proxy: &Proxy) -> TcpStream {
        let address = ("127.0.0.1", proxy.port());
        TcpStream::connect(address).await.unwrap()
    }

    async fn exchange(connection: &mut TcpStream, text: &[u8]) -> std::io::Result<Vec<u8>> {
        connection.write_all(text).await?;
        let mut answer = vec![0; text.len()];
        connection.read_exact(&mut answer).await?;
        Ok(answer)
    }

    #[tokio::test]
    async fn it_forwards_and_cuts_what_is_open() {
        let (proxy, mut connection) = echo().await;
        assert_eq!(exchange(&mut connection, b"hello").await.unwrap(), b"hello");
        proxy.cut(3);
        assert!(exchange(&mut connection, b"hello").await.is_err());
        let mut next = connect(&proxy).await;
        assert_eq!(exchange(&mut next, b"again").await.unwrap(), b"again");
    }

    #[tokio::test]
    async fn a_silent_connection_is_cut_too() {
        let (proxy, mut connection) = echo().await;
        exchange(&mut connection, b"hello").await.unwrap();
        proxy.cut(3);
        let end = timeout(20 * LONGEST_SILENCE, connection.read(&mut [0; 1])).await;
        assert!(matches!(end.unwrap(), Ok(0) | Err(_)));
    }

    #[tokio::test]
    async fn it_stalls_swallows_and_turns_away() {
        let (proxy, mut connection) = echo().await;
        exchange(&mut connection, b"hello").await.unwrap();
        let begin = Instant::now();
        let (answer, ()) = tokio::join!(exchange(&mut connection, b"late"), proxy.stall(SHORT));
        assert_eq!(answer.unwrap(), b"late");
        assert!(begin.elapsed() >= SHORT);

        proxy.swallow();
        let nothing = timeout(SHORT, exchange(&mut connection, b"lost")).await;
        assert!(nothing.is_err(), "{nothing:?}");

        let refused = async {
            sleep(SHORT / 3).await;
            let mut connection = connect(&proxy).await;
            exchange(&mut connection, b"hello").await
        };
        let (refused, ()) = tokio::join!(refused, proxy.turn_away(SHORT));
        assert!(refused.is_err(), "{refused:?}");
        let mut next = connect(&proxy).await;
        assert_eq!(exchange(&mut next, b"again").await.unwrap(), b"again");
    }

    #[tokio::test]
    async fn a_throttled_connection_is_slow_and_whole() {
        let (proxy, mut connection) = echo().await;
        exchange(&mut connection, b"hello").await.unwrap();
        let text: Vec<u8> = (0..=255).collect();
        let begin = Instant::now();
        let (answer, ()) = tokio::join!(
            exchange(&mut connection, &text),
            proxy.throttle(1000, 5 * SHORT)
        );
        assert_eq!(answer.unwrap(), text);
        assert!(begin.elapsed() >= Duration::from_millis(200));
    }
}
