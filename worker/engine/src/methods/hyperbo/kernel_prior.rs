//! A known mean and a known kernel as a prior on the target's rows.

use crate::setting::Setting;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::Posterior;
use crate::surrogate::prior_pool::RowPrior;
use crate::table::encoding::{Column, Space};

/// A mean of every row, and a kernel.
pub(super) struct KernelPrior<'a> {
    space: &'a Space,
    columns: &'a [Column],
    means: Vec<f64>,
    kernel: Posterior,
    pool: CandidatePool,
}

impl<'a> KernelPrior<'a> {
    /// On the rows of the setting's target.
    pub(super) fn new(setting: &Setting<'a>, means: Vec<f64>, kernel: Posterior) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        Self {
            space,
            columns,
            means,
            kernel,
            pool: CandidatePool::new(space, columns, rows),
        }
    }
}

impl RowPrior for KernelPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.means
    }

    fn variances(&self) -> Vec<f64> {
        vec![self.kernel.signal; self.means.len()]
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        let mut point = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row, &mut point);
        self.pool.covariances(&self.kernel, &point, column);
    }
}
