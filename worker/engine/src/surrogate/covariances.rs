//! Covariances of a Gaussian process between points that are not observed.

use super::gaussian_process::GaussianProcess;
use crate::blas::{self, MatrixMut, Triangular};

impl GaussianProcess {
    /// The covariance under the last fit, without observation noise, of the values at each of the `left` points with each of
    /// the `right` ones: k(x, u) - k(x)' K^-1 k(u). Points lie one after the other, and so do the covariances of a left one.
    pub(crate) fn covariances(&self, left: &[f64], right: &[f64]) -> Vec<f64> {
        let width = self.posterior().weights.len();
        let explained = [left, right].map(|points| self.solved(points));
        let count = self.count();
        let (lefts, rights) = (left.len() / width, right.len() / width);
        let mut covariances = vec![0.0; lefts * rights];
        let rows = left
            .chunks_exact(width)
            .zip(covariances.chunks_exact_mut(rights));
        for (place, (point, row)) in rows.enumerate() {
            self.kernel(point, right, row);
            for (other, covariance) in row.iter_mut().enumerate() {
                let products = (0..count).map(|observed| {
                    explained[0][observed * lefts + place] * explained[1][observed * rights + other]
                });
                *covariance -= products.sum::<f64>();
            }
        }
        covariances
    }

    /// L^-1 k(x) of each of the points, which lie side by side: the factor of K is L L'.
    fn solved(&self, points: &[f64]) -> Vec<f64> {
        let width = self.posterior().weights.len();
        let rows = points.len() / width;
        let mut solved = vec![0.0; rows * self.count()];
        let observed = self.points().chunks_exact(width);
        for (point, column) in observed.zip(solved.chunks_exact_mut(rows)) {
            self.kernel(point, points, column);
        }
        let right = MatrixMut::new(&mut solved, rows, self.count(), rows);
        blas::solve_triangular(Triangular::Rows, self.factor(), right);
        solved
    }

    /// The kernel between a point and each of the `others`.
    fn kernel(&self, point: &[f64], others: &[f64], entries: &mut [f64]) {
        let posterior = self.posterior();
        for (other, entry) in others.chunks_exact(point.len()).zip(&mut *entries) {
            let differences = point.iter().zip(other).zip(&posterior.weights);
            *entry = differences
                .map(|((a, b), weight)| weight * (a - b) * (a - b))
                .sum();
        }
        posterior.kernel.covariances(posterior.signal, entries);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surrogate::candidates::CandidatePool;
    use crate::surrogate::hyperparameters::Hyperprior;
    use crate::table::encoding::{Column, Space};

    #[test]
    fn a_covariance_is_what_an_observation_takes_off_a_variance() {
        let space = Space::numeric(1);
        let place = |number: usize| (number * number % 17) as f64 / 17.0;
        let rows: Vec<f64> = (0..9).map(place).collect();
        let mut process = GaussianProcess::new(&space, 6, Hyperprior::Gamma);
        let observed = [0.05, 0.2, 0.33, 0.61, 0.7, 0.97];
        observed.iter().for_each(|x| process.observe(&[*x]));
        process.fit(&[0.3, -0.4, -1.1, 0.2, 0.9, 0.1]).unwrap();
        let columns = [Column::Numeric(rows.clone())];
        let mut pool = CandidatePool::new(&space, &columns, (0..9).collect());
        let posterior = process.posterior();
        let std_devs = pool.std_devs(posterior, process.points()).unwrap();
        let covariances = process.covariances(&rows, &rows);
        for (left, x) in rows.iter().enumerate() {
            let own = covariances[left * 9 + left];
            assert!((own - std_devs[left].powi(2)).abs() < 1e-9, "{own}");
            let with_it: Vec<f64> = observed.iter().chain([x]).copied().collect();
            let after = pool.std_devs(posterior, &with_it).unwrap();
            for right in 0..9 {
                let covariance = covariances[left * 9 + right];
                let taken = covariance.powi(2) / (own + posterior.noise);
                let expected = std_devs[right].powi(2) - after[right].powi(2);
                assert!((taken - expected).abs() < 1e-9, "{taken} {expected}");
                assert!((covariance - covariances[right * 9 + left]).abs() < 1e-12);
            }
        }
    }
}
