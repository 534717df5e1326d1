//! Servers, workers, coordinator, aggregator and a client, with a proxy on every way
//! between them.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use super::client::Client;
use super::schedule::{LINKS, Link, Poison, WORKERS};
use super::supervisor::Supervisor;
use super::verdict::Undisturbed;
use crate::programs;
use crate::proxy::Proxy;
use crate::servers::{PrivateServers, Server, broker_url, store_url};
use crate::small_disk::SmallDisk;

/// The service that is `loto submit --wait`.
pub const COORDINATOR: &str = "coordinator";

/// The service that is `loto serve`.
pub const AGGREGATOR: &str = "aggregator";

/// Seconds that a worker gives its running jobs after SIGTERM.
pub const GRACE: u32 = 10;

/// Seconds that a job may take: far more than any takes that does not hang.
const DEADLINE: u32 = 20;

/// MiB that a job may take.
const MEMORY: u32 = 400;

/// Exit statuses with which `loto submit --wait` has come to an end: all jobs are done, or
/// some were given up.
const COORDINATOR_IS_DONE: &[i32] = &[0, 1];

/// Megabytes of the disk under Redis.
const DISK_MEGABYTES: u32 = 64;

/// One of each, on this host, with nothing in it but one sweep.
pub struct Installation {
    /// RabbitMQ and Redis.
    pub servers: PrivateServers,
    /// The disk of Redis; else why there is none that can be filled.
    pub disk: Result<SmallDisk, String>,
    /// Workers, coordinator, aggregator.
    pub supervisor: Supervisor,
    /// Watches the sweep.
    pub client: Client,
    proxies: HashMap<Link, Arc<Proxy>>,
}

/// The service that is the worker of that number.
pub fn worker_name(number: usize) -> String {
    format!("worker-{number}")
}

impl Installation {
    /// Starts everything and submits the sweep, of which some jobs misbehave. Logs go to `logs`.
    ///
    /// # Panics
    /// If the servers do not start.
    pub async fn start(sweep: &Undisturbed, poison: &Poison, logs: &Path) -> Self {
        let disk = SmallDisk::new(DISK_MEGABYTES);
        let servers = match &disk {
            Ok(disk) => PrivateServers::start_with_store_in(disk.path()),
            Err(_) => PrivateServers::start(&[Server::Broker, Server::Store]),
        };
        let aggregator_port = free_port();
        let mut proxies = HashMap::new();
        for link in LINKS {
            let port = match link {
                Link::WorkerToBroker(_) | Link::CoordinatorToBroker => servers.port(Server::Broker),
                Link::WorkerToStore(_) | Link::CoordinatorToStore | Link::AggregatorToStore => {
                    servers.port(Server::Store)
                }
                Link::ClientToAggregator => aggregator_port,
            };
            let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            proxies.insert(link, Arc::new(Proxy::to(server).await));
        }
        let broker = |link| broker_url(proxies[&link].port());
        let store = |link| store_url(proxies[&link].port());

        let supervisor = Supervisor::new(logs);
        for number in 0..WORKERS {
            let arguments = [
                "--broker".to_owned(),
                broker(Link::WorkerToBroker(number)),
                "--store".to_owned(),
                store(Link::WorkerToStore(number)),
                "--grace".to_owned(),
                GRACE.to_string(),
                "--jobs=2".to_owned(),
                "--max-attempts=2".to_owned(),
                format!("--deadline={DEADLINE}"),
                format!("--memory={MEMORY}"),
            ];
            let poison: Vec<String> = poison
                .iter()
                .map(|(seed, way)| format!("{seed}={way}"))
                .collect();
            let poison = poison.join(",");
            supervisor.start(&worker_name(number), &[], move || {
                let mut command = programs::command("faulty-worker");
                command.args(&arguments).env("LOTO_TEST_MISBEHAVE", &poison);
                command
            });
        }
        let file = sweep.file().to_owned();
        let (to_broker, to_store) = (Link::CoordinatorToBroker, Link::CoordinatorToStore);
        let (to_broker, to_store) = (broker(to_broker), store(to_store));
        supervisor.start(COORDINATOR, COORDINATOR_IS_DONE, move || {
            let mut command = programs::command("loto");
            command.arg("submit").arg(&file).arg("--wait");
            command.args(["--broker", &to_broker, "--store", &to_store]);
            command.stdout(Stdio::null());
            command
        });
        let to_store = store(Link::AggregatorToStore);
        supervisor.start(AGGREGATOR, &[], move || {
            let mut command = programs::command("loto");
            command.args(["serve", "--store", &to_store]);
            command.arg("--listen");
            command.arg(format!("127.0.0.1:{aggregator_port}"));
            command
        });
        let client = Client::watch(proxies[&Link::ClientToAggregator].port(), sweep.id());
        Self {
            servers,
            disk,
            supervisor,
            client,
            proxies,
        }
    }

    /// The proxy on a way.
    pub fn proxy(&self, link: Link) -> &Proxy {
        &self.proxies[&link]
    }

    /// What the logs say of code that panicked, by service.
    pub fn panics(&self) -> Vec<String> {
        let mut found = Vec::new();
        for name in self.supervisor.names() {
            let log = std::fs::read_to_string(self.supervisor.log(&name)).unwrap_or_default();
            // A job that is to panic does so in a process of its own, whose words the worker cites.
            let panics = log
                .lines()
                .filter(|line| line.starts_with("thread '") && line.contains("panicked at"));
            found.extend(panics.map(|line| format!("{name}: {line}")));
        }
        found
    }
}

/// A port below the range from which the kernel takes ports for clients, so that it is still
/// free when its server comes back.
fn free_port() -> u16 {
    loop {
        let port = rand::random_range(20_000..32_000);
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}
