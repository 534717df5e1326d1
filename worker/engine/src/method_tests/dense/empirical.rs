//! `empirical-gp` and `empirical-gcp`: a Gaussian process whose prior is the moments of the sources' predictions (Wang,
//! Kim and Kaelbling 2018, section 4.1) and a kernel.

use std::f64::consts::PI;
use std::sync::Arc;

use super::comparison::{Case, assert_greatest};
use super::gaussian_process::{Kernel, Process};
use super::linear_algebra::{cholesky, dot, log_determinant, solve, solve_lower};
use super::normal::log_expected_improvement;
use super::pooled_kernel::{fitted, sampled_rows};
use super::transfer_acquisition::source_processes;
use super::transform::{Transform, gaussian_quantiles, standardised};
use crate::blobs::MemoryBlobs;
use crate::method_tests::example::fits_in;
use crate::surrogate::kernel;

/// Mean of functions at a point, and their covariance between two, dividing by their number.
struct Moments<'a> {
    functions: Vec<&'a Process>,
    kernel: &'a Kernel,
    signal: f64,
}

impl Moments<'_> {
    fn mean(&self, point: &[f64]) -> f64 {
        let functions = self.functions.iter();
        functions.map(|function| function.mean(point)).sum::<f64>() / self.functions.len() as f64
    }

    fn covariance(&self, left: &[f64], right: &[f64]) -> f64 {
        let (of_left, of_right) = (self.mean(left), self.mean(right));
        let products = self.functions.iter();
        let products = products
            .map(|function| (function.mean(left) - of_left) * (function.mean(right) - of_right));
        let correlation = self.kernel.covariance(left, right) / self.kernel.signal;
        products.sum::<f64>() / self.functions.len() as f64 + self.signal * correlation
    }

    fn covariances(&self, points: &[Vec<f64>], noise: f64) -> Vec<Vec<f64>> {
        let row = |a: usize| {
            let entry = |b: usize| {
                let noise = if a == b { noise } else { 0.0 };
                self.covariance(&points[a], &points[b]) + noise
            };
            (0..points.len()).map(entry).collect()
        };
        (0..points.len()).map(row).collect()
    }
}

/// Signal and noise under which 20 rows of each source are most likely, the others' moments being the prior.
fn own_variances(
    case: &Case,
    transform: Transform,
    sampled: &[(Vec<Vec<f64>>, Vec<usize>)],
    processes: &[Process],
    kernel: &Kernel,
) -> (f64, f64) {
    let mut best = (f64::NEG_INFINITY, (0.0, 0.0));
    for signal in [0.03, 0.1, 0.2, 0.3, 0.5, 1.0] {
        for noise in [0.003, 0.01, 0.05, 0.1] {
            let mut sum = 0.0;
            for (left_out, source) in case.sources().into_iter().enumerate() {
                let others = (0..processes.len()).filter(|&number| number != left_out);
                let moments = Moments {
                    functions: others.map(|number| &processes[number]).collect(),
                    kernel,
                    signal,
                };
                let (points, rows) = &sampled[left_out];
                let (points, rows) = (&points[..20], &rows[..20]);
                let z = transform(&source.objective);
                let residuals: Vec<f64> = rows
                    .iter()
                    .zip(points)
                    .map(|(&row, point)| z[row] - moments.mean(point))
                    .collect();
                let factor = cholesky(&moments.covariances(points, noise));
                sum -= 0.5 * dot(&residuals, &solve(&factor, &residuals))
                    + 0.5 * log_determinant(&factor)
                    + 10.0 * (2.0 * PI).ln();
            }
            if sum > best.0 {
                best = (sum, (signal, noise));
            }
        }
    }
    best.1
}

#[test]
fn empirical_processes_improve_under_the_moments_of_the_sources() {
    for (method, transform) in [
        ("empirical-gp", standardised as Transform),
        ("empirical-gcp", gaussian_quantiles),
    ] {
        let case = Case::of(method, 25);
        let blobs = Arc::new(MemoryBlobs::default());
        let fits = fits_in(blobs.clone());
        // Makes the fits, which the second run finds.
        let rows = case.run(&fits, method, &[], |_, _| ());
        let processes = source_processes(&case, transform, kernel::Kernel::Matern);
        let sampled = sampled_rows(&case, &fits, 100);
        let targets = case
            .sources()
            .into_iter()
            .zip(&sampled)
            .map(|(source, (_, rows))| {
                let z = transform(&source.objective);
                rows.iter().map(|&row| z[row]).collect()
            });
        let kernel = fitted(&case, &blobs, &fits, &targets.collect::<Vec<_>>());
        let (signal, noise) = own_variances(&case, transform, &sampled, &processes, &kernel);
        let prior = Moments {
            functions: processes.iter().collect(),
            kernel: &kernel,
            signal,
        };
        let points = case.points(case.target());
        let again = case.run(&fits, method, &[], |observations, chosen| {
            if observations.rows.is_empty() {
                return assert_greatest(observations, chosen, 1e-4, method, |row| {
                    -prior.mean(&points[row])
                });
            }
            if observations.rows.len() % 6 != 1 {
                return;
            }
            let seen: Vec<Vec<f64>> = observations
                .rows
                .iter()
                .map(|&row| points[row as usize].clone())
                .collect();
            let z = match observations.values.len() {
                1 => vec![0.0],
                _ => transform(&observations.values),
            };
            let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
            let factor = cholesky(&prior.covariances(&seen, noise));
            let residuals: Vec<f64> = seen
                .iter()
                .zip(&z)
                .map(|(point, z)| z - prior.mean(point))
                .collect();
            // The target's offset has the prior N(0, 1).
            let ones = vec![1.0; seen.len()];
            let shift = dot(&ones, &solve(&factor, &residuals))
                / (dot(&ones, &solve(&factor, &ones)) + 1.0);
            let shifted: Vec<f64> = residuals.iter().map(|residual| residual - shift).collect();
            let weights = solve(&factor, &shifted);
            assert_greatest(observations, chosen, 2e-3, method, |row| {
                let point = &points[row];
                let cross: Vec<f64> = seen
                    .iter()
                    .map(|other| prior.covariance(other, point))
                    .collect();
                let half = solve_lower(&factor, &cross);
                let std_dev = (prior.covariance(point, point) - dot(&half, &half)).sqrt();
                let mean = prior.mean(point) + shift + dot(&cross, &weights);
                log_expected_improvement(mean, std_dev, incumbent)
            });
        });
        assert_eq!(again, rows);
    }
}
