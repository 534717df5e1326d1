//! Which fault happens when and to whom.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::proxy::Direction;

/// Workers of an installation.
pub const WORKERS: usize = 2;

/// A way between two parts of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// From a worker, counted from 0, to RabbitMQ.
    WorkerToBroker(usize),
    /// From a worker to Redis, or to the host that is the broker, too.
    WorkerToStore(usize),
    /// From `loto submit --wait` to RabbitMQ.
    CoordinatorToBroker,
    /// From `loto submit --wait` to Redis or to the host.
    CoordinatorToStore,
    /// From `loto serve` to Redis or to the host.
    AggregatorToStore,
    /// From the client that watches the sweep to `loto serve`.
    ClientToAggregator,
}

/// Every way, in the order in which an installation keeps them.
pub const LINKS: [Link; 8] = [
    Link::WorkerToBroker(0),
    Link::WorkerToBroker(1),
    Link::WorkerToStore(0),
    Link::WorkerToStore(1),
    Link::CoordinatorToBroker,
    Link::CoordinatorToStore,
    Link::AggregatorToStore,
    Link::ClientToAggregator,
];

/// The ways of an installation with a host.
const LINKS_OF_HOST: [Link; 5] = [
    Link::WorkerToStore(0),
    Link::WorkerToStore(1),
    Link::CoordinatorToStore,
    Link::AggregatorToStore,
    Link::ClientToAggregator,
];

/// A kind of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// SIGKILL to a worker.
    WorkerKilled,
    /// SIGTERM to a worker, which has to end well and soon.
    WorkerTerminated,
    /// SIGSTOP to a worker, and SIGCONT seconds later.
    WorkerFrozen,
    /// SIGKILL to `loto submit --wait`.
    CoordinatorKilled,
    /// SIGKILL to `loto serve`.
    AggregatorKilled,
    /// SIGKILL to RabbitMQ, which starts again.
    BrokerKilled,
    /// SIGKILL to Redis, which starts again from its append-only file.
    StoreKilled,
    /// The same, and up to the last second of that file is gone, as after a loss of power.
    StoreLosesPower,
    /// SIGKILL to `loto host`, which starts again with its file.
    HostKilled,
    /// SIGTERM to `loto host`, which has to end well and soon, and starts again.
    HostTerminated,
    /// No room under the append-only file of Redis, or the file of the host, for seconds.
    StoreDiskFull,
    /// Connections cut in the middle of a frame.
    ConnectionsCut,
    /// Nothing gets through for seconds, then all of it does.
    NetworkStalled,
    /// A few kilobytes per second for seconds.
    NetworkThrottled,
    /// No connections are taken for seconds.
    ConnectionsRefused,
    /// Connections that stay open and lead nowhere.
    ConnectionsDead,
    /// Jobs of the sweep once more, in random order.
    JobsDuplicated,
    /// Messages that are no jobs.
    Garbage,
    /// In one direction, nothing gets through for seconds, then all of it does.
    OneWayStalled,
    /// In one direction, a few kilobytes per second for seconds.
    OneWayThrottled,
    /// Connections that end in one direction and stay open in the other.
    HalfClosed,
    /// Connections over which nothing comes in one direction any more.
    OneWayDead,
    /// RabbitMQ has too little memory or disk for seconds and takes no messages.
    BrokerAlarm,
    /// The history of new traces in Redis is emptied, as an operator does who needs memory.
    HistoryTrimmed,
    /// All values of Redis are deleted before the sweep is half done.
    StoreWiped,
    /// One bit of a trace in Redis is another one, before the sweep is half done.
    TraceDamaged,
    /// Jobs for the workers of another store, who come for them seconds later.
    ForeignJobs,
}

/// All kinds. The costly ones come up once while the cheap ones come up as often as they are listed.
const DECK: [Kind; 22] = [
    Kind::WorkerKilled,
    Kind::WorkerKilled,
    Kind::WorkerKilled,
    Kind::WorkerTerminated,
    Kind::WorkerTerminated,
    Kind::WorkerFrozen,
    Kind::CoordinatorKilled,
    Kind::CoordinatorKilled,
    Kind::AggregatorKilled,
    Kind::BrokerKilled,
    Kind::StoreKilled,
    Kind::StoreLosesPower,
    Kind::StoreDiskFull,
    Kind::ConnectionsCut,
    Kind::ConnectionsCut,
    Kind::ConnectionsCut,
    Kind::NetworkStalled,
    Kind::NetworkThrottled,
    Kind::ConnectionsRefused,
    Kind::ConnectionsDead,
    Kind::JobsDuplicated,
    Kind::Garbage,
];

/// The kinds of the campaign of partitions, alarms and damage, in the same way.
const CAMPAIGN: [Kind; 19] = [
    Kind::OneWayStalled,
    Kind::OneWayStalled,
    Kind::OneWayStalled,
    Kind::OneWayThrottled,
    Kind::OneWayThrottled,
    Kind::HalfClosed,
    Kind::HalfClosed,
    Kind::HalfClosed,
    Kind::OneWayDead,
    Kind::BrokerAlarm,
    Kind::BrokerAlarm,
    Kind::HistoryTrimmed,
    Kind::StoreWiped,
    Kind::TraceDamaged,
    Kind::TraceDamaged,
    Kind::ForeignJobs,
    Kind::ForeignJobs,
    Kind::ConnectionsCut,
    Kind::Garbage,
];

/// The kinds that happen to a host, in the same way.
const DECK_OF_HOST: [Kind; 25] = [
    Kind::WorkerKilled,
    Kind::WorkerKilled,
    Kind::WorkerKilled,
    Kind::WorkerTerminated,
    Kind::WorkerTerminated,
    Kind::WorkerFrozen,
    Kind::CoordinatorKilled,
    Kind::CoordinatorKilled,
    Kind::AggregatorKilled,
    Kind::HostKilled,
    Kind::HostKilled,
    Kind::HostTerminated,
    Kind::StoreDiskFull,
    Kind::ConnectionsCut,
    Kind::ConnectionsCut,
    Kind::NetworkStalled,
    Kind::NetworkThrottled,
    Kind::ConnectionsRefused,
    Kind::ConnectionsDead,
    Kind::OneWayStalled,
    Kind::OneWayThrottled,
    Kind::HalfClosed,
    Kind::HalfClosed,
    Kind::OneWayDead,
    Kind::JobsDuplicated,
];

/// Kinds that take a minute until everybody has noticed.
const SLOW: [Kind; 2] = [Kind::ConnectionsDead, Kind::OneWayDead];

/// Bytes that pass before a connection is cut: within a frame, mostly.
const BYTES_BEFORE_CUT: std::ops::Range<usize> = 1..400;

/// Bytes per second of a throttled network.
const THROTTLE: std::ops::Range<usize> = 2_000..10_000;

/// Jobs that are duplicated, or published for another store, at a time.
const JOBS_AT_A_TIME: std::ops::Range<usize> = 10..60;

/// One fault.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fault {
    /// Time to let pass before it.
    pub pause: Duration,
    /// What happens.
    pub kind: Kind,
    /// Which worker, where it is about one.
    pub worker: usize,
    /// Which way, where it is about one.
    pub link: Link,
    /// In which direction of that way, where it is about one.
    pub direction: Direction,
    /// How long it lasts, where it does.
    pub duration: Duration,
    /// Bytes or jobs, where it has a measure.
    pub amount: usize,
    /// For all that is drawn while it is brought about.
    pub seed: u64,
}

/// Jobs that misbehave, by seed: all jobs of that seed do, in this way. What
/// `tests/src/bin/faulty-worker.rs` is told.
pub type Poison = BTreeMap<u32, &'static str>;

/// Ways to misbehave that are over soon.
const QUICK_WAYS: [&str; 5] = ["panic", "abort", "exit", "allocate", "overflow"];

/// A way that takes until the job's deadline.
const SLOW_WAY: &str = "hang";

/// Poisons some of a sweep's seeds: one, or, `thoroughly`, three and one that hangs.
pub fn poison(seed: u64, seeds: u32, thoroughly: bool) -> Poison {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let quick = if thoroughly { 3 } else { 1 };
    let mut ways: Vec<_> = QUICK_WAYS.sample(&mut random, quick).copied().collect();
    if thoroughly {
        ways.push(SLOW_WAY);
    }
    let poisoned = rand::seq::index::sample(&mut random, seeds as usize, ways.len());
    let poisoned = poisoned.into_iter().map(|seed| seed as u32);
    poisoned.zip(ways).collect()
}

/// The faults of one seed, without end: the same however many of them are taken.
pub struct Schedule {
    random: ChaCha8Rng,
    pauses: std::ops::Range<f64>,
    durations: std::ops::Range<f64>,
    kinds: Vec<Kind>,
    links: &'static [Link],
    waiting: Vec<Kind>,
}

impl Schedule {
    /// Faults for a test that is to end soon: different ones, one upon the other.
    pub fn short(seed: u64) -> Self {
        Self::new(seed, quick(&DECK), 0.3..1.5, 0.5..2.0)
    }

    /// Faults of all kinds, with time to notice them.
    pub fn long(seed: u64) -> Self {
        Self::new(seed, DECK.to_vec(), 0.3..5.0, 0.5..8.0)
    }

    /// As [`Self::long`], but partitions in one direction, alarms of the broker, a store that is emptied or damaged,
    /// and the jobs of another store.
    pub fn campaign(seed: u64) -> Self {
        Self::new(seed, CAMPAIGN.to_vec(), 0.3..5.0, 0.5..8.0)
    }

    /// As [`Self::short`], but the partitions of the campaign; all else is left to the long form.
    pub fn short_campaign(seed: u64) -> Self {
        let mut kinds = quick(&CAMPAIGN);
        let long_only = [
            Kind::BrokerAlarm,
            Kind::HistoryTrimmed,
            Kind::StoreWiped,
            Kind::TraceDamaged,
            Kind::ForeignJobs,
        ];
        kinds.retain(|kind| !long_only.contains(kind));
        Self::new(seed, kinds, 0.3..1.5, 0.5..2.0)
    }

    /// As [`Self::short`], for an installation with a host.
    pub fn short_of_host(seed: u64) -> Self {
        let schedule = Self::new(seed, quick(&DECK_OF_HOST), 0.3..1.5, 0.5..2.0);
        schedule.on(&LINKS_OF_HOST)
    }

    /// As [`Self::long`], for an installation with a host.
    pub fn long_of_host(seed: u64) -> Self {
        let schedule = Self::new(seed, DECK_OF_HOST.to_vec(), 0.3..5.0, 0.5..8.0);
        schedule.on(&LINKS_OF_HOST)
    }

    fn on(self, links: &'static [Link]) -> Self {
        Self { links, ..self }
    }

    fn new(
        seed: u64,
        kinds: Vec<Kind>,
        pauses: std::ops::Range<f64>,
        durations: std::ops::Range<f64>,
    ) -> Self {
        Self {
            random: ChaCha8Rng::seed_from_u64(seed),
            pauses,
            durations,
            kinds,
            links: &LINKS,
            waiting: Vec::new(),
        }
    }
}

/// Those of these kinds that are noticed soon, each once.
fn quick(kinds: &[Kind]) -> Vec<Kind> {
    let mut kinds = kinds.to_vec();
    kinds.retain(|kind| !SLOW.contains(kind));
    kinds.dedup();
    kinds
}

impl Iterator for Schedule {
    type Item = Fault;

    fn next(&mut self) -> Option<Fault> {
        if self.waiting.is_empty() {
            self.waiting.clone_from(&self.kinds);
            self.waiting.shuffle(&mut self.random);
        }
        let kind = self.waiting.pop()?;
        let random = &mut self.random;
        Some(Fault {
            kind,
            pause: Duration::from_secs_f64(random.random_range(self.pauses.clone())),
            worker: random.random_range(0..WORKERS),
            link: *self.links.choose(random)?,
            direction: match random.random() {
                true => Direction::ToServer,
                false => Direction::ToClient,
            },
            duration: Duration::from_secs_f64(random.random_range(self.durations.clone())),
            amount: match kind {
                Kind::NetworkThrottled | Kind::OneWayThrottled => random.random_range(THROTTLE),
                Kind::JobsDuplicated | Kind::ForeignJobs => random.random_range(JOBS_AT_A_TIME),
                _ => random.random_range(BYTES_BEFORE_CUT),
            },
            seed: random.random(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_seed_gives_one_schedule_with_every_kind() {
        let faults: Vec<_> = Schedule::long(7).take(200).collect();
        assert_eq!(faults, Schedule::long(7).take(200).collect::<Vec<_>>());
        assert_ne!(faults[..5], Schedule::long(8).take(5).collect::<Vec<_>>());
        let all = BTreeSet::from(DECK);
        let first: BTreeSet<_> = faults[..DECK.len()]
            .iter()
            .map(|fault| fault.kind)
            .collect();
        assert_eq!(first, all);
        let short: BTreeSet<_> = Schedule::short(7)
            .take(15)
            .map(|fault| fault.kind)
            .collect();
        assert_eq!(short.len(), all.len() - 1);
        let campaign = Schedule::campaign(7).take(CAMPAIGN.len());
        let campaign: BTreeSet<_> = campaign.map(|fault| fault.kind).collect();
        assert_eq!(campaign, BTreeSet::from(CAMPAIGN));
        let ways: BTreeSet<_> = Schedule::campaign(7)
            .take(200)
            .map(|fault| (format!("{:?}", fault.link), fault.direction as usize))
            .collect();
        assert_eq!(ways.len(), 2 * LINKS.len());
        let host: Vec<_> = Schedule::long_of_host(7).take(200).collect();
        let kinds: BTreeSet<_> = host.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, BTreeSet::from(DECK_OF_HOST));
        assert!(host.iter().all(|fault| LINKS_OF_HOST.contains(&fault.link)));
    }
}
