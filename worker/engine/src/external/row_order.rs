//! The order in which programs know the rows of a task.
//!
//! A table may be sorted by its objective: its own order could tell which rows are good. Programs
//! therefore know rows in the order of their configurations, in which tasks with the same configurations also have
//! the same numbers for them.

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
pub struct RowOrders(Cache<(Fingerprint, usize, bool), Vec<u32>>);

impl Default for RowOrders {
    fn default() -> Self {
        Self(Cache::new(KEPT))
    }
}

impl RowOrders {
    /// The rows of the task at a position of the table, as a target or as a source, in the order of their
    /// configurations.
    pub fn of(&self, table: &Table, position: usize, is_target: bool) -> Arc<Vec<u32>> {
        let position = table.first_alike(position);
        let is_thinned = !is_target && !table.thinned.is_empty();
        let key = (table.fingerprint, position, is_thinned);
        let task = match is_target {
            true => &table.tasks[position],
            false => table.source(position),
        };
        let made = self.0.get_or_make(&key, || Ok::<_, Infallible>(sort(task)));
        match made {
            Ok(order) => order,
            Err(never) => match never {},
        }
    }
}

/// By the last column first: each sort is stable, so that the columns before it decide.
fn sort(task: &Task) -> Vec<u32> {
    let mut rows: Vec<u32> = (0..task.rows() as u32).collect();
    for column in task.columns.iter().rev() {
        match column {
            Column::Numeric(values) => {
                rows.sort_by(|&left, &right| {
                    values[left as usize].total_cmp(&values[right as usize])
                });
            }
            Column::Categorical(levels) => rows = sort_by_level(&rows, levels),
        }
    }
    rows
}

/// Rows by their level, those of one level in the order that they had: a sort by counting.
fn sort_by_level(rows: &[u32], levels: &[u16]) -> Vec<u32> {
    let count = levels.iter().max().map_or(0, |&last| usize::from(last) + 1);
    // Where the rows of each level begin.
    let mut places = vec![0; count + 1];
    for &level in levels {
        places[usize::from(level) + 1] += 1;
    }
    for level in 0..count {
        places[level + 1] += places[level];
    }
    let mut sorted = vec![0; rows.len()];
    for &row in rows {
        let place = &mut places[usize::from(levels[row as usize])];
        sorted[*place] = row;
        *place += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_their_configurations() {
        let kinds: Vec<u16> = (0..60).map(|row| (row * 7 % 5) as u16).collect();
        let rates: Vec<f64> = (0..60).map(|row| f64::from(row * 11 % 4) - 1.0).collect();
        let others: Vec<u16> = (0..60).map(|row| (row * 13 % 3) as u16).collect();
        let configuration = |row: u32| {
            let row = row as usize;
            (kinds[row], rates[row], others[row], row)
        };
        let mut expected: Vec<u32> = (0..60).collect();
        expected.sort_by(|&left, &right| {
            configuration(left)
                .partial_cmp(&configuration(right))
                .unwrap()
        });
        let columns = vec![
            Column::Categorical(kinds.clone()),
            Column::Numeric(rates.clone()),
            Column::Categorical(others.clone()),
        ];
        let objective = vec![0.0; 60];
        let task = Task {
            name: "one".into(),
            first_line: 2,
            columns,
            objective,
            further_objectives: Vec::new(),
            measurements: None,
            features: Vec::new(),
        };
        assert_eq!(sort(&task), expected);
    }
}
