//! How each fault is brought about.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::ensure;
use loto_proto::job::Job;
use loto_transport::queue;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use tokio::time::sleep;

use super::installation::{AGGREGATOR, COORDINATOR, HOST, Installation, worker_name};
use super::schedule::{Fault, Kind, Link};
use super::{power_loss, store_damage, stray_messages};
use crate::servers::{Server, connect_redis};

/// How long a service that just ended may take until it runs again.
const RESTART: Duration = Duration::from_secs(10);

/// How long the host may take to end and to start again.
const HOST_RESTART: Duration = Duration::from_secs(60);

/// Redis flushes its append-only file once per so much time.
const FLUSH_INTERVAL: Duration = Duration::from_secs(1);

/// What one fault is about: faults of one target follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Target {
    Worker(usize),
    Coordinator,
    Aggregator,
    Broker,
    Store,
    Link(Link),
}

impl Target {
    pub(super) fn of(fault: &Fault) -> Self {
        match fault.kind {
            Kind::WorkerKilled | Kind::WorkerTerminated | Kind::WorkerFrozen => {
                Self::Worker(fault.worker)
            }
            Kind::CoordinatorKilled => Self::Coordinator,
            Kind::AggregatorKilled => Self::Aggregator,
            Kind::BrokerKilled
            | Kind::JobsDuplicated
            | Kind::Garbage
            | Kind::BrokerAlarm
            | Kind::ForeignJobs => Self::Broker,
            Kind::StoreKilled
            | Kind::StoreLosesPower
            | Kind::StoreDiskFull
            | Kind::HostKilled
            | Kind::HostTerminated
            | Kind::HistoryTrimmed
            | Kind::StoreWiped
            | Kind::TraceDamaged => Self::Store,
            Kind::ConnectionsCut
            | Kind::NetworkStalled
            | Kind::NetworkThrottled
            | Kind::ConnectionsRefused
            | Kind::ConnectionsDead
            | Kind::OneWayStalled
            | Kind::OneWayThrottled
            | Kind::HalfClosed
            | Kind::OneWayDead => Self::Link(fault.link),
        }
    }
}

/// What came of bringing a fault about.
pub(super) enum Outcome {
    /// It happened; in words, to whom and how.
    Injected(String),
    /// A message was put on the queue that is no job.
    Littered(Vec<u8>),
    /// The trace of this job was damaged.
    Damaged(Job),
    /// It cannot be brought about here, for this reason.
    Skipped(String),
    /// Its target had ended for good.
    TooLate,
}

/// Brings a fault about, to its end.
pub(super) async fn inject(
    installation: Arc<Installation>,
    jobs: Arc<Vec<Job>>,
    fault: Fault,
) -> anyhow::Result<Outcome> {
    let mut random = ChaCha8Rng::seed_from_u64(fault.seed);
    let seconds = fault.duration.as_secs_f64();
    let (link, direction) = (fault.link, fault.direction);
    let (broker, store) = (installation.broker_url(), installation.store_url());
    let what = match fault.kind {
        Kind::WorkerKilled => {
            return Ok(signal(&installation, &worker_name(fault.worker), "KILL").await);
        }
        Kind::WorkerTerminated => {
            return Ok(signal(&installation, &worker_name(fault.worker), "TERM").await);
        }
        Kind::WorkerFrozen => {
            let name = worker_name(fault.worker);
            signal(&installation, &name, "STOP").await;
            sleep(fault.duration).await;
            signal(&installation, &name, "CONT").await;
            format!("{name}, {seconds:.1} s")
        }
        Kind::CoordinatorKilled => return Ok(signal(&installation, COORDINATOR, "KILL").await),
        Kind::AggregatorKilled => return Ok(signal(&installation, AGGREGATOR, "KILL").await),
        Kind::BrokerKilled => restart(installation, Server::Broker, |_| String::new()).await?,
        Kind::StoreKilled => restart(installation, Server::Store, |_| String::new()).await?,
        Kind::HostKilled => return end_host(&installation, "KILL").await,
        Kind::HostTerminated => return end_host(&installation, "TERM").await,
        Kind::StoreLosesPower => {
            let before = power_loss::tail(&installation.servers().data(Server::Store));
            sleep(FLUSH_INTERVAL).await;
            let lose = move |installation: &Installation| {
                let data = installation.servers().data(Server::Store);
                let lost = power_loss::cut(&data, before, &mut random);
                format!(", {lost} bytes lost")
            };
            restart(installation, Server::Store, lose).await?
        }
        Kind::StoreDiskFull => match installation.disk.as_ref() {
            Ok(disk) => {
                disk.fill();
                sleep(fault.duration).await;
                disk.free();
                format!("{seconds:.1} s")
            }
            Err(error) => return Ok(Outcome::Skipped(error.to_string())),
        },
        Kind::ConnectionsCut => {
            installation.proxy(link).cut(fault.amount);
            format!("{link:?}, after {} bytes", fault.amount)
        }
        Kind::NetworkStalled => {
            installation.proxy(link).stall(fault.duration).await;
            format!("{link:?}, {seconds:.1} s")
        }
        Kind::NetworkThrottled => {
            let proxy = installation.proxy(link);
            proxy.throttle(fault.amount, fault.duration).await;
            format!("{link:?}, {} bytes/s, {seconds:.1} s", fault.amount)
        }
        Kind::ConnectionsRefused => {
            installation.proxy(link).turn_away(fault.duration).await;
            format!("{link:?}, {seconds:.1} s")
        }
        Kind::ConnectionsDead => {
            installation.proxy(link).swallow();
            format!("{link:?}")
        }
        Kind::OneWayStalled => {
            let proxy = installation.proxy(link);
            proxy.stall_one_way(direction, fault.duration).await;
            format!("{link:?}, {direction:?}, {seconds:.1} s")
        }
        Kind::OneWayThrottled => {
            let (proxy, rate) = (installation.proxy(link), fault.amount);
            proxy
                .throttle_one_way(direction, rate, fault.duration)
                .await;
            format!("{link:?}, {direction:?}, {rate} bytes/s, {seconds:.1} s")
        }
        Kind::HalfClosed => {
            installation.proxy(link).half_close(direction);
            format!("{link:?}, {direction:?}")
        }
        Kind::OneWayDead => {
            installation.proxy(link).swallow_one_way(direction);
            format!("{link:?}, {direction:?}")
        }
        Kind::BrokerAlarm => {
            let alarm = Alarm::draw(&mut random);
            let raising = Arc::clone(&installation);
            let raised = move || raising.servers().control_broker(alarm.raise());
            tokio::task::spawn_blocking(raised).await?;
            sleep(fault.duration).await;
            let lowered = move || installation.servers().control_broker(alarm.lower());
            tokio::task::spawn_blocking(lowered).await?;
            format!("{alarm:?}, {seconds:.1} s")
        }
        Kind::HistoryTrimmed => {
            let mut redis = connect_redis(&store).await;
            let mut trim = redis::cmd("XTRIM");
            let trim = trim.arg("loto:events").arg("MAXLEN").arg(0);
            let lost: u64 = trim.query_async(&mut redis).await?;
            format!("{lost} events")
        }
        Kind::StoreWiped => match store_damage::wipe(&store, jobs.len()).await? {
            Some(traces) => format!("{traces} traces"),
            None => return Ok(Outcome::TooLate),
        },
        Kind::TraceDamaged => {
            let damaged = store_damage::flip_bit_of_trace(&store, &jobs, &mut random).await?;
            return Ok(damaged.map_or(Outcome::TooLate, Outcome::Damaged));
        }
        Kind::ForeignJobs => {
            let count = fault.amount;
            stray_messages::visit(&broker, &jobs, count, fault.duration, &mut random).await?;
            format!("{count} jobs, {seconds:.1} s")
        }
        Kind::JobsDuplicated => {
            stray_messages::duplicate(&broker, &jobs, fault.amount, &mut random).await?;
            format!("{} copies", fault.amount)
        }
        Kind::Garbage => {
            let garbage = stray_messages::litter(&broker, &mut random).await?;
            return Ok(Outcome::Littered(garbage));
        }
    };
    Ok(Outcome::Injected(what))
}

/// What RabbitMQ has too little of.
#[derive(Debug, Clone, Copy)]
enum Alarm {
    Memory,
    Disk,
}

impl Alarm {
    fn draw(random: &mut ChaCha8Rng) -> Self {
        match random.random() {
            true => Self::Memory,
            false => Self::Disk,
        }
    }

    fn raise(self) -> &'static [&'static str] {
        match self {
            Self::Memory => &["set_vm_memory_high_watermark", "0.000001"],
            Self::Disk => &["set_disk_free_limit", "1000000GB"],
        }
    }

    fn lower(self) -> &'static [&'static str] {
        match self {
            Self::Memory => &["set_vm_memory_high_watermark", "0.6"],
            Self::Disk => &["set_disk_free_limit", "1MB"],
        }
    }
}

/// Sends a service a signal, once it runs.
async fn signal(installation: &Installation, name: &str, signal: &'static str) -> Outcome {
    let begin = Instant::now();
    while installation.supervisor.ended(name).is_none() && begin.elapsed() < RESTART {
        if let Some(id) = installation.supervisor.signal(name, signal) {
            return Outcome::Injected(format!("{name}, process {id}"));
        }
        sleep(Duration::from_millis(20)).await;
    }
    Outcome::TooLate
}

/// Ends the host and waits until it listens again.
async fn end_host(installation: &Installation, by: &'static str) -> anyhow::Result<Outcome> {
    let ended_before = installation.supervisor.ends(HOST).len();
    let Outcome::Injected(what) = signal(installation, HOST, by).await else {
        return Ok(Outcome::TooLate);
    };
    let begin = Instant::now();
    while installation.supervisor.ends(HOST).len() == ended_before
        || queue::connect(&installation.broker_url()).await.is_err()
    {
        ensure!(begin.elapsed() < HOST_RESTART, "it does not come back");
        sleep(Duration::from_millis(20)).await;
    }
    let seconds = begin.elapsed().as_secs_f64();
    let what = format!("{what}, back after {seconds:.1} s");
    Ok(Outcome::Injected(what))
}

/// Kills a server and starts it again, with `meanwhile` in between.
async fn restart(
    installation: Arc<Installation>,
    server: Server,
    meanwhile: impl FnOnce(&Installation) -> String + Send + 'static,
) -> anyhow::Result<String> {
    let restarting = move || {
        let begin = Instant::now();
        installation.servers().kill(server);
        let said = meanwhile(&installation);
        installation.servers().restart(server);
        format!("back after {:.1} s{said}", begin.elapsed().as_secs_f64())
    };
    Ok(tokio::task::spawn_blocking(restarting).await?)
}
