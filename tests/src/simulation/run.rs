//! One simulation, from its seed to its verdict.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use loto_transport::retry::seed_delays;
use tokio::task::{JoinSet, LocalSet};
use tokio::time::{Instant, sleep};

use super::broker::{Message, QueueName};
use super::coordinator::User;
use super::environment::{Environment, KINDS, Kind};
use super::plans;
use super::probe::Probe;
use super::queue::BrokerServer;
use super::reader;
use super::store::StoreServer;
use super::truth;
use super::worker::{Release, WorkerHost};
use super::world::World;

/// How long after the last fault a sweep may take to come to its end.
const BOUND: Duration = Duration::from_secs(900);

/// How long faults may take to happen; more would be an error of the simulation.
const LONGEST: Duration = Duration::from_secs(7 * 24 * 3600);

/// Probing jobs beyond the number of slots. Workers of another store requeue what they get, and can get the same one
/// each time just when a slot is free.
const SPARE_PROBES: usize = 3;

/// How long the last deliveries may take to be settled.
const SETTLING: Duration = Duration::from_secs(120);

/// What to simulate.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Everything follows from it.
    pub seed: u64,
    /// Number of faults.
    pub faults: u32,
    /// Whether the text of the log is kept.
    pub keeps_log: bool,
}

/// What came of a simulation.
#[derive(Debug)]
pub struct Outcome {
    /// The promises that were broken.
    pub violations: Vec<String>,
    /// The same for two runs of a seed that keep their logs.
    pub log_hash: u64,
    /// What happened, if it is kept.
    pub log: String,
    /// The faults by kind.
    pub faults: BTreeMap<&'static str, u32>,
    /// How long it took on its own clock.
    pub simulated: Duration,
}

/// Simulates a few sweeps under faults.
///
/// # Panics
/// If no runtime can be made.
pub fn simulate(settings: Settings) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime can be made");
    seed_delays(settings.seed);
    // What the coordinator runs need not be able to move to another thread.
    runtime.block_on(LocalSet::new().run_until(run(settings)))
}

async fn run(settings: Settings) -> Outcome {
    let begun = Instant::now();
    let Settings {
        seed,
        faults,
        keeps_log,
    } = settings;
    let world = Arc::new(World::new(seed, faults, keeps_log));
    let kinds = kinds(&world);
    let cluster = Cluster::new(&world, &kinds);
    let mut tasks = JoinSet::new();
    for host in cluster.hosts.iter().chain(&cluster.foreign) {
        tasks.spawn(Arc::clone(host).run());
    }
    let environment = Arc::new(cluster.environment(&world));
    tasks.spawn(Arc::clone(&environment).run(kinds));
    let mut ends = JoinSet::new();
    for user in &cluster.users {
        ends.spawn_local(Arc::clone(user).run());
    }
    let sweep = cluster.users[0].plan().sweep.clone();
    let possible = sweep.jobs().filter(|job| truth::failures(job) < u32::MAX);
    let possible = possible.count() as u64;
    let (reading, store) = (Arc::clone(&world), Arc::clone(&cluster.store));
    ends.spawn(reader::collect(reading, store, sweep, possible));
    while !ends.is_empty() {
        tokio::select! {
            biased;
            _ = ends.join_next() => {}
            () = sleep(Duration::from_secs(10)) => {}
        }
        if world.quiet().is_some_and(|quiet| quiet > BOUND) {
            let seconds = BOUND.as_secs();
            world.violated(format!(
                "{} sweeps or readers have not come to their end {seconds} s after the last fault; messages wait: {}",
                ends.len(),
                cluster.broker.broker().lengths()
            ));
            break;
        }
        if begun.elapsed() > LONGEST {
            world.violated("the faults do not end".into());
            break;
        }
        if world.violations().len() > 3 {
            break;
        }
    }
    if world.violations().is_empty() {
        cluster.probe(&world).await;
    }
    Outcome {
        violations: world.violations(),
        log_hash: world.log_hash(),
        log: world.log_text(),
        faults: world.faults(),
        simulated: begun.elapsed(),
    }
}

/// About half of the kinds of faults: those that hide each other's effects are apart in some simulations.
fn kinds(world: &World) -> Vec<Kind> {
    let chosen = KINDS.iter().map(|(kind, ..)| *kind);
    chosen
        .filter(|_| world.draw(|chance| chance.one_in(2)))
        .collect()
}

/// All that takes part.
struct Cluster {
    broker: Arc<BrokerServer>,
    store: Arc<StoreServer>,
    probe: Arc<Probe>,
    hosts: Vec<Arc<WorkerHost>>,
    /// A worker on another store, in some simulations.
    foreign: Option<Arc<WorkerHost>>,
    users: Vec<Arc<User>>,
}

impl Cluster {
    fn new(world: &Arc<World>, kinds: &[Kind]) -> Self {
        let (broker, store) = (BrokerServer::new(), StoreServer::new());
        let probe = Arc::new(Probe::default());
        let host = |name: String, release, store: &Arc<StoreServer>| {
            let slots = world.draw(|chance| 1 + chance.below(3)) as u16;
            WorkerHost::new(name, slots, release, world, &broker, store, &probe)
        };
        let count = world.draw(|chance| 1 + chance.below(3));
        let mut hosts: Vec<_> = (0..count)
            .map(|number| host(format!("worker-{number}"), Release::Newest, &store))
            .collect();
        if world.draw(|chance| chance.one_in(6)) {
            // Damage to what has no checksum may stay unnoticed.
            let release = match kinds.contains(&Kind::DamagedTrace) {
                true => Release::Former,
                false => Release::WithoutChecksums,
            };
            hosts.push(host("old-worker".into(), release, &store));
        }
        let is_foreign = world.draw(|chance| chance.one_in(4));
        let foreign = is_foreign.then(|| {
            // Where somebody else has submitted sweeps over the same table, a worker could run any job.
            let has_table = world.draw(|chance| chance.one_in(2));
            let plan = plans::plan(1, 1);
            let other = StoreServer::another(plan.blobs().filter(|_| has_table));
            host("foreign-worker".into(), Release::Newest, &other)
        });
        let count = world.draw(|chance| 1 + chance.below(3));
        let users = (0..count).map(|number| {
            let sweep = world.draw(|chance| (1 + chance.below(3), 1 + chance.below(5)));
            let sweep = (sweep.0 as usize, sweep.1 as u32);
            User::new(format!("user-{number}"), sweep, world, &broker, &store)
        });
        Self {
            users: users.collect(),
            broker,
            store,
            probe,
            hosts,
            foreign,
        }
    }

    fn environment(&self, world: &Arc<World>) -> Environment {
        Environment {
            world: Arc::clone(world),
            broker: Arc::clone(&self.broker),
            store: Arc::clone(&self.store),
            hosts: self.hosts.clone(),
            users: self.users.clone(),
        }
    }

    /// Checks that every slot still takes jobs, and that every delivery is settled.
    async fn probe(&self, world: &World) {
        let slots: usize = self.hosts.iter().map(|host| usize::from(host.slots)).sum();
        let plan = plans::plan(1, 1000);
        let sound = plan.sweep.jobs().skip(100);
        let jobs: Vec<_> = sound
            .filter(|job| truth::failures(job) == 0)
            .take(slots + SPARE_PROBES)
            .collect();
        self.probe.expect(slots, jobs.iter().cloned());
        {
            let identity = self.store.database().identity();
            let mut broker = self.broker.broker();
            for job in &jobs {
                let message = Message::new(Arc::from(job.encode_for(identity)), None);
                broker.add(QueueName::Jobs, message);
            }
            broker.deliver();
        }
        world.note(format_args!("probing {slots} slots"));
        if let Err(filled) = self.probe.fills_every_slot().await {
            world.violated(format!("only {filled} of {slots} slots take jobs"));
        }
        let end = Instant::now() + SETTLING;
        while self.broker.broker().unsettled() > 0 && Instant::now() < end {
            sleep(Duration::from_secs(1)).await;
        }
        let unsettled = self.broker.broker().unsettled();
        if unsettled > 0 {
            world.violated(format!("{unsettled} deliveries were never settled"));
        }
    }
}
