//! From a configuration to a row: the one that it is, or the nearest one that is not evaluated yet.

use super::caller::ProposalProblem;
use crate::table::encoding::{Column, Kind, Space};

/// Coordinates that differ by less are the same: what a program computes is rarely exact.
const SAME: f64 = 1e-9;

/// What a value of a numeric hyperparameter may be, in words.
const COORDINATES: &str =
    "0 to 1: a coordinate on the scale of its column, not a value of the table";

/// The configurations of a target.
pub(super) struct Configurations<'a> {
    space: &'a Space,
    columns: &'a [Column],
    rows: usize,
}

impl<'a> Configurations<'a> {
    pub(super) fn new(space: &'a Space, columns: &'a [Column], rows: usize) -> Self {
        Self {
            space,
            columns,
            rows,
        }
    }

    /// Checks that there is one value per hyperparameter, each within its range.
    pub(super) fn check(&self, values: &[f64]) -> Result<(), ProposalProblem> {
        let hyperparameters = &self.space.hyperparameters;
        if values.len() != hyperparameters.len() {
            return Err(ProposalProblem::OtherLength {
                found: values.len(),
                expected: hyperparameters.len(),
            });
        }
        for (hyperparameter, &value) in hyperparameters.iter().zip(values) {
            let (is_inside, allowed) = match &hyperparameter.kind {
                Kind::Numeric { .. } => ((0.0..=1.0).contains(&value), COORDINATES.to_owned()),
                Kind::Categorical { levels } => {
                    let last = levels.len().saturating_sub(1);
                    let is_level = value.fract() == 0.0 && (0.0..=last as f64).contains(&value);
                    (is_level, format!("whole numbers 0 to {last}"))
                }
            };
            if !is_inside {
                return Err(ProposalProblem::OutsideSpace {
                    hyperparameter: hyperparameter.name.clone(),
                    value,
                    allowed,
                });
            }
        }
        Ok(())
    }

    /// The configuration of a row.
    pub(super) fn of_row(&self, row: u32) -> Vec<f64> {
        self.columns
            .iter()
            .map(|column| column.value(row))
            .collect()
    }

    /// The row that has this configuration, if there is one.
    pub(super) fn row_of(&self, values: &[f64]) -> Option<u32> {
        let is_same = |row: &usize| {
            let mut pairs = self.columns.iter().zip(values);
            pairs.all(|(column, &value)| match column {
                Column::Numeric(values) => (values[*row] - value).abs() < SAME,
                Column::Categorical(levels) => f64::from(levels[*row]) == value,
            })
        };
        (0..self.rows).find(is_same).map(|row| row as u32)
    }

    /// The nearest row that is not evaluated: by the distance of encoded rows, among rows as near as each other the
    /// first in `order`.
    pub(super) fn nearest(&self, values: &[f64], evaluated: &[bool], order: &[u32]) -> Option<u32> {
        let mut distances = vec![0.0; self.rows];
        for (column, &value) in self.columns.iter().zip(values) {
            match column {
                Column::Numeric(values) => {
                    for (distance, other) in distances.iter_mut().zip(values) {
                        *distance += (other - value) * (other - value);
                    }
                }
                Column::Categorical(levels) => {
                    // Two coordinates of the encoding differ by 1 each.
                    for (distance, &level) in distances.iter_mut().zip(levels) {
                        *distance += if f64::from(level) == value { 0.0 } else { 2.0 };
                    }
                }
            }
        }
        let left = order.iter().filter(|&&row| !evaluated[row as usize]);
        left.copied()
            .min_by(|&left, &right| distances[left as usize].total_cmp(&distances[right as usize]))
    }
}
