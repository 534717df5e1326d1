//! A listener that silent, slow or too many clients cannot exhaust.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::net::{TcpListener, TcpStream};

use super::connection::{Client, Connection};
use super::limits::ConnectionLimits;
use super::rare_line::RareLine;

/// Delays after errors of the operating system, such as a lack of descriptors: the first and the longest.
const FIRST_DELAY: Duration = Duration::from_millis(10);
const LONGEST_DELAY: Duration = Duration::from_secs(1);

/// Takes connections, at most so many at a time. When all are taken, the one that has been silent for longest
/// gives way to the next client; if all are of use, the next client is turned away.
#[derive(Debug)]
pub struct BoundedListener {
    listener: TcpListener,
    limits: ConnectionLimits,
    open: Arc<Mutex<Vec<Arc<Client>>>>,
    full: RareLine,
    failing: RareLine,
}

impl BoundedListener {
    /// Takes the connections of `listener`.
    pub fn new(listener: TcpListener, limits: ConnectionLimits) -> Self {
        Self {
            listener,
            limits,
            open: Arc::default(),
            full: RareLine::default(),
            failing: RareLine::default(),
        }
    }

    /// The next connection. Errors are waited out, and logged once in a while.
    pub async fn next(&mut self) -> Connection {
        let mut delay = FIRST_DELAY;
        loop {
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    delay = FIRST_DELAY;
                    if let Some(connection) = self.take(stream, address) {
                        return connection;
                    }
                }
                Err(error) if concerns_one_client(&error) => {}
                Err(error) => {
                    if let Some(others) = self.failing.due() {
                        tracing::error!(
                            "cannot take connections: {error} ({} are open; {others} errors before)",
                            self.open.lock().len()
                        );
                    }
                    tokio::time::sleep(delay).await;
                    delay = LONGEST_DELAY.min(2 * delay);
                }
            }
        }
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Those of the operating system.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    fn take(&mut self, stream: TcpStream, address: SocketAddr) -> Option<Connection> {
        let is_taken = self.make_room();
        if !is_taken || self.open.lock().len() + 1 >= self.limits.connections {
            self.tell_that_all_are_taken(address, is_taken);
        }
        if !is_taken {
            return None;
        }
        // With Nagle's algorithm an answer takes 45 ms.
        let _slower_without = stream.set_nodelay(true);
        let client = Arc::new(Client::new(address));
        self.open.lock().push(Arc::clone(&client));
        let open = Arc::clone(&self.open);
        Some(Connection::new(stream, client, self.limits, open))
    }

    /// Whether there is room for one more connection, after the most silent one had to go if need be.
    fn make_room(&self) -> bool {
        let mut open = self.open.lock();
        if open.len() < self.limits.connections {
            return true;
        }
        let idle = open.iter().enumerate().filter_map(|(position, client)| {
            let since = client.idle_since(&self.limits)?;
            Some((since, position))
        });
        let Some((_, position)) = idle.min() else {
            return false;
        };
        open.swap_remove(position).close();
        true
    }

    fn tell_that_all_are_taken(&mut self, address: SocketAddr, is_taken: bool) {
        let Some(others) = self.full.due() else {
            return;
        };
        let consequence = match is_taken {
            true => "whoever has been silent for longest gives way",
            false => "all are in use, so it is turned away",
        };
        let most = self.limits.connections;
        tracing::warn!(
            "all {most} connections are taken as {address} comes: {consequence} ({others} times before)"
        );
    }
}

fn concerns_one_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests;
