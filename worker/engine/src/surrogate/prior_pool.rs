//! A Gaussian process on the rows of a target whose prior, a mean and a covariance for every row, comes from elsewhere
//! and is updated one row at a time, without refitting.
//!
//! With the factors a_s(c) = (cov(e_s, c) - sum over u < s of a_u(e_s) a_u(c)) / l_s of the observed rows e_s, where
//! l_s^2 = var(e_s) + noise given the rows before, the posterior is
//!
//!   mean(c) = m(c) + shift + sum a_s(c) b_s,   var(c) = v(c) - sum a_s(c)^2,
//!
//! b solving l b = z - m - shift with the lower triangle l of the factors at the observed rows. That is the Cholesky
//! factorisation of the covariance, bordered by all other rows (Rasmussen and Williams 2006, eq. 2.25 and 2.26). The
//! shift is the posterior mean of an offset of the target, whose prior is N(0, 1): sources and target are standardised over
//! different rows, and a search visits good rows first. How uncertain the offset is, variances leave out.

use crate::accumulation::accumulate;

/// What the sources say of the target's rows before anything is observed.
pub(crate) trait RowPrior: Send {
    /// The mean of every row.
    fn means(&self) -> &[f64];
    /// The variance of every row, without observation noise.
    fn variances(&self) -> Vec<f64>;
    /// The covariance of a row with every row, into `column`.
    fn covariances(&mut self, row: usize, column: &mut [f64]);
}

/// The least variance of a prediction.
const LEAST_VARIANCE: f64 = 1e-12;

/// A process on the rows of a target.
pub(crate) struct PriorPool<P> {
    prior: P,
    noise: f64,
    rows: Vec<usize>,
    /// By observation, a factor for every row.
    factors: Vec<Vec<f64>>,
    /// By observation, l on the diagonal.
    diagonal: Vec<f64>,
    variances: Vec<f64>,
}

impl<P: RowPrior> PriorPool<P> {
    /// Nothing is observed yet; observations will have this noise variance.
    pub(crate) fn new(prior: P, noise: f64) -> Self {
        Self {
            variances: prior.variances(),
            prior,
            noise,
            rows: Vec::new(),
            factors: Vec::new(),
            diagonal: Vec::new(),
        }
    }

    /// The prior, whose means may be changed; its covariances have to stay as they are.
    pub(crate) fn prior_mut(&mut self) -> &mut P {
        &mut self.prior
    }

    /// Number of observations.
    pub(crate) fn count(&self) -> usize {
        self.rows.len()
    }

    /// Adds an observed row; its value is given to [`Self::means`].
    pub(crate) fn observe(&mut self, row: usize) {
        let mut factor = vec![0.0; self.variances.len()];
        self.prior.covariances(row, &mut factor);
        for earlier in &self.factors {
            accumulate(-earlier[row], earlier, &mut factor);
        }
        // The variance given the rows before; rounding can leave it slightly below zero.
        let diagonal = (factor[row].max(1e-10) + self.noise).sqrt();
        for (entry, variance) in factor.iter_mut().zip(&mut self.variances) {
            *entry /= diagonal;
            *variance -= *entry * *entry;
        }
        self.rows.push(row);
        self.factors.push(factor);
        self.diagonal.push(diagonal);
    }

    /// The mean at every row, given a value for each observed one.
    pub(crate) fn means(&self, values: &[f64]) -> Vec<f64> {
        assert_eq!(values.len(), self.count(), "one value per observed row");
        let prior = self.prior.means();
        let residuals = self.rows.iter().zip(values);
        let residuals: Vec<f64> = residuals.map(|(&row, value)| value - prior[row]).collect();
        let residuals = self.solve(&residuals);
        let ones = self.solve(&vec![1.0; values.len()]);
        let product = |left: &[f64], right: &[f64]| -> f64 {
            left.iter().zip(right).map(|(a, b)| a * b).sum()
        };
        let shift = product(&ones, &residuals) / (product(&ones, &ones) + 1.0);
        let mut means: Vec<f64> = prior.iter().map(|mean| mean + shift).collect();
        for ((factor, residual), one) in self.factors.iter().zip(&residuals).zip(&ones) {
            accumulate(residual - shift * one, factor, &mut means);
        }
        means
    }

    /// The standard deviation, without observation noise, of a row.
    pub(crate) fn std_dev(&self, row: usize) -> f64 {
        self.variances[row].max(LEAST_VARIANCE).sqrt()
    }

    /// The solution b of l b = `right`.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let mut solution: Vec<f64> = Vec::with_capacity(right.len());
        for ((&row, diagonal), entry) in self.rows.iter().zip(&self.diagonal).zip(right) {
            let known = self.factors.iter().zip(&solution);
            let known: f64 = known.map(|(factor, b)| factor[row] * b).sum();
            solution.push((entry - known) / diagonal);
        }
        solution
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2};
    use ndarray_linalg::Inverse;

    use super::*;

    /// A prior whose covariance is that of two latent functions and a diagonal.
    struct Example {
        means: Vec<f64>,
    }

    fn covariance(left: usize, right: usize) -> f64 {
        let feature = |row: usize, rate: f64| (row as f64 * rate).sin();
        let own = if left == right { 0.2 } else { 0.0 };
        feature(left, 0.7) * feature(right, 0.7)
            + 0.5 * feature(left, 1.9) * feature(right, 1.9)
            + own
    }

    impl RowPrior for Example {
        fn means(&self) -> &[f64] {
            &self.means
        }

        fn variances(&self) -> Vec<f64> {
            (0..self.means.len())
                .map(|row| covariance(row, row))
                .collect()
        }

        fn covariances(&mut self, row: usize, column: &mut [f64]) {
            for (other, entry) in column.iter_mut().enumerate() {
                *entry = covariance(row, other);
            }
        }
    }

    #[test]
    fn predictions_agree_with_dense_algebra_after_every_row() {
        let means: Vec<f64> = (0..20).map(|row| (row as f64 * 0.3).cos()).collect();
        let mut pool = PriorPool::new(
            Example {
                means: means.clone(),
            },
            0.05,
        );
        let mut observed: Vec<usize> = Vec::new();
        for row in [3, 17, 0, 11, 8, 4, 19] {
            observed.push(row);
            pool.observe(row);
            let count = observed.len();
            let values: Vec<f64> = observed.iter().map(|&row| 2.0 - 0.1 * row as f64).collect();
            // The offset of variance 1 is a constant in the covariance of the values.
            let inverse = Array2::from_shape_fn((count, count), |(i, j)| {
                let noise = if i == j { 0.05 } else { 0.0 };
                covariance(observed[i], observed[j]) + 1.0 + noise
            });
            let inverse = inverse.inv().unwrap();
            let residuals = observed.iter().zip(&values);
            let residuals: Array1<f64> = residuals.map(|(&row, z)| z - means[row]).collect();
            let found = pool.means(&values);
            let without_offset = Array2::from_shape_fn((count, count), |(i, j)| {
                let noise = if i == j { 0.05 } else { 0.0 };
                covariance(observed[i], observed[j]) + noise
            });
            let without_offset = without_offset.inv().unwrap();
            for row in 0..20 {
                let cross: Array1<f64> =
                    observed.iter().map(|&e| covariance(e, row) + 1.0).collect();
                let expected = means[row] + cross.dot(&inverse.dot(&residuals));
                assert!(
                    (found[row] - expected).abs() < 1e-9,
                    "{row}: {} {expected}",
                    found[row]
                );
                let cross = &cross - 1.0;
                let variance = covariance(row, row) - cross.dot(&without_offset.dot(&cross));
                assert!((pool.std_dev(row) - variance.sqrt()).abs() < 1e-9, "{row}");
            }
        }
    }
}
