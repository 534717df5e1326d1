//! A known mean and a known kernel as a prior on the target's rows.

use crate::surrogate::prior_pool::RowPrior;
use crate::surrogate::row_kernel::RowKernel;

/// A mean of every row, and a kernel.
pub(super) struct KernelPrior<'a> {
    pub means: Vec<f64>,
    pub kernel: RowKernel<'a>,
}

impl RowPrior for KernelPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.means
    }

    fn variances(&self) -> Vec<f64> {
        vec![self.kernel.hyperparameters.signal; self.means.len()]
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        self.kernel.covariances(row, column);
    }
}
