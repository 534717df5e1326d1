//! Brokers and stores to test against.
//!
//! Most tests share one RabbitMQ and one Redis, named by `LOTO_TEST_BROKER` and
//! `LOTO_TEST_STORE`. Tests that kill servers start [`PrivateServers`]. A test
//! that needs a server never passes without one.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use lapin::options::QueuePurgeOptions;
use loto_transport::queue::{DEAD_LETTERS, DELAYED, FORMER_DELAYED, JOBS, RabbitQueue};
use redis::AsyncConnectionConfig;
use tempfile::TempDir;
use tokio::sync::{Mutex, MutexGuard};

/// How many databases the shared Redis has; see `deploy/local/start-servers`.
const DATABASES: u32 = 256;

fn shared(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| {
        panic!(
            "{variable} is not set: run make test, or \
             deploy/local/with-servers cargo test --release --workspace"
        )
    })
}

/// URL of an empty database of the shared Redis, different with each call.
///
/// # Panics
/// If there is no shared Redis.
pub async fn empty_store() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let database = NEXT.fetch_add(1, Ordering::Relaxed) % DATABASES;
    let url = format!("{}/{database}", shared("LOTO_TEST_STORE"));
    let mut connection = connect_redis(&url).await;
    let _: () = redis::cmd("FLUSHDB")
        .query_async(&mut connection)
        .await
        .expect("it empties");
    url
}

/// A connection to look at, or damage, what a store keeps.
///
/// # Panics
/// If it cannot be opened.
pub async fn connect_redis(url: &str) -> redis::aio::MultiplexedConnection {
    let client = redis::Client::open(url).expect("the URL is valid");
    // On a busy host an answer takes longer than the half second that is waited for by default.
    let patience = Some(Duration::from_secs(30));
    let patient = AsyncConnectionConfig::new()
        .set_connection_timeout(patience)
        .set_response_timeout(patience);
    let connection = client
        .get_multiplexed_async_connection_with_config(&patient)
        .await;
    connection.unwrap_or_else(|error| panic!("{url} is not there: {error}"))
}

/// The shared RabbitMQ, for one test at a time, with empty queues.
pub struct BrokerTurn {
    /// Where it is.
    pub url: String,
    _turn: MutexGuard<'static, ()>,
}

/// Waits for a turn with the shared RabbitMQ and empties its queues.
///
/// # Panics
/// If there is no shared RabbitMQ.
pub async fn broker_turn() -> BrokerTurn {
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    let url = shared("LOTO_TEST_BROKER");
    // Declares the queues.
    RabbitQueue::connect(&url)
        .await
        .unwrap_or_else(|error| panic!("{error}"));
    let (_connection, channel) = connect_broker(&url).await;
    for queue in [JOBS, DELAYED, FORMER_DELAYED, DEAD_LETTERS] {
        let purged = channel
            .queue_purge(queue.into(), QueuePurgeOptions::default())
            .await;
        purged.expect("the queue empties");
    }
    BrokerTurn { url, _turn: turn }
}

/// A channel to look at, or litter, what a broker keeps.
///
/// # Panics
/// If it cannot be opened.
pub async fn connect_broker(url: &str) -> (lapin::Connection, lapin::Channel) {
    let properties = lapin::ConnectionProperties::default();
    let connection = lapin::Connection::connect(url, properties).await;
    let connection = connection.unwrap_or_else(|error| panic!("{url} is not there: {error}"));
    let channel = connection.create_channel().await.expect("a channel opens");
    let confirms = lapin::options::ConfirmSelectOptions::default();
    let confirmed = channel.confirm_select(confirms).await;
    confirmed.expect("the broker confirms what is published");
    (connection, channel)
}

/// One of the two servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    /// RabbitMQ.
    Broker,
    /// Redis, with its append-only file on.
    Store,
}

impl Server {
    fn name(self) -> &'static str {
        match self {
            Self::Broker => "broker",
            Self::Store => "store",
        }
    }
}

/// Servers of one test, to be killed and restarted; they are stopped when this
/// value is dropped.
pub struct PrivateServers {
    folder: TempDir,
}

impl PrivateServers {
    /// Starts these servers on free ports with empty data.
    ///
    /// # Panics
    /// If they do not start.
    pub fn start(servers: &[Server]) -> Self {
        let private = Self::in_new_folder();
        for &server in servers {
            private.restart(server);
        }
        private
    }

    /// Starts both, the store with its data in this folder.
    ///
    /// # Panics
    /// If they do not start.
    pub fn start_with_store_in(data: &Path) -> Self {
        let private = Self::in_new_folder();
        let place = private.data(Server::Store);
        std::os::unix::fs::symlink(data, place).expect("a new folder takes a link");
        private.restart(Server::Store);
        private.restart(Server::Broker);
        private
    }

    /// Starts both with TLS, client certificates and the accounts of deploy/accounts; see
    /// `deploy/local/start-servers` for what the folder of secrets holds.
    ///
    /// # Panics
    /// If they do not start.
    pub fn start_secure(secrets: &Path) -> Self {
        let private = Self::in_new_folder();
        for server in [Server::Broker, Server::Store] {
            let secrets = secrets.to_str().expect("a path of letters");
            private.script("start-servers", &["--secure", secrets], server);
        }
        private
    }

    fn in_new_folder() -> Self {
        Self {
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    /// Starts a server again on its port and with its data.
    ///
    /// # Panics
    /// If it does not start.
    pub fn restart(&self, server: Server) {
        self.script("start-servers", &[], server);
    }

    /// Ends a server with SIGKILL, as in a crash.
    ///
    /// # Panics
    /// If the script fails.
    pub fn kill(&self, server: Server) {
        self.script("stop-servers", &["--kill"], server);
    }

    /// Ends a server with SIGTERM, as in an orderly restart.
    ///
    /// # Panics
    /// If the script fails.
    pub fn stop(&self, server: Server) {
        self.script("stop-servers", &[], server);
    }

    /// The broker's URL.
    ///
    /// # Panics
    /// If it was never started.
    pub fn broker_url(&self) -> String {
        broker_url(self.port(Server::Broker))
    }

    /// The store's URL.
    ///
    /// # Panics
    /// If it was never started.
    pub fn store_url(&self) -> String {
        store_url(self.port(Server::Store))
    }

    /// The folder with the data of the servers and room for the test's own.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where a server keeps its data.
    pub fn data(&self, server: Server) -> PathBuf {
        self.folder.path().join(server.name())
    }

    /// The port of a server on 127.0.0.1.
    ///
    /// # Panics
    /// If it was never started.
    pub fn port(&self, server: Server) -> u16 {
        let file = self.data(server).join("port");
        let port = std::fs::read_to_string(file).expect("the server was started");
        port.trim().parse().expect("a port is a number")
    }

    /// Runs a command of `rabbitmqctl` on the broker.
    ///
    /// # Panics
    /// If it fails.
    pub fn control_broker(&self, arguments: &[&str]) {
        let data = self.data(Server::Broker);
        let unpacked = scripts().join("../../target/servers/bin");
        let others = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:/usr/lib/rabbitmq/bin:{others}", unpacked.display());
        let mapper = std::fs::read_to_string(data.join("epmd-port")).expect("it was started");
        let node = format!("loto-{}@localhost", self.port(Server::Broker));
        let mut command = Command::new("rabbitmqctl");
        command.env("PATH", path).env("HOME", &data);
        command.env("ERL_EPMD_PORT", mapper.trim());
        command.args(["--node", &node]).args(arguments);
        let output = command.output().expect("rabbitmqctl is installed");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }

    fn script(&self, name: &str, options: &[&str], server: Server) {
        let mut command = Command::new(scripts().join(name));
        command
            .args(options)
            .arg(self.folder.path())
            .arg(server.name());
        let output = command
            .output()
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{name} {}: {errors}",
            server.name()
        );
    }
}

impl Drop for PrivateServers {
    fn drop(&mut self) {
        // A panic in a drop would hide the test's own; what is left is visible by its folder.
        let script = scripts().join("stop-servers");
        let _ = Command::new(script)
            .arg("--kill")
            .arg(self.folder.path())
            .status();
    }
}

/// URL of a broker at a port of this host.
pub fn broker_url(port: u16) -> String {
    format!("amqp://guest:guest@127.0.0.1:{port}")
}

/// URL of a store at a port of this host.
pub fn store_url(port: u16) -> String {
    format!("redis://127.0.0.1:{port}")
}

/// Where the scripts that start and stop servers are.
fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/local")
}
