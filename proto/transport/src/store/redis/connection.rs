//! A connection that is opened again when the server does not answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::RwLock;
use redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Cmd, Pipeline, RedisFuture, RedisResult, Value};

use crate::metrics::RECONNECTS;
use crate::server::Server;

/// A connection to Redis; clones share one socket. A lost one is opened again by the next
/// call, which fails in the meantime.
///
/// [`ConnectionManager`] does so when the socket breaks. It keeps a socket over which no
/// answer comes in time, as when the server's host vanished and something in between still
/// confirms what we send: all later calls would wait in vain. Such a socket is replaced here.
#[derive(Clone)]
pub(super) struct Connection {
    client: Client,
    config: ConnectionManagerConfig,
    current: Arc<RwLock<Numbered>>,
    /// Whether it was lost and no call has worked since.
    is_lost: Arc<AtomicBool>,
}

/// A socket, and how many there were before.
#[derive(Clone)]
struct Numbered {
    number: u64,
    manager: ConnectionManager,
}

impl Connection {
    /// Connects; each attempt takes at most `connection_timeout`, each answer `response_timeout`.
    pub(super) async fn open(
        client: Client,
        connection_timeout: Duration,
        response_timeout: Duration,
    ) -> RedisResult<Self> {
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(connection_timeout))
            .set_response_timeout(Some(response_timeout))
            // Callers decide whether to wait for a server that is not there.
            .set_number_of_retries(0);
        let manager = ConnectionManager::new_with_config(client.clone(), config.clone()).await?;
        let current = Arc::new(RwLock::new(Numbered { number: 0, manager }));
        Ok(Self {
            client,
            config,
            current,
            is_lost: Arc::default(),
        })
    }

    fn current(&self) -> Numbered {
        self.current.read().clone()
    }

    /// Replaces socket `number`, unless another call has done so.
    fn replace(&self, number: u64) {
        let mut current = self.current.write();
        if current.number != number {
            return;
        }
        // It connects at the first call.
        let next =
            ConnectionManager::new_lazy_with_config(self.client.clone(), self.config.clone());
        if let Ok(manager) = next {
            *current = Numbered {
                number: number + 1,
                manager,
            };
        }
    }

    fn look_at<Answer>(&self, answer: &RedisResult<Answer>, number: u64) {
        match answer {
            Ok(_) if self.is_lost.swap(false, Ordering::Relaxed) => {
                metrics::counter!(RECONNECTS, "server" => Server::Store.name()).increment(1);
            }
            Ok(_) => {}
            Err(error) if error.is_timeout() => {
                self.is_lost.store(true, Ordering::Relaxed);
                self.replace(number);
            }
            // The manager connects anew by itself.
            Err(error) if error.is_unrecoverable_error() => {
                self.is_lost.store(true, Ordering::Relaxed);
            }
            Err(_) => {}
        }
    }
}

impl ConnectionLike for Connection {
    fn req_packed_command<'a>(&'a mut self, command: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let Numbered {
                number,
                mut manager,
            } = self.current();
            let answer = manager.send_packed_command(command).await;
            self.look_at(&answer, number);
            answer
        })
    }

    fn req_packed_commands<'a>(
        &'a mut self,
        pipeline: &'a Pipeline,
        offset: usize,
        count: usize,
    ) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let Numbered {
                number,
                mut manager,
            } = self.current();
            let answers = manager.send_packed_commands(pipeline, offset, count).await;
            self.look_at(&answers, number);
            answers
        })
    }

    fn get_db(&self) -> i64 {
        self.current().manager.get_db()
    }
}
