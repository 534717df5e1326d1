//! Which fault happens when and to whom.

use std::collections::BTreeMap;
use std::time::Duration;

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Workers of an installation.
pub const WORKERS: usize = 2;

/// A way between two parts of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Link {
    /// From a worker, counted from 0, to RabbitMQ.
    WorkerToBroker(usize),
    /// From a worker to Redis.
    WorkerToStore(usize),
    /// From `loto submit --wait` to RabbitMQ.
    CoordinatorToBroker,
    /// From `loto submit --wait` to Redis.
    CoordinatorToStore,
    /// From `loto serve` to Redis.
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
    /// No room under the append-only file of Redis for seconds.
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

/// Kinds that take a minute until everybody has noticed.
const SLOW: [Kind; 1] = [Kind::ConnectionsDead];

/// Bytes that pass before a connection is cut: within a frame, mostly.
const BYTES_BEFORE_CUT: std::ops::Range<usize> = 1..400;

/// Bytes per second of a throttled network.
const THROTTLE: std::ops::Range<usize> = 2_000..10_000;

/// Jobs that are duplicated at a time.
const DUPLICATES: std::ops::Range<usize> = 10..60;

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
    waiting: Vec<Kind>,
}

impl Schedule {
    /// Faults for a test that is to end soon: different ones, one upon the other.
    pub fn short(seed: u64) -> Self {
        let mut kinds: Vec<_> = DECK
            .into_iter()
            .filter(|kind| !SLOW.contains(kind))
            .collect();
        kinds.dedup();
        Self::new(seed, kinds, 0.3..1.5, 0.5..2.0)
    }

    /// Faults of all kinds, with time to notice them.
    pub fn long(seed: u64) -> Self {
        Self::new(seed, DECK.to_vec(), 0.3..5.0, 0.5..8.0)
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
            waiting: Vec::new(),
        }
    }
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
            link: *LINKS.choose(random)?,
            duration: Duration::from_secs_f64(random.random_range(self.durations.clone())),
            amount: match kind {
                Kind::NetworkThrottled => random.random_range(THROTTLE),
                Kind::JobsDuplicated => random.random_range(DUPLICATES),
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
        assert_eq!(short.len(), all.len() - SLOW.len());
    }
}
