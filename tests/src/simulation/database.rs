//! The state of a simulated Redis, and the scripts that change it.
//!
//! The scripts are those of `proto/transport/src/store/redis/scripts.rs`, step by step.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use loto_proto::identity::{SeriesId, StoreId, SweepId};
use loto_proto::sweep_state::SweepState;
use tokio::time::Instant;

/// The blob that holds the id of the store.
const IDENTITY: &str = "store-id";

/// The values of the store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Database {
    pub(crate) sweep_ids: Vec<SweepId>,
    pub(crate) sweeps: BTreeMap<SweepId, Arc<[u8]>>,
    pub(crate) states: BTreeMap<SweepId, SweepState>,
    pub(crate) stopped: BTreeSet<SeriesId>,
    pub(crate) traces: BTreeMap<SeriesId, BTreeMap<u32, Arc<[u8]>>>,
    pub(crate) attempts: BTreeMap<SeriesId, BTreeMap<u32, Vec<u8>>>,
    pub(crate) conflicts: BTreeMap<(SeriesId, u32), String>,
    pub(crate) workers: BTreeMap<String, String>,
    pub(crate) blobs: BTreeMap<String, Arc<[u8]>>,
    pub(crate) events: Stream,
    /// When traces were damaged that may still be.
    pub(crate) damaged: BTreeMap<(SeriesId, u32), Instant>,
}

/// A stream, whose entries are numbered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stream {
    entries: VecDeque<Entry>,
    /// The number of the last entry there ever was: a new one must have a larger one.
    last: u64,
}

/// An event of the stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) number: u64,
    pub(crate) mark: u64,
    pub(crate) series: SeriesId,
    pub(crate) seed: u32,
}

/// The server refused a command, as Redis does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CommandError(pub(crate) &'static str);

impl Stream {
    /// XADD with an id.
    pub(crate) fn add(&mut self, entry: Entry) -> Result<(), CommandError> {
        if entry.number <= self.last {
            return Err(CommandError(
                "The ID specified in XADD is equal or smaller than the target stream top item",
            ));
        }
        self.last = entry.number;
        self.entries.push_back(entry);
        Ok(())
    }

    /// XADD with `*`.
    fn add_next(&mut self, entry: impl Fn(u64) -> Entry) {
        self.last += 1000;
        self.entries.push_back(entry(self.last));
    }

    /// XTRIM with MAXLEN: the number of the last entry is kept.
    pub(crate) fn trim(&mut self, kept: usize) {
        while self.entries.len() > kept {
            self.entries.pop_front();
        }
    }

    /// XREVRANGE with COUNT 1.
    pub(crate) fn newest(&self) -> Option<Entry> {
        self.entries.back().copied()
    }

    /// XRANGE with COUNT.
    pub(crate) fn from(&self, number: u64, limit: usize) -> Vec<Entry> {
        let begin = self.entries.partition_point(|entry| entry.number < number);
        self.entries.range(begin..).take(limit).copied().collect()
    }
}

impl Database {
    pub(crate) fn put_sweep(&mut self, id: SweepId, bytes: &Arc<[u8]>) {
        if !self.sweeps.contains_key(&id) {
            self.sweep_ids.push(id);
            self.sweeps.insert(id, Arc::clone(bytes));
        }
    }

    /// Returns the trace that was there already.
    pub(crate) fn put_trace(
        &mut self,
        series: SeriesId,
        seed: u32,
        trace: &Arc<[u8]>,
        mark: u64,
    ) -> Option<Arc<[u8]>> {
        let stored = self.trace(series, seed);
        if let Some(attempts) = self.attempts.get_mut(&series) {
            attempts.remove(&seed);
        }
        if stored.is_some() {
            return stored;
        }
        let number = self.events.newest().map_or(0, |last| last.number) + 1;
        let entry = |number| Entry {
            number,
            mark,
            series,
            seed,
        };
        // A stream that was trimmed to nothing refuses the numbers that it has given, and gives one itself.
        if self.events.add(entry(number)).is_err() && self.events.newest().is_none() {
            self.events.add_next(entry);
        }
        let traces = self.traces.entry(series).or_default();
        traces.insert(seed, Arc::clone(trace));
        None
    }

    /// Returns whether the attempt was the expected one, and is replaced.
    pub(crate) fn put_attempt(
        &mut self,
        series: SeriesId,
        seed: u32,
        expected: &[u8],
        attempt: &[u8],
    ) -> bool {
        if self.trace(series, seed).is_some() {
            return false;
        }
        let attempts = self.attempts.entry(series).or_default();
        let stored = attempts.get(&seed).map_or(&[][..], Vec::as_slice);
        if stored == attempt {
            return true;
        }
        if stored != expected {
            return false;
        }
        attempts.insert(seed, attempt.to_vec());
        true
    }

    pub(crate) fn attempt(&self, series: SeriesId, seed: u32) -> Option<Vec<u8>> {
        self.attempts.get(&series)?.get(&seed).cloned()
    }

    /// The id of the store, if it has one.
    pub(crate) fn identity(&self) -> Option<StoreId> {
        let text = self.blobs.get(IDENTITY)?;
        std::str::from_utf8(text).ok()?.parse().ok()
    }

    pub(crate) fn trace(&self, series: SeriesId, seed: u32) -> Option<Arc<[u8]>> {
        self.traces.get(&series)?.get(&seed).cloned()
    }

    /// FLUSHALL, and what a process that lives does at once: it puts the store's id back. Messages that name
    /// an id which died with all who knew it are for nobody; see `coordinator/PROMISES.md`.
    pub(crate) fn wipe(&mut self) {
        let kept = std::mem::take(&mut self.blobs).into_iter();
        let blobs = kept.filter(|(name, _)| name == IDENTITY).collect();
        *self = Self {
            blobs,
            ..Self::default()
        };
    }

    /// Damages one of the traces: flips a bit of it, cuts it off, or puts another one in its place. Says what it did.
    pub(crate) fn damage_trace(&mut self, draw: u64) -> Option<String> {
        let traces: Vec<_> = self
            .traces
            .iter()
            .flat_map(|(series, traces)| traces.keys().map(move |seed| (*series, *seed)))
            .collect();
        let one = |number: u64| traces.get((number % traces.len().max(1) as u64) as usize);
        let &(series, seed) = one(draw >> 32)?;
        let other = one(draw >> 16).and_then(|&(series, seed)| self.trace(series, seed));
        let trace = self.traces.get_mut(&series)?.get_mut(&seed)?;
        // Nothing is left of one that was cut off at its beginning before.
        let place = ((draw >> 8) as usize).checked_rem(trace.len())?;
        let (damaged, how) = match (draw % 3, other) {
            (0, Some(other)) => (other, "is another one"),
            (1, _) => (Arc::from(&trace[..place]), "is cut off"),
            _ => {
                let mut bytes = trace.to_vec();
                bytes[place] ^= 1 << (draw % 8);
                (Arc::from(bytes), "has another bit")
            }
        };
        let length = trace.len();
        *trace = damaged;
        self.damaged.insert((series, seed), Instant::now());
        Some(format!(
            "the trace of {series}, seed {seed}, of {length} bytes {how}, at byte {place}"
        ))
    }
}
