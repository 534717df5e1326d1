//! What happened, told as it happens and summed up at the end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::schedule::Kind;

/// Keeps count of the faults and prints them.
pub(super) struct Chronicle {
    begin: Instant,
    kinds: BTreeMap<Kind, Counts>,
}

#[derive(Default)]
struct Counts {
    injected: u64,
    skipped: u64,
}

impl Chronicle {
    pub(super) fn new() -> Self {
        Self {
            begin: Instant::now(),
            kinds: BTreeMap::new(),
        }
    }

    /// Time since the beginning.
    pub(super) fn now(&self) -> Duration {
        self.begin.elapsed()
    }

    /// Prints what happened at that time.
    pub(super) fn tell(&self, at: Duration, what: &str) {
        println!("{:7.1} s  {what}", at.as_secs_f64());
    }

    /// A fault that began at that time happened.
    pub(super) fn injected(&mut self, at: Duration, kind: Kind, what: &str) {
        self.kinds.entry(kind).or_default().injected += 1;
        self.tell(at, &format!("{kind:?}: {what}"));
    }

    /// A fault could not be brought about here.
    pub(super) fn skipped(&mut self, at: Duration, kind: Kind, reason: &str) {
        self.kinds.entry(kind).or_default().skipped += 1;
        self.tell(at, &format!("{kind:?}: skipped: {reason}"));
    }

    /// How many faults of each kind there were, and how many could not be brought about.
    pub(super) fn counts(&self) -> BTreeMap<Kind, (u64, u64)> {
        let counts = self.kinds.iter();
        counts
            .map(|(kind, counts)| (*kind, (counts.injected, counts.skipped)))
            .collect()
    }
}
