//! Mean and covariance of the sources' predictions for the target's rows.

use crate::accumulation::accumulate;
use crate::setting::Setting;
use crate::sources::process::SourcePrediction;
use crate::surrogate::gaussian_process::Posterior;
use crate::surrogate::prior_pool::RowPrior;
use crate::surrogate::row_kernel::RowKernel;

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
            accumulate(deviations[row], deviations, column);
        }
    }
}

/// The moments of the sources' means, and a kernel for what is the target's own.
pub(super) struct EmpiricalPrior<'a> {
    moments: Moments,
    kernel: RowKernel<'a>,
}

impl<'a> EmpiricalPrior<'a> {
    /// Of the sources' predictions.
    pub(super) fn new(
        setting: &Setting<'a>,
        sources: &[SourcePrediction],
        kernel: Posterior,
    ) -> Self {
        let functions: Vec<&[f64]> = sources.iter().map(|source| &source.means[..]).collect();
        Self {
            moments: Moments::of(&functions),
            kernel: RowKernel::new(setting, kernel),
        }
    }
}

impl RowPrior for EmpiricalPrior<'_> {
    fn means(&self) -> &[f64] {
        &self.moments.means
    }

    fn variances(&self) -> Vec<f64> {
        let mut variances = vec![self.kernel.hyperparameters.signal; self.moments.means.len()];
        for deviations in &self.moments.deviations {
            for (variance, deviation) in variances.iter_mut().zip(deviations) {
                *variance = deviation.mul_add(*deviation, *variance);
            }
        }
        variances
    }

    fn covariances(&mut self, row: usize, column: &mut [f64]) {
        self.kernel.covariances(row, column);
        self.moments.add_covariances(row, column);
    }
}
