//! What all parts of a simulation share: its chance, its log, its faults, and what is true.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::chance::Chance;
use super::log::Log;
use super::truth::Truth;

/// What all parts of a simulation share.
#[derive(Debug)]
pub(crate) struct World {
    state: Mutex<State>,
    truth: Mutex<Truth>,
}

#[derive(Debug)]
struct State {
    chance: Chance,
    log: Log,
    faults: Faults,
    violations: Vec<String>,
}

#[derive(Debug)]
struct Faults {
    left: u32,
    /// One call of a server in so many goes wrong.
    one_call_in: u64,
    counts: BTreeMap<&'static str, u32>,
    /// When the last one was over.
    quiet_since: Instant,
}

impl World {
    /// A world in which `faults` faults will happen.
    pub(crate) fn new(seed: u64, faults: u32, keeps_text: bool) -> Self {
        let mut chance = Chance::new(seed);
        let one_call_in = *chance.of(&[5, 8, 12, 20]).unwrap_or(&8);
        let state = State {
            chance,
            log: Log::new(keeps_text),
            faults: Faults {
                left: faults,
                one_call_in,
                counts: BTreeMap::new(),
                quiet_since: Instant::now(),
            },
            violations: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
            truth: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is true, whatever the product believes.
    pub(crate) fn truth(&self) -> MutexGuard<'_, Truth> {
        self.truth.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Draws from the world's chance.
    pub(crate) fn draw<Drawn>(&self, draw: impl FnOnce(&mut Chance) -> Drawn) -> Drawn {
        draw(&mut self.state().chance)
    }

    /// Whether anybody reads what is noted.
    pub(crate) fn keeps_log(&self) -> bool {
        self.state().log.is_kept()
    }

    /// Notes what happened now.
    pub(crate) fn note(&self, text: fmt::Arguments<'_>) {
        self.state().log.note(text);
    }

    /// Notes that a promise is broken.
    pub(crate) fn violated(&self, problem: String) {
        let mut state = self.state();
        state.log.note(format_args!("BROKEN PROMISE: {problem}"));
        state.violations.push(problem);
    }

    /// The promises that were broken.
    pub(crate) fn violations(&self) -> Vec<String> {
        self.state().violations.clone()
    }

    /// Whether a call of a server goes wrong now; it then is one of the faults.
    pub(crate) fn call_goes_wrong(&self) -> bool {
        let mut state = self.state();
        let times = state.faults.one_call_in;
        state.faults.left > 0 && state.chance.one_in(times)
    }

    /// Counts a fault whose effects last so long. Says no if there were enough.
    pub(crate) fn fault(&self, kind: &'static str, lasts: Duration) -> bool {
        let mut state = self.state();
        if state.faults.left == 0 {
            return false;
        }
        state.faults.left -= 1;
        *state.faults.counts.entry(kind).or_default() += 1;
        let over = Instant::now() + lasts;
        state.faults.quiet_since = state.faults.quiet_since.max(over);
        let left = state.faults.left;
        state.log.note(format_args!("fault: {kind} ({left} left)"));
        true
    }

    /// How long the last fault has been over; `None` as long as there will be more.
    pub(crate) fn quiet(&self) -> Option<Duration> {
        let faults = &self.state().faults;
        let now = Instant::now();
        (faults.left == 0 && now >= faults.quiet_since).then(|| now - faults.quiet_since)
    }

    /// The faults so far, by kind.
    pub(crate) fn faults(&self) -> BTreeMap<&'static str, u32> {
        self.state().faults.counts.clone()
    }

    /// Differs wherever the logs of two runs do that keep their text.
    pub(crate) fn log_hash(&self) -> u64 {
        self.state().log.hash()
    }

    /// The log, if its text is kept.
    pub(crate) fn log_text(&self) -> String {
        self.state().log.text().to_owned()
    }
}
