//! The objective of the fit: the negative log marginal likelihood of the observations, with the priors' penalty, and
//! its gradient (Tighineanu et al. 2024, section 4).
//!
//! With weights w_i, means mu_i and covariances S_i of the sources at the observed rows, the own process's correlation C,
//! signal s and noise v, and an offset of the target whose prior is N(0, 1):
//!
//!   r = z - sum_i w_i mu_i,   K = sum_i w_i^2 S_i + s C + 1 1' + v I,
//!   L = 1/2 r' K^-1 r + 1/2 log |K| + n/2 log(2 pi),   G = alpha alpha' - K^-1,   alpha = K^-1 r,
//!   dL/dlog w_i = -w_i^2 trace(G S_i) - w_i alpha' mu_i,   dL/dp = -1/2 trace(G dK/dp) for all others.

use std::f64::consts::PI;

use crate::accumulation::accumulate;
use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::error::EngineError;
use crate::surrogate::kernel::Kernel;
use crate::surrogate::matern::correlation_and_slope;

/// The kernel of the target's own process.
pub(super) const OWN_KERNEL: Kernel = Kernel::Matern;

/// Mean and standard deviation of the logarithm of each hyperparameter of the own process.
const LENGTHSCALE: (f64, f64) = (0.5, 1.5);
const SIGNAL: (f64, f64) = (-2.0, 3.0);
const NOISE: (f64, f64) = (-8.0, 2.0);

/// The observed rows as the likelihood sees them. Entry (a, b), b <= a, of a symmetric matrix stands at
/// a (a + 1) / 2 + b.
#[derive(Default)]
pub(super) struct Observed {
    /// Transformed values.
    pub targets: Vec<f64>,
    /// By source, the mean of each row.
    pub means: Vec<Vec<f64>>,
    /// By source, the covariance of each two rows.
    pub covariances: Vec<Vec<f64>>,
    /// By coordinate, the squared difference of each two rows.
    pub squares: Vec<Vec<f64>>,
}

/// Weights and hyperparameters, from their logarithms in this order: a weight per source, a lengthscale per
/// coordinate, signal, noise.
pub(super) struct Values {
    pub weights: Vec<f64>,
    /// 1 / lengthscale^2.
    pub scales: Vec<f64>,
    pub signal: f64,
    pub noise: f64,
}

impl Values {
    pub(super) fn new(logarithms: &[f64], sources: usize) -> Self {
        let (weights, rest) = logarithms.split_at(sources);
        let (lengthscales, variances) = rest.split_at(rest.len() - 2);
        Self {
            weights: weights.iter().map(|&log| libm::exp(log)).collect(),
            scales: lengthscales
                .iter()
                .map(|log| libm::exp(-2.0 * log))
                .collect(),
            signal: libm::exp(variances[0]),
            noise: libm::exp(variances[1]),
        }
    }
}

/// The sum on the observed rows.
pub(super) struct Factorised {
    /// The Cholesky factor of K: lower triangle, in columns.
    pub factor: Vec<f64>,
    /// K^-1 r.
    pub alpha: Vec<f64>,
    /// L.
    pub value: f64,
    /// By pair, correlation and slope of the own process.
    own: Vec<(f64, f64)>,
}

impl Observed {
    /// Factorises K.
    ///
    /// # Errors
    /// [`EngineError::LinearAlgebra`] if K is not positive definite in floating point.
    pub(super) fn factorise(&self, values: &Values) -> Result<Factorised, EngineError> {
        let count = self.targets.len();
        let mut squared = vec![0.0; count * (count + 1) / 2];
        for (squares, scale) in self.squares.iter().zip(&values.scales) {
            accumulate(*scale, squares, &mut squared);
        }
        let own: Vec<(f64, f64)> = squared.into_iter().map(correlation_and_slope).collect();
        let own_part = own
            .iter()
            .map(|(correlation, _)| values.signal * correlation);
        let mut pairs: Vec<f64> = own_part.map(|entry| entry + 1.0).collect();
        for (covariances, weight) in self.covariances.iter().zip(&values.weights) {
            accumulate(weight * weight, covariances, &mut pairs);
        }
        let mut factor = vec![0.0; count * count];
        for row in 0..count {
            for column in 0..=row {
                factor[column * count + row] = pairs[row * (row + 1) / 2 + column];
            }
            factor[row * (count + 1)] += values.noise;
        }
        blas::cholesky(MatrixMut::square(&mut factor, count, count))?;
        let mut alpha = self.targets.clone();
        for (means, weight) in self.means.iter().zip(&values.weights) {
            accumulate(-weight, means, &mut alpha);
        }
        let matrix = MatrixRef::square(&factor, count, count);
        let mut solve = |system| {
            blas::solve_triangular(system, matrix, MatrixMut::new(&mut alpha, count, 1, count));
            alpha.iter().map(|entry| entry * entry).sum::<f64>()
        };
        let misfit = solve(Triangular::Lower);
        solve(Triangular::LowerTransposed);
        let diagonal = factor.iter().step_by(count + 1);
        let log_root: f64 = diagonal.map(|&entry| libm::log(entry)).sum();
        Ok(Factorised {
            value: 0.5 * misfit + log_root + 0.5 * count as f64 * libm::log(2.0 * PI),
            factor,
            alpha,
            own,
        })
    }

    /// L with the penalty of the priors; its gradient by the logarithms goes to `gradient`.
    ///
    /// # Errors
    /// Those of [`Self::factorise`].
    pub(super) fn evaluate(
        &self,
        logarithms: &[f64],
        gradient: &mut [f64],
    ) -> Result<f64, EngineError> {
        let values = Values::new(logarithms, self.means.len());
        let Factorised {
            factor: mut inverse,
            alpha,
            value,
            own,
        } = self.factorise(&values)?;
        let count = alpha.len();
        blas::invert_from_cholesky(MatrixMut::square(&mut inverse, count, count))?;
        // G, its off-diagonal entries doubled: the trace of a product is then the sum over the pairs.
        let mut pairs = Vec::with_capacity(own.len());
        let mut trace = 0.0;
        for row in 0..count {
            for column in 0..row {
                pairs.push(2.0 * (alpha[row] * alpha[column] - inverse[column * count + row]));
            }
            let diagonal = alpha[row] * alpha[row] - inverse[row * (count + 1)];
            pairs.push(diagonal);
            trace += diagonal;
        }
        let (by_weight, rest) = gradient.split_at_mut(self.means.len());
        let sources = self.means.iter().zip(&self.covariances);
        for ((slot, weight), (means, covariances)) in
            by_weight.iter_mut().zip(&values.weights).zip(sources)
        {
            *slot = -weight * weight * dot(&pairs, covariances) - weight * dot(&alpha, means);
        }
        let entries = pairs.iter().zip(&own);
        let signal_sum: f64 = entries
            .map(|(entry, (correlation, _))| entry * correlation)
            .sum();
        for (entry, (_, slope)) in pairs.iter_mut().zip(&own) {
            *entry *= slope;
        }
        let (by_lengthscale, by_variance) = rest.split_at_mut(values.scales.len());
        let coordinates = values.scales.iter().zip(&self.squares);
        for (slot, (scale, squares)) in by_lengthscale.iter_mut().zip(coordinates) {
            *slot = -0.5 * values.signal * scale * dot(&pairs, squares);
        }
        by_variance[0] = -0.5 * values.signal * signal_sum;
        by_variance[1] = -0.5 * values.noise * trace;
        Ok(value + penalty(logarithms, self.means.len(), gradient))
    }
}

/// -log prior up to a constant: Gamma(1, 1) of each weight, normal of the logarithm of each other. Its derivative by each logarithm is added to `gradient`.
fn penalty(logarithms: &[f64], sources: usize, gradient: &mut [f64]) -> f64 {
    let last = logarithms.len() - 1;
    let terms = logarithms.iter().zip(gradient).enumerate();
    let term = |(place, (&log, slope)): (usize, (&f64, &mut f64))| {
        if place < sources {
            let weight = libm::exp(log);
            *slope += weight;
            return weight;
        }
        let (mean, std_dev) = match last - place {
            0 => NOISE,
            1 => SIGNAL,
            _ => LENGTHSCALE,
        };
        let scaled = (log - mean) / std_dev;
        *slope += scaled / std_dev;
        0.5 * scaled * scaled
    };
    terms.map(term).sum()
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter()
        .zip(right)
        .map(|(left, right)| left * right)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_tests::dense::linear_algebra::{cholesky, dot, log_determinant, solve};

    const LOGARITHMS: [f64; 6] = [-1.2, 0.3, -0.8, 0.4, -1.5, -2.0];

    /// Seven points on two coordinates, and two sources.
    fn observed() -> Observed {
        let point = |row: usize| [(row as f64 * 0.37) % 1.0, (row as f64 * 0.61) % 1.0];
        let pairs = |entry: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..7)
                .flat_map(|a| (0..=a).map(move |b| (a, b)))
                .map(|(a, b)| entry(a, b))
                .collect()
        };
        let decaying = |rate: f64| {
            pairs(&|a, b| {
                let difference = (point(a)[0] - point(b)[0]) * rate;
                (-difference * difference).exp()
            })
        };
        let square = |k: usize| pairs(&|a, b| (point(a)[k] - point(b)[k]).powi(2));
        Observed {
            targets: (0..7).map(|row| (row as f64 * 1.3).sin()).collect(),
            means: vec![
                (0..7).map(|row| (row as f64 * 1.1).sin()).collect(),
                (0..7).map(|row| row as f64 * 0.1 - 0.4).collect(),
            ],
            covariances: vec![decaying(1.5), decaying(4.0)],
            squares: vec![square(0), square(1)],
        }
    }

    /// -log of the normal density and the priors, entry by entry.
    fn dense(observed: &Observed, logarithms: &[f64]) -> f64 {
        let values: Vec<f64> = logarithms.iter().map(|log| log.exp()).collect();
        let at = |entries: &[f64], a: usize, b: usize| {
            let (a, b) = (a.max(b), a.min(b));
            entries[a * (a + 1) / 2 + b]
        };
        let covariance = |a: usize, b: usize| {
            let squared = (0..2).map(|k| at(&observed.squares[k], a, b) / values[2 + k].powi(2));
            let r = (5.0 * squared.sum::<f64>()).sqrt();
            let own = values[4] * (1.0 + r + r * r / 3.0) * (-r).exp();
            let sources = (0..2).map(|i| values[i].powi(2) * at(&observed.covariances[i], a, b));
            own + sources.sum::<f64>() + 1.0 + if a == b { values[5] } else { 0.0 }
        };
        let matrix = (0..7)
            .map(|a| (0..7).map(|b| covariance(a, b)).collect())
            .collect();
        let factor = cholesky(&matrix);
        let residual = |row: usize| {
            let sources = (0..2).map(|i| values[i] * observed.means[i][row]);
            observed.targets[row] - sources.sum::<f64>()
        };
        let residuals: Vec<f64> = (0..7).map(residual).collect();
        let log_normal = |log: f64, mean: f64, std_dev: f64| 0.5 * ((log - mean) / std_dev).powi(2);
        0.5 * dot(&residuals, &solve(&factor, &residuals))
            + 0.5 * log_determinant(&factor)
            + 3.5 * (2.0 * PI).ln()
            + values[0]
            + values[1]
            + log_normal(logarithms[2], 0.5, 1.5)
            + log_normal(logarithms[3], 0.5, 1.5)
            + log_normal(logarithms[4], -2.0, 3.0)
            + log_normal(logarithms[5], -8.0, 2.0)
    }

    #[test]
    fn value_and_gradient_agree_with_the_dense_formula() {
        let observed = observed();
        let mut gradient = [0.0; 6];
        let found = observed.evaluate(&LOGARITHMS, &mut gradient).unwrap();
        assert!(
            (found - dense(&observed, &LOGARITHMS)).abs() < 1e-10,
            "{found}"
        );
        for (place, slope) in gradient.iter().enumerate() {
            let shifted = |step: f64| {
                let mut logarithms = LOGARITHMS;
                logarithms[place] += step;
                dense(&observed, &logarithms)
            };
            let expected = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
            assert!(
                (slope - expected).abs() < 1e-6,
                "{place}: {slope} {expected}"
            );
        }
    }
}
