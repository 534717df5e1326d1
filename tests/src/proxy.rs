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

/// A direction in which a connection carries bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the client to the server.
    ToServer,
    /// From the server to the client.
    ToClient,
}

/// Both directions: the network as a whole.
const BOTH: [Direction; 2] = [Direction::ToServer, Direction::ToClient];

/// What a proxy does now. Connections are numbered from 1; orders for open ones name
/// the last of them.
#[derive(Debug, Clone, Copy, Default)]
struct Orders {
    newest: u64,
    turned_away: bool,
    cut_to: u64,
    cut_after: usize,
    /// In the order of [`BOTH`].
    one_way: [OneWayOrders; 2],
}

/// What a proxy does now in one direction.
#[derive(Debug, Clone, Copy, Default)]
struct OneWayOrders {
    stalled: bool,
    bytes_per_second: Option<usize>,
    swallow_to: u64,
    closed_to: u64,
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
        BOTH.into_iter()
            .for_each(|direction| self.swallow_one_way(direction));
    }

    /// As [`Self::swallow`], but what goes in the other direction passes.
    pub fn swallow_one_way(&self, direction: Direction) {
        self.orders.send_modify(|orders| {
            orders.one_way[direction as usize].swallow_to = orders.newest;
        });
    }

    /// Ends the open connections in one direction: the receiver reads their end, and may still send.
    pub fn half_close(&self, direction: Direction) {
        self.orders.send_modify(|orders| {
            orders.one_way[direction as usize].closed_to = orders.newest;
        });
    }

    /// Holds everything back for so long, then passes it on.
    pub async fn stall(&self, time: Duration) {
        self.stall_in(&BOTH, time).await;
    }

    /// As [`Self::stall`], but what goes in the other direction passes.
    pub async fn stall_one_way(&self, direction: Direction, time: Duration) {
        self.stall_in(&[direction], time).await;
    }

    async fn stall_in(&self, directions: &[Direction], time: Duration) {
        let stall = |stalled| self.order(directions, |orders| orders.stalled = stalled);
        stall(true);
        sleep(time).await;
        stall(false);
    }

    /// Passes on only so much in each direction of each connection, for so long.
    pub async fn throttle(&self, bytes_per_second: usize, time: Duration) {
        self.throttle_in(&BOTH, bytes_per_second, time).await;
    }

    /// As [`Self::throttle`], but what goes in the other direction passes at full speed.
    pub async fn throttle_one_way(
        &self,
        direction: Direction,
        bytes_per_second: usize,
        time: Duration,
    ) {
        self.throttle_in(&[direction], bytes_per_second, time).await;
    }

    async fn throttle_in(&self, directions: &[Direction], rate: usize, time: Duration) {
        let limit = |limit| self.order(directions, |orders| orders.bytes_per_second = limit);
        limit(Some(rate));
        sleep(time).await;
        limit(None);
    }

    fn order(&self, directions: &[Direction], order: impl Fn(&mut OneWayOrders)) {
        self.orders.send_modify(|orders| {
            for &direction in directions {
                order(&mut orders.one_way[direction as usize]);
            }
        });
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
        () = pump(client_reader, server_writer, Direction::ToServer, number, orders.clone()) => {}
        () = pump(server_reader, client_writer, Direction::ToClient, number, orders.clone()) => {}
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

/// Returns when the connection is to be closed in one direction.
async fn closing(direction: Direction, number: u64, orders: &mut watch::Receiver<Orders>) {
    let is_closed = |orders: &Orders| number <= orders.one_way[direction as usize].closed_to;
    if orders.wait_for(is_closed).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Forwards one direction until it ends or is cut.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    direction: Direction,
    number: u64,
    mut orders: watch::Receiver<Orders>,
) {
    let mut buffer = vec![0; CHUNK];
    let mut for_closing = orders.clone();
    loop {
        let read = tokio::select! {
            read = from.read(&mut buffer) => read,
            () = closing(direction, number, &mut for_closing) => {
                let _gone_already = to.shutdown().await;
                let _ended = tokio::io::copy(&mut from, &mut tokio::io::sink()).await;
                return;
            }
        };
        let read = match read {
            Ok(0) | Err(_) => return,
            Ok(read) => read,
        };
        let mut rest = &buffer[..read];
        while !rest.is_empty() {
            let is_moving = |orders: &Orders| !orders.one_way[direction as usize].stalled;
            let Ok(now) = orders.wait_for(is_moving).await.map(|orders| *orders) else {
                return;
            };
            let one_way = now.one_way[direction as usize];
            if number <= one_way.swallow_to {
                break;
            }
            let is_cut = number <= now.cut_to;
            let mut length = rest.len();
            if let Some(rate) = one_way.bytes_per_second {
                length = length.min(rate.div_ceil(THROTTLED_PIECES));
            }
            if is_cut {
                length = length.min(now.cut_after);
            }
            let begin = tokio::time::Instant::now();
            if to.write_all(&rest[..length]).await.is_err() || is_cut {
                return;
            }
            if one_way.bytes_per_second.is_some() {
                sleep_until(begin + Duration::from_secs(1) / THROTTLED_PIECES as u32).await;
            }
            rest = &rest[length..];
        }
    }
}

#[cfg(test)]
mod tests;
