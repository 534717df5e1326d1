//! A kernel between the rows of a target.

use super::candidates::CandidatePool;
use super::gaussian_process::Posterior;
use crate::setting::Setting;
use crate::table::encoding::{Column, Space};

/// A kernel with known hyperparameters on the rows of a setting's target.
pub(crate) struct RowKernel<'a> {
    space: &'a Space,
    columns: &'a [Column],
    pool: CandidatePool,
    /// The hyperparameters.
    pub hyperparameters: Posterior,
}

impl<'a> RowKernel<'a> {
    /// On all rows of the target.
    pub(crate) fn new(setting: &Setting<'a>, hyperparameters: Posterior) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        Self {
            space,
            columns,
            pool: CandidatePool::new(space, columns, rows),
            hyperparameters,
        }
    }

    /// The kernel of a row with every row, into `column`.
    pub(crate) fn covariances(&mut self, row: usize, column: &mut [f64]) {
        let mut point = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row, &mut point);
        self.pool.covariances(&self.hyperparameters, &point, column);
    }
}
