//! The first evaluations that a sweep file gives for each task and seed.

use std::collections::BTreeMap;

use crate::identity::ContentHasher;
use crate::limits::{MAX_INITIAL_BYTES, MAX_NAME_BYTES};
use crate::message_error::{MessageProblem, check_count};
use crate::wire;

/// The rows that are evaluated first, by task and seed; empty if methods choose all rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InitialRows(BTreeMap<String, BTreeMap<u32, Vec<u32>>>);

impl InitialRows {
    /// Adds a row of a task, to be evaluated after those that were added for this task and seed; false if it is there
    /// already.
    pub fn add(&mut self, task: &str, seed: u32, row: u32) -> bool {
        let seeds = match self.0.get_mut(task) {
            Some(seeds) => seeds,
            None => self.0.entry(task.to_owned()).or_default(),
        };
        let rows = seeds.entry(seed).or_default();
        let is_new = !rows.contains(&row);
        if is_new {
            rows.push(row);
        }
        is_new
    }

    /// The rows of a task that are evaluated first with this seed, in their order.
    pub fn rows(&self, task: &str, seed: u32) -> &[u32] {
        let seeds = self.0.get(task);
        seeds
            .and_then(|seeds| seeds.get(&seed))
            .map_or(&[], Vec::as_slice)
    }

    /// True if methods choose all rows.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that they take with the table.
    pub fn size(&self) -> usize {
        self.to_wire().iter().map(prost::Message::encoded_len).sum()
    }

    /// Adds them to the fingerprint of their table: nothing if there are none.
    pub(crate) fn hash(&self, hasher: &mut ContentHasher) {
        if self.is_empty() {
            return;
        }
        hasher.field(b"initial").number(self.0.len() as u64);
        for (task, seeds) in &self.0 {
            hasher.field(task.as_bytes()).number(seeds.len() as u64);
            for (seed, rows) in seeds {
                hasher.number((*seed).into()).number(rows.len() as u64);
                for row in rows {
                    hasher.number((*row).into());
                }
            }
        }
    }

    pub(crate) fn to_wire(&self) -> Vec<wire::InitialTask> {
        let tasks = self.0.iter().map(|(task, seeds)| wire::InitialTask {
            task: task.clone(),
            seeds: seeds
                .iter()
                .map(|(seed, rows)| wire::InitialSeed {
                    seed: *seed,
                    rows: rows.clone(),
                })
                .collect(),
        });
        tasks.collect()
    }

    pub(crate) fn of_wire(stored: Vec<wire::InitialTask>) -> Result<Self, MessageProblem> {
        let bytes: usize = stored.iter().map(prost::Message::encoded_len).sum();
        let what = "bytes of given first evaluations";
        check_count(what, bytes as u64, MAX_INITIAL_BYTES as u64)?;
        let mut initial = Self::default();
        for wire::InitialTask { task, seeds } in stored {
            let what = "bytes in the name of a task";
            check_count(what, task.len() as u64, MAX_NAME_BYTES as u64)?;
            let seeds = seeds
                .into_iter()
                .map(|wire::InitialSeed { seed, rows }| (seed, rows));
            initial.0.insert(task, seeds.collect());
        }
        Ok(initial)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_their_order_and_are_there_once() {
        let mut initial = InitialRows::default();
        assert!(initial.is_empty());
        for (row, is_new) in [(7, true), (3, true), (7, false)] {
            assert_eq!(initial.add("a", 1, row), is_new);
        }
        assert!(initial.add("a", 0, 7));
        assert_eq!(initial.rows("a", 1), [7, 3]);
        assert!(initial.rows("a", 2).is_empty() && initial.rows("b", 1).is_empty());
        assert_eq!(InitialRows::of_wire(initial.to_wire()).unwrap(), initial);
    }

    #[test]
    fn too_many_are_refused() {
        let mut initial = InitialRows::default();
        for row in 0..400_000 {
            initial.add(&format!("task {}", row % 1000), row / 1000, row);
        }
        assert!(initial.size() > MAX_INITIAL_BYTES);
        let error = InitialRows::of_wire(initial.to_wire()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("bytes of given first evaluations"),
            "{error}"
        );
    }
}
