//! The configurations of a target whose hyperparameters are all categorical, and
//! the way from a configuration back to its row.
//!
//! A configuration is a level number for each hyperparameter. Searches that make
//! up configurations may propose one that is evaluated already, or that the table
//! lacks: it is not taken, and they propose again, [`PROPOSALS`] times at most per
//! evaluation. After that the next row of random search's order is taken, so that
//! a search always ends.

use std::collections::HashMap;

use crate::search::Observations;
use crate::setting::Setting;
use crate::table::encoding::Column;

/// Proposals per evaluation before a search takes a random row instead.
pub(crate) const PROPOSALS: usize = 1000;

/// The configurations of a target's rows.
pub(crate) struct Configurations<'a> {
    /// Level numbers of the rows, for each hyperparameter.
    columns: Vec<&'a [u16]>,
    /// Number of levels of each hyperparameter, over all tasks of the table.
    levels: Vec<u16>,
}

/// Finds the row of a configuration.
pub(crate) struct RowLookup(HashMap<Vec<u16>, u32>);

impl<'a> Configurations<'a> {
    /// The configurations of the setting's target, whose space must be one of
    /// [`crate::methods::Spaces::Categorical`].
    pub(crate) fn new(setting: &Setting<'a>) -> Self {
        let columns = setting.columns().iter().map(|column| match column {
            Column::Categorical(levels) => levels.as_slice(),
            Column::Numeric(_) => unreachable!("the method's space was checked"),
        });
        let hyperparameters = setting.space().hyperparameters.iter();
        Self {
            columns: columns.collect(),
            levels: hyperparameters
                .map(|hyperparameter| hyperparameter.kind.width() as u16)
                .collect(),
        }
    }

    /// Number of levels of each hyperparameter.
    pub(crate) fn levels(&self) -> &[u16] {
        &self.levels
    }

    /// The level numbers of each hyperparameter, row by row.
    pub(crate) fn columns(&self) -> &[&'a [u16]] {
        &self.columns
    }

    /// The configuration of a row.
    pub(crate) fn of_row(&self, row: u32) -> Vec<u16> {
        let row = row as usize;
        self.columns.iter().map(|column| column[row]).collect()
    }

    /// The way back from configurations to rows.
    pub(crate) fn lookup(&self) -> RowLookup {
        let rows = self.columns.first().map_or(0, |column| column.len()) as u32;
        RowLookup((0..rows).map(|row| (self.of_row(row), row)).collect())
    }
}

impl RowLookup {
    /// The row of a configuration, if the table has it and it is not evaluated yet.
    pub(crate) fn unevaluated(
        &self,
        configuration: &[u16],
        observations: &Observations,
    ) -> Option<u32> {
        let row = self.0.get(configuration).copied();
        row.filter(|&row| !observations.evaluated[row as usize])
    }
}

#[cfg(test)]
impl<'a> Configurations<'a> {
    /// Configurations given by their level numbers, for tests.
    pub(crate) fn from_columns(columns: &'a [Vec<u16>], levels: &[u16]) -> Self {
        Self {
            columns: columns.iter().map(Vec::as_slice).collect(),
            levels: levels.to_vec(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_unless_evaluated_or_missing() {
        let columns = [vec![0, 1, 1], vec![2, 0, 2]];
        let configurations = Configurations::from_columns(&columns, &[2, 3]);
        assert_eq!(configurations.of_row(1), [1, 0]);
        let lookup = configurations.lookup();
        let mut observations = Observations::new(3);
        assert_eq!(lookup.unevaluated(&[1, 2], &observations), Some(2));
        assert_eq!(lookup.unevaluated(&[0, 0], &observations), None);
        observations.record(2, 0.5);
        assert_eq!(lookup.unevaluated(&[1, 2], &observations), None);
        assert_eq!(lookup.unevaluated(&[1, 0], &observations), Some(1));
    }
}
