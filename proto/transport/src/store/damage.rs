//! Entries of lists that a store passes over because they are damaged.
//!
//! One damaged entry must not keep the others from being read: it is named once in the log, and told to who
//! asks for it.

use std::collections::BTreeMap;

use loto_proto::identity::SeriesId;
use parking_lot::Mutex;

/// Most entries that are remembered of one list.
const MOST: usize = 20;

/// An entry that was passed over when its list was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassedOver {
    /// What it says nothing about any more.
    pub hides: Hidden,
    /// Where it is, and what is wrong with it, for people.
    pub problem: String,
}

/// What an entry says nothing about that was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hidden {
    /// Nothing that counts: a field of a series that is no seed, a worker's heartbeat.
    Nothing,
    /// One of the sweeps in the store.
    Sweep,
    /// How the attempts at a job of that series stand.
    Attempt(SeriesId),
    /// That a job had two outcomes.
    Conflict,
}

/// What was passed over, by list.
#[derive(Debug, Default)]
pub(super) struct Damage(Mutex<BTreeMap<String, Vec<PassedOver>>>);

impl Damage {
    /// Takes in what was passed over when the list was read, which is nothing as a rule.
    pub(super) fn replace(&self, list: &str, mut found: Vec<PassedOver>) {
        found.truncate(MOST);
        let mut lists = self.0.lock();
        let before = lists.get(list).map_or(&[][..], Vec::as_slice);
        for entry in found.iter().filter(|entry| !before.contains(entry)) {
            tracing::warn!("{}; it is passed over", entry.problem);
        }
        if found.is_empty() {
            lists.remove(list);
        } else {
            lists.insert(list.to_owned(), found);
        }
    }

    pub(super) fn list(&self) -> Vec<PassedOver> {
        self.0.lock().values().flatten().cloned().collect()
    }
}

/// Keeps the sound ones of the entries of a list.
pub(super) fn sound<Entry>(
    damage: &Damage,
    list: &str,
    hides: Hidden,
    entries: impl Iterator<Item = Result<Entry, crate::TransportError>>,
) -> Vec<Entry> {
    let mut passed_over = Vec::new();
    let sound = entries.filter_map(|entry| {
        let told = |error: crate::TransportError| PassedOver {
            hides,
            problem: error.to_string(),
        };
        entry.map_err(|error| passed_over.push(told(error))).ok()
    });
    let sound = sound.collect();
    damage.replace(list, passed_over);
    sound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_passed_over_is_told_until_its_list_is_sound_again() {
        let damage = Damage::default();
        let entry = |problem: &str| PassedOver {
            hides: Hidden::Conflict,
            problem: problem.into(),
        };
        damage.replace("a", vec![entry("one")]);
        damage.replace("b", vec![entry("two"); 100]);
        damage.replace("a", vec![entry("one"), entry("three")]);
        assert_eq!(damage.list().len(), 2 + MOST);
        damage.replace("b", Vec::new());
        assert_eq!(damage.list(), [entry("one"), entry("three")]);
    }
}
