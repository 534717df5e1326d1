//! A Gaussian process with constant mean, Matern-5/2 or squared exponential kernel and noise (Rasmussen and Williams 2006,
//! chapters 2 and 5; the mean is the generalised least squares estimate, eq. 2.45).

use std::f64::consts::PI;

use super::linear_algebra::{Matrix, cholesky, dot, log_determinant, solve, solve_lower};

/// A correlation as a function of the squared distance in lengthscales.
pub(crate) type Correlation = fn(f64) -> f64;

/// (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r) (eq. 4.17).
pub(crate) fn matern(squared: f64) -> f64 {
    let root = 5f64.sqrt() * squared.sqrt();
    (1.0 + root + 5.0 / 3.0 * squared) * (-root).exp()
}

/// exp(-r^2 / 2) (eq. 4.9).
pub(crate) fn squared_exponential(squared: f64) -> f64 {
    (-0.5 * squared).exp()
}

/// Lengthscales by coordinate, signal and noise variance.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    pub correlation: Correlation,
    pub lengthscales: Vec<f64>,
    pub signal: f64,
    pub noise: f64,
}

/// A process given its observations.
pub(crate) struct Process {
    kernel: Kernel,
    points: Matrix,
    factor: Matrix,
    mean: f64,
    /// K^-1 (z - m).
    solved: Vec<f64>,
    /// (z - m)' K^-1 (z - m).
    misfit: f64,
}

impl Kernel {
    pub(crate) fn from_logarithms(correlation: Correlation, logarithms: &[f64]) -> Self {
        let values: Vec<f64> = logarithms.iter().map(|logarithm| logarithm.exp()).collect();
        let (lengthscales, variances) = values.split_at(values.len() - 2);
        Self {
            correlation,
            lengthscales: lengthscales.to_vec(),
            signal: variances[0],
            noise: variances[1],
        }
    }

    /// The signal variance times the correlation.
    pub(crate) fn covariance(&self, left: &[f64], right: &[f64]) -> f64 {
        let coordinates = left.iter().zip(right).zip(&self.lengthscales);
        let squared: f64 = coordinates
            .map(|((a, b), lengthscale)| ((a - b) / lengthscale).powi(2))
            .sum();
        self.signal * (self.correlation)(squared)
    }
}

impl Process {
    pub(crate) fn new(kernel: Kernel, points: &[Vec<f64>], targets: &[f64]) -> Self {
        let mut covariance: Matrix = points
            .iter()
            .map(|left| {
                points
                    .iter()
                    .map(|right| kernel.covariance(left, right))
                    .collect()
            })
            .collect();
        for (place, row) in covariance.iter_mut().enumerate() {
            row[place] += kernel.noise;
        }
        let factor = cholesky(&covariance);
        let ones = vec![1.0; targets.len()];
        let mean = dot(&ones, &solve(&factor, targets)) / dot(&ones, &solve(&factor, &ones));
        let centred: Vec<f64> = targets.iter().map(|target| target - mean).collect();
        let solved = solve(&factor, &centred);
        Self {
            points: points.to_vec(),
            misfit: dot(&centred, &solved),
            kernel,
            factor,
            mean,
            solved,
        }
    }

    fn covariances(&self, point: &[f64]) -> Vec<f64> {
        let observed = self.points.iter();
        observed
            .map(|other| self.kernel.covariance(other, point))
            .collect()
    }

    /// m + k' K^-1 (z - m) (eq. 2.25).
    pub(crate) fn mean(&self, point: &[f64]) -> f64 {
        self.mean + dot(&self.covariances(point), &self.solved)
    }

    /// The root of s - k' K^-1 k (eq. 2.26).
    pub(crate) fn std_dev(&self, point: &[f64]) -> f64 {
        let half = solve_lower(&self.factor, &self.covariances(point));
        (self.kernel.signal - dot(&half, &half)).sqrt()
    }

    /// k(x, x') - k' K^-1 k' (eq. 2.24).
    pub(crate) fn covariance(&self, left: &[f64], right: &[f64]) -> f64 {
        let half = |point| solve_lower(&self.factor, &self.covariances(point));
        self.kernel.covariance(left, right) - dot(&half(left), &half(right))
    }

    /// What the process predicts for each of its points from all others, with the mean of all.
    pub(crate) fn left_out_means(&self, targets: &[f64]) -> Vec<f64> {
        let without = |left_out: usize, entries: &[f64]| -> Vec<f64> {
            let places = (0..entries.len()).filter(|&place| place != left_out);
            places.map(|place| entries[place]).collect()
        };
        let mean = |left_out: usize| {
            let others: Matrix = (0..self.points.len())
                .filter(|&place| place != left_out)
                .map(|place| self.points[place].clone())
                .collect();
            let covariance: Matrix = others
                .iter()
                .enumerate()
                .map(|(row, left)| {
                    let entries = others.iter().enumerate();
                    let entry = |(column, right): (usize, &Vec<f64>)| {
                        let noise = if row == column {
                            self.kernel.noise
                        } else {
                            0.0
                        };
                        self.kernel.covariance(left, right) + noise
                    };
                    entries.map(entry).collect()
                })
                .collect();
            let centred: Vec<f64> = targets.iter().map(|target| target - self.mean).collect();
            let solved = solve(&cholesky(&covariance), &without(left_out, &centred));
            let cross = self.covariances(&self.points[left_out]);
            self.mean + dot(&without(left_out, &cross), &solved)
        };
        (0..self.points.len()).map(mean).collect()
    }

    /// Eq. 2.30 with the opposite sign.
    pub(crate) fn negative_log_likelihood(&self) -> f64 {
        let count = self.points.len() as f64;
        0.5 * self.misfit + 0.5 * log_determinant(&self.factor) + 0.5 * count * (2.0 * PI).ln()
    }
}

/// -log density of the Gamma distribution without its constant.
fn gamma_penalty(x: f64, shape: f64, rate: f64) -> f64 {
    rate * x - (shape - 1.0) * x.ln()
}

/// The penalties of the Gamma priors, whose shapes and rates are documented beside the product's.
pub(crate) fn penalty(logarithms: &[f64], one_hot: &[bool]) -> f64 {
    let kernel = Kernel::from_logarithms(matern, logarithms);
    let lengthscales = kernel.lengthscales.iter().zip(one_hot);
    let of_lengthscales = lengthscales.map(|(&lengthscale, &one_hot)| match one_hot {
        true => gamma_penalty(lengthscale, 3.0, 0.6),
        false => gamma_penalty(lengthscale, 3.0, 6.0),
    });
    of_lengthscales.sum::<f64>()
        + gamma_penalty(kernel.signal, 2.0, 0.15)
        + gamma_penalty(kernel.noise, 1.1, 0.05)
}

/// What a fit minimises: the negative log likelihood and the penalties.
fn objective(
    correlation: Correlation,
    logarithms: &[f64],
    one_hot: &[bool],
    points: &[Vec<f64>],
    targets: &[f64],
) -> f64 {
    let kernel = Kernel::from_logarithms(correlation, logarithms);
    let likelihood = Process::new(kernel, points, targets).negative_log_likelihood();
    likelihood + penalty(logarithms, one_hot)
}

/// Fails if the objective falls noticeably where one hyperparameter is moved within its bounds.
pub(crate) fn assert_optimal(
    correlation: Correlation,
    logarithms: &[f64],
    one_hot: &[bool],
    points: &[Vec<f64>],
    targets: &[f64],
) {
    let width = one_hot.len();
    let least = objective(correlation, logarithms, one_hot, points, targets);
    for place in 0..logarithms.len() {
        let (lower, upper): (f64, f64) = if place == width + 1 {
            (1e-4, 1.0)
        } else {
            (1e-3, 100.0)
        };
        for step in [-0.2, -0.05, 0.05, 0.2] {
            let mut moved = logarithms.to_vec();
            moved[place] = (moved[place] + step).clamp(lower.ln(), upper.ln());
            let value = objective(correlation, &moved, one_hot, points, targets);
            assert!(
                value > least - 2e-3,
                "the objective is {least}, and {value} where number {place} of {logarithms:?} is \
                 moved by {step}"
            );
        }
    }
}
