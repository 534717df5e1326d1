//! `hyperbo`: a process with a mean and a kernel that the sources taught (Wang et al. 2024, section 4.2); `hyperbo-plus`:
//! expected improvement under a process whose hyperparameters have priors that they taught (Fan et al. 2022).

use std::sync::Arc;

use super::comparison::{Case, assert_greatest};
use super::gaussian_process::Kernel;
use super::linear_algebra::{cholesky, dot, solve, solve_lower};
use super::normal::log_expected_improvement;
use super::pooled_kernel::{fitted, sampled_rows};
use super::prior_methods::{fitted_weights, prediction};
use super::transform::standardised;
use crate::blobs::MemoryBlobs;
use crate::method_tests::example::fits_in;

#[test]
fn hyperbo_improves_under_the_mean_and_the_kernel_of_the_sources() {
    for mean in ["network", "constant"] {
        let case = Case::of("hyperbo", 25);
        let blobs = Arc::new(MemoryBlobs::default());
        let fits = fits_in(blobs.clone());
        let parameters = [("mean", mean)];
        let rows = case.run(&fits, "hyperbo", &parameters, |_, _| ());
        let prior = |point: &[f64]| match mean {
            "network" => prediction(&fitted_weights(&blobs), point).0,
            _ => 0.0,
        };
        let sampled = sampled_rows(&case, &fits, 100);
        let targets = case
            .sources()
            .into_iter()
            .zip(&sampled)
            .map(|(source, (points, rows))| {
                let z = standardised(&source.objective);
                let pairs = rows.iter().zip(points);
                pairs.map(|(&row, point)| z[row] - prior(point)).collect()
            });
        let kernel = fitted(&case, &blobs, &fits, &targets.collect::<Vec<_>>());
        assert_improves(&case, &fits, &parameters, &kernel, prior);
        if mean == "constant" {
            assert_eq!(rows[0], case.random_order(&fits)[0]);
        }
    }
}

/// Holds the choices to expected improvement under a mean, a kernel and an offset whose prior is N(0, 1).
fn assert_improves(
    case: &Case,
    fits: &crate::fits::SharedFits,
    parameters: &[(&str, &str)],
    kernel: &Kernel,
    prior: impl Fn(&[f64]) -> f64,
) {
    let points = case.points(case.target());
    let means: Vec<f64> = points.iter().map(|point| prior(point)).collect();
    case.run(fits, "hyperbo", parameters, |observations, chosen| {
        let rows: Vec<usize> = observations.rows.iter().map(|&row| row as usize).collect();
        if rows.is_empty() {
            // With a constant mean all rows are alike.
            return assert_greatest(observations, chosen, 1e-4, "hyperbo", |row| -means[row]);
        }
        let matrix = rows.iter().map(|&a| {
            let entry = |&b: &usize| {
                let noise = if a == b { kernel.noise } else { 0.0 };
                kernel.covariance(&points[a], &points[b]) + noise
            };
            rows.iter().map(entry).collect()
        });
        let factor = cholesky(&matrix.collect());
        let z = standardised(&observations.values);
        let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
        let residuals: Vec<f64> = rows
            .iter()
            .zip(&z)
            .map(|(&row, z)| z - means[row])
            .collect();
        let ones = vec![1.0; rows.len()];
        let shift =
            dot(&ones, &solve(&factor, &residuals)) / (dot(&ones, &solve(&factor, &ones)) + 1.0);
        let shifted: Vec<f64> = residuals.iter().map(|residual| residual - shift).collect();
        let weights = solve(&factor, &shifted);
        assert_greatest(observations, chosen, 2e-3, "hyperbo", |row| {
            let cross = rows
                .iter()
                .map(|&other| kernel.covariance(&points[other], &points[row]));
            let cross: Vec<f64> = cross.collect();
            let half = solve_lower(&factor, &cross);
            let std_dev = (kernel.signal - dot(&half, &half)).sqrt();
            let mean = means[row] + shift + dot(&cross, &weights);
            log_expected_improvement(mean, std_dev, incumbent)
        });
    });
}

#[test]
fn hyperbo_plus_begins_as_gp_does_and_goes_on_otherwise() {
    let case = Case::of("hyperbo-plus", 25);
    let fits = fits_in(Arc::new(MemoryBlobs::default()));
    let learned = case.run(&fits, "hyperbo-plus", &[], |_, _| ());
    let plain = case.run(&fits, "gp", &[], |_, _| ());
    assert_eq!(learned[..5], plain[..5]);
    assert_ne!(learned[5..], plain[5..]);
}
