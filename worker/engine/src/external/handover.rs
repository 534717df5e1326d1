//! What a caller outside of the engine may know of a job.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::row_order::RowOrders;
use crate::table::{Table, Task};

/// A job as a program is told it. The values of the target are in the table, and not the program's to know.
pub struct Handover<'a> {
    /// The table.
    pub table: &'a Table,
    /// Where the target is in the table.
    pub target: usize,
    /// Where the source tasks are in the table.
    pub sources: Vec<usize>,
    /// Number of evaluations to come.
    pub iterations: usize,
    /// A number for the program's random numbers, which differs by table, task and seed.
    pub seed: u32,
    /// The first rows of random search, in the numbers that the program knows: as many as there are evaluations.
    pub random_rows: Vec<u32>,
    /// The parameters, as canonical text.
    pub parameters: &'a BTreeMap<String, String>,
    pub(super) orders: &'a RowOrders,
}

impl Handover<'_> {
    /// The task at a position of the table: the target with all rows, a source with those that methods learn from.
    pub fn task(&self, position: usize) -> &Task {
        match position == self.target {
            true => &self.table.tasks[position],
            false => self.table.source(position),
        }
    }

    /// The rows of that task in the order in which the program knows them.
    pub fn order(&self, position: usize) -> Arc<Vec<u32>> {
        let is_target = position == self.target;
        self.orders.of(self.table, position, is_target)
    }
}
