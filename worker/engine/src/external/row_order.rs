//! The order in which programs know the rows of a task.
//!
//! A table may be sorted by its objective: its own order could tell which rows are good. Programs
//! therefore know rows in the order of their configurations, in which tasks with the same configurations also have
//! the same numbers for them.

use std::cmp::Ordering;
use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::Arc;

use loto_proto::identity::Fingerprint;

use crate::cache::Cache;
use crate::table::encoding::Column;
use crate::table::{Table, Task};

/// Orders kept in memory, each of 4 bytes per row.
const KEPT: NonZeroUsize = NonZeroUsize::new(256).unwrap();

/// Makes the orders of rows, and keeps them.
pub struct RowOrders(Cache<(Fingerprint, usize), Vec<u32>>);

impl Default for RowOrders {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl RowOrders {
    /// The rows of the task at a position of the table, in the order of their configurations.
    pub fn of(&self, table: &Table, position: usize) -> Arc<Vec<u32>> {
        let key = (table.fingerprint, position);
        let made = self
            .0
            .get_or_make(&key, || Ok::<_, Infallible>(sort(&table.tasks[position])));
        match made {
            Ok(order) => order,
            Err(never) => match never {},
        }
    }
}

fn sort(task: &Task) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..task.rows() as u32).collect();
    // Stable: rows of the same configuration, which a table does not have, would keep their order.
    rows.sort_by(|&left, &right| compare(&task.columns, left as usize, right as usize));
    rows
}

fn compare(columns: &[Column], left: usize, right: usize) -> Ordering {
    let by_column = columns.iter().map(|column| match column {
        Column::Numeric(values) => values[left].total_cmp(&values[right]),
        Column::Categorical(levels) => levels[left].cmp(&levels[right]),
    });
    by_column.fold(Ordering::Equal, Ordering::then)
}
