//! The seeds of a file, which may have any numbers, as results count them.

use std::collections::BTreeSet;

use super::recording::Recording;

/// How the seeds of a file are counted.
#[derive(Debug)]
pub(super) struct Seeds {
    /// The seeds of the file, ascending, if they are numbered anew.
    renumbered: Option<Vec<u32>>,
    /// Seeds 0 to `planned - 1` are planned.
    pub(super) planned: u32,
}

impl Seeds {
    /// Seeds that are planned keep their numbers. If the file has another one, all of its seeds are counted from 0
    /// in ascending order.
    pub(super) fn of(recording: &Recording, planned: u32) -> Self {
        let seeds: BTreeSet<u32> = recording.traces.keys().map(|key| key.seed).collect();
        let is_planned = seeds.last().is_none_or(|last| *last < planned);
        let count = u32::try_from(seeds.len()).unwrap_or(u32::MAX);
        Self {
            renumbered: (!is_planned).then(|| seeds.into_iter().collect()),
            planned: planned.max(count),
        }
    }

    /// Whether the seeds of the file have other numbers than in the results.
    pub(super) fn are_renumbered(&self) -> bool {
        self.renumbered.is_some()
    }

    /// The number of a seed of the file.
    pub(super) fn number(&self, seed: u32) -> u32 {
        match &self.renumbered {
            None => seed,
            Some(seeds) => seeds.partition_point(|known| *known < seed) as u32,
        }
    }

    /// What readers must know of it.
    pub(super) fn note(&self) -> Option<String> {
        let seeds = self.renumbered.as_ref()?;
        let (first, last) = (seeds.first()?, seeds.last()?);
        Some(format!(
            "The {} seeds from {first} to {last} are counted from 0, in ascending order.",
            seeds.len()
        ))
    }
}
