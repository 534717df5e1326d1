//! Mean and covariance of the sources' predictions for the target's rows.

use crate::setting::Setting;
use crate::sources::process::SourceProcess;
use crate::surrogate::candidates::CandidatePool;
use crate::surrogate::gaussian_process::Posterior;
use crate::surrogate::prior_pool::RowPrior;
use crate::table::encoding::{Column, Space};

/// The moments of M functions that each predict every row, as a prior on another one:
///
///   m(c) = 1/M sum_i f_i(c),   cov(c, e) = 1/M sum_i (f_i(c) - m(c)) (f_i(e) - m(e)).
pub(super) struct Moments {
    pub means: Vec<f64>,
    /// By function, (f_i - m) / sqrt(M).
    pub deviations: Vec<Vec<f64>>,
}

impl Moments {
    /// Of predictions by function, each with as many rows.
    pub(super) fn of(functions: &[&[f64]]) -> Self {
        let count = functions.len() as f64;
        let rows = functions.first().map_or(0, |function| function.len());
        let mut means = vec![0.0; rows];
        for function in functions {
            for (mean, value) in means.iter_mut().zip(*function) {
                *mean += value / count;
            }
        }
        let deviation = |function: &&[f64]| {
            let pairs = function.iter().zip(&means);
            pairs
                .map(|(value, mean)| (value - mean) / count.sqrt())
                .collect()
        };
        Self {
            deviations: functions.iter().map(deviation).collect(),
            means,
        }
    }

    /// Adds the covariance of a row with every row to the column.
    pub(super) fn add_covariances(&self, row: usize, column: &mut [f64]) {
        for deviations in &self.deviations {
            let own = deviations[row];
            for (entry, other) in column.iter_mut().zip(deviations) {
                *entry = own.mul_add(*other, *entry);
            }
        }
    }
}

/// The moments of the sources' means, and a kernel for what is the target's own.
pub(super) struct EmpiricalPrior<'a> {
    space: &'a Space,
    columns: &'a [Column],
    moments: Moments,
    kernel: Posterior,
    pool: CandidatePool,
}

impl<'a> EmpiricalPrior<'a> {
    /// Of the sources' processes.
    pub(super) fn new(setting: &Setting<'a>, sources: &[SourceProcess], kernel: Posterior) -> Self {
        let (space, columns) = (setting.space(), setting.columns());
        let rows = (0..setting.rows() as u32).collect();
        let mut pool = CandidatePool::new(space, columns, rows);
        let mut means = |source: &SourceProcess| pool.means(&source.posterior, &source.points);
        let functions: Vec<Vec<f64>> = sources.iter().map(&mut means).collect();
        let functions: Vec<&[f64]> = functions.iter().map(Vec::as_slice).collect();
        Self {
            space,
            columns,
            moments: Moments::of(&functions),
            kernel,
            pool,
        }
    }
}

impl RowPrior for EmpiricalPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.moments.means
    }

    fn variances(&self) -> Vec<f64> {
        let mut variances = vec![self.kernel.signal; self.moments.means.len()];
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
        self.pool.covariances(&self.kernel, &point, column);
        self.moments.add_covariances(row, column);
    }
}
