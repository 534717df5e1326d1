//! A known kernel and known moments as a prior on the target's rows.

use super::candidates::CandidatePool;
use super::gaussian_process::Posterior;
use super::moments::Moments;
use super::prior_pool::RowPrior;
use crate::setting::Setting;
use crate::table::encoding::{Column, Space};

/// The mean of some moments, and the sum of their covariance and a kernel with known hyperparameters.
pub(crate) struct KernelPrior<'a> {
    space: &'a Space,
    columns: &'a [Column],
    pool: CandidatePool,
    hyperparameters: Posterior,
    moments: Moments,
}

impl<'a> KernelPrior<'a> {
    /// On all rows of the target.
    pub(crate) fn new(setting: &Setting<'a>, hyperparameters: Posterior, moments: Moments) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        Self {
            space,
            columns,
            pool: CandidatePool::new(space, columns, rows),
            hyperparameters,
            moments,
        }
    }
}

impl RowPrior for KernelPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.moments.means
    }

    fn variances(&self) -> Vec<f64> {
        let mut variances = vec![self.hyperparameters.signal; self.moments.means.len()];
        for deviations in &self.moments.deviations {
            for (variance, deviation) in variances.iter_mut().zip(deviations) {
                *variance = deviation.mul_add(*deviation, *variance);
            }
        }
        variances
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        let mut point = vec![0.0; self.space.width()];
        self.space.encode(self.columns, row, &mut point);
        self.pool.covariances(&self.hyperparameters, &point, column);
        self.moments.add_covariances(row, column);
    }
}
