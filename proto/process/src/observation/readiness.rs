//! Whether a process has what it needs to be of use.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// What a process needs; clones tell the same.
#[derive(Debug, Clone, Default)]
pub struct Readiness {
    needs: Arc<Mutex<BTreeMap<&'static str, bool>>>,
    stalled: Arc<Mutex<Option<String>>>,
}

/// One thing that a process needs.
#[derive(Debug, Clone)]
pub struct Need {
    name: &'static str,
    readiness: Readiness,
}

impl Readiness {
    /// Adds a thing that is needed, in words that follow "waiting for"; it is not there yet.
    pub fn need(&self, name: &'static str) -> Need {
        self.needs.lock().insert(name, false);
        Need {
            name,
            readiness: self.clone(),
        }
    }

    /// Says whether the process is stuck, and how: then only a restart helps.
    pub fn set_stalled(&self, problem: Option<String>) {
        *self.stalled.lock() = problem;
    }

    /// How the process is stuck, if it is.
    pub fn stalled(&self) -> Option<String> {
        self.stalled.lock().clone()
    }

    /// What is not there; the process is ready if that is nothing.
    pub fn missing(&self) -> Vec<&'static str> {
        let needs = self.needs.lock();
        let missing = needs.iter().filter(|(_, there)| !**there);
        missing.map(|(name, _)| *name).collect()
    }
}

impl Need {
    /// Says whether it is there now.
    pub fn set(&self, there: bool) {
        self.readiness.needs.lock().insert(self.name, there);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_ready_while_all_it_needs_is_there() {
        let readiness = Readiness::default();
        assert!(readiness.missing().is_empty());
        let broker = readiness.need("the broker");
        let store = readiness.clone().need("the store");
        assert_eq!(readiness.missing(), ["the broker", "the store"]);
        broker.set(true);
        store.set(true);
        assert!(readiness.missing().is_empty());
        broker.set(false);
        assert_eq!(readiness.missing(), ["the broker"]);
    }
}
