//! RabbitMQ and Redis or a host, workers, coordinator, aggregator and a client, with a proxy on every way
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
use crate::small_disk::{SmallDisk, SmallDiskError};

/// The service that is `loto submit --wait`.
pub const COORDINATOR: &str = "coordinator";

/// The service that is `loto serve`.
pub const AGGREGATOR: &str = "aggregator";

/// The service that is `loto host`.
pub const HOST: &str = "host";

/// Seconds that a worker gives its running jobs after SIGTERM.
pub const GRACE: u32 = 10;

/// Seconds that a job may take: far more than any takes that does not hang.
const DEADLINE: u32 = 20;

/// MiB that a job may take.
const MEMORY: u32 = 400;

/// Exit statuses with which `loto submit --wait` has come to an end: all jobs are done, or
/// some were given up.
const COORDINATOR_IS_DONE: &[i32] = &[0, 1];

/// Megabytes of the disk under Redis, or under the file of the host.
const DISK_MEGABYTES: u32 = 64;

/// What carries the jobs and keeps the traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// RabbitMQ and Redis.
    Servers,
    /// `loto host`.
    Host,
}

/// The carrier at work.
enum Running {
    Servers(PrivateServers),
    /// The host is one of the supervisor's services; it listens at this port.
    Host(u16),
}

/// One of each, on this computer, with nothing in it but one sweep.
pub struct Installation {
    running: Running,
    /// The disk of Redis or of the host's file; else why there is none that can be filled.
    pub disk: Arc<Result<SmallDisk, SmallDiskError>>,
    /// Workers, coordinator, aggregator, and the host.
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
    pub async fn start(
        sweep: &Undisturbed,
        poison: &Poison,
        carrier: Carrier,
        logs: &Path,
    ) -> Self {
        let disk = Arc::new(SmallDisk::new(DISK_MEGABYTES));
        let supervisor = Supervisor::new(logs);
        let running = match (carrier, &*disk) {
            (Carrier::Servers, Ok(disk)) => {
                Running::Servers(PrivateServers::start_with_store_in(disk.path()))
            }
            (Carrier::Servers, Err(_)) => {
                Running::Servers(PrivateServers::start(&[Server::Broker, Server::Store]))
            }
            (Carrier::Host, _) => Running::Host(start_host(&supervisor, Arc::clone(&disk), logs)),
        };
        let aggregator_port = free_port();
        let mut proxies = HashMap::new();
        for link in LINKS {
            let port = match (link, &running) {
                (Link::ClientToAggregator, _) => aggregator_port,
                (_, Running::Host(port)) => *port,
                (
                    Link::WorkerToBroker(_) | Link::CoordinatorToBroker,
                    Running::Servers(servers),
                ) => servers.port(Server::Broker),
                (
                    Link::WorkerToStore(_) | Link::CoordinatorToStore | Link::AggregatorToStore,
                    Running::Servers(servers),
                ) => servers.port(Server::Store),
            };
            let server = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
            proxies.insert(link, Arc::new(Proxy::to(server).await));
        }
        let store = |link: Link| match carrier {
            Carrier::Servers => format!("--store={}", store_url(proxies[&link].port())),
            Carrier::Host => format!("--host={}", host_url(proxies[&link].port())),
        };
        // A host is both.
        let both = |broker: Link, link: Link| -> Vec<String> {
            let broker = (carrier == Carrier::Servers)
                .then(|| format!("--broker={}", broker_url(proxies[&broker].port())));
            broker.into_iter().chain([store(link)]).collect()
        };

        for number in 0..WORKERS {
            let servers = both(Link::WorkerToBroker(number), Link::WorkerToStore(number));
            let arguments = [
                format!("--grace={GRACE}"),
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
                command.args(&servers).args(&arguments);
                command.env("LOTO_TEST_MISBEHAVE", &poison);
                command
            });
        }
        let file = sweep.file().to_owned();
        let servers = both(Link::CoordinatorToBroker, Link::CoordinatorToStore);
        supervisor.start(COORDINATOR, COORDINATOR_IS_DONE, move || {
            let mut command = programs::command("loto");
            command.arg("submit").arg(&file).arg("--wait");
            command.args(&servers).stdout(Stdio::null());
            command
        });
        let store = store(Link::AggregatorToStore);
        supervisor.start(AGGREGATOR, &[], move || {
            let mut command = programs::command("loto");
            command.args(["serve", &store, "--listen"]);
            command.arg(format!("127.0.0.1:{aggregator_port}"));
            command
        });
        let client = Client::watch(proxies[&Link::ClientToAggregator].port(), sweep.id());
        Self {
            running,
            disk,
            supervisor,
            client,
            proxies,
        }
    }

    /// RabbitMQ and Redis.
    ///
    /// # Panics
    /// If there is a host in their place.
    pub fn servers(&self) -> &PrivateServers {
        match &self.running {
            Running::Servers(servers) => servers,
            Running::Host(_) => panic!("no fault of RabbitMQ or Redis happens to a host"),
        }
    }

    /// The URL of the broker, with no proxy on the way.
    pub fn broker_url(&self) -> String {
        match &self.running {
            Running::Servers(servers) => servers.broker_url(),
            Running::Host(port) => host_url(*port),
        }
    }

    /// The URL of the store, with no proxy on the way.
    pub fn store_url(&self) -> String {
        match &self.running {
            Running::Servers(servers) => servers.store_url(),
            Running::Host(port) => host_url(*port),
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

/// Starts a host with its file on that disk, or else among the logs; returns its port.
fn start_host(
    supervisor: &Supervisor,
    disk: Arc<Result<SmallDisk, SmallDiskError>>,
    logs: &Path,
) -> u16 {
    let port = free_port();
    let folder = disk.as_ref().as_ref();
    let folder = folder.map_or(logs, SmallDisk::path_inside);
    let file = folder.join("laboratory.loto");
    supervisor.start(HOST, &[], move || {
        let mut host = programs::command("loto");
        host.arg("host").arg(&file);
        host.arg(format!("--listen=127.0.0.1:{port}"));
        match disk.as_ref() {
            Ok(disk) => disk.inside(&host),
            Err(_) => host,
        }
    });
    port
}

fn host_url(port: u16) -> String {
    format!("loto://127.0.0.1:{port}")
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
