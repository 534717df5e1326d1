//! Mean and covariance of functions of a target's rows.

use crate::accumulation::accumulate;

/// The moments of M functions that each predict every row, as a prior on another one:
///
///   m(c) = 1/M sum_i f_i(c),   cov(c, e) = 1/M sum_i (f_i(c) - m(c)) (f_i(e) - m(e)).
pub(crate) struct Moments {
    /// m.
    pub means: Vec<f64>,
    /// By function, (f_i - m) / sqrt(M). Of known means alone there are none.
    pub deviations: Vec<Vec<f64>>,
}

impl Moments {
    /// Of predictions by function, each with as many rows.
    pub(crate) fn of(functions: &[&[f64]]) -> Self {
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
    pub(crate) fn add_covariances(&self, row: usize, column: &mut [f64]) {
        for deviations in &self.deviations {
            accumulate(deviations[row], deviations, column);
        }
    }
}
