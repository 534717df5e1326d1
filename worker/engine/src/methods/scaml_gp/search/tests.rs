//! Each choice beside the equations of the paper, with the weights and hyperparameters that were fitted.

use super::*;
use crate::method_tests::dense::comparison::{Case, assert_greatest};
use crate::method_tests::dense::gaussian_process::{Kernel, matern};
use crate::method_tests::dense::linear_algebra::{cholesky, dot, solve, solve_lower};
use crate::method_tests::dense::normal::log_expected_improvement;
use crate::method_tests::dense::transfer_acquisition::source_processes;
use crate::method_tests::dense::transform::standardised;
use crate::method_tests::example::new_fits;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel;

#[test]
fn each_row_improves_most_on_the_weighted_sum_of_the_processes() {
    let case = Case::of("scaml-gp", 30);
    let fits = new_fits();
    let setting = case.setting(&fits);
    let model = SourceModel {
        transform: Transform::Standardisation,
        hyperprior: Hyperprior::Gamma,
        kernel: kernel::Kernel::Matern,
    };
    let mut search = ScamlSearch::new(&setting, model).unwrap();
    let sources = source_processes(&case, standardised, kernel::Kernel::Matern);
    let points = case.points(case.target());
    let mut observations = Observations::new(setting.rows());
    for _ in 0..setting.iterations {
        let row = search.choose(&observations).unwrap();
        let seen = &observations.rows;
        if seen.is_empty() {
            assert_greatest(&observations, row, 1e-4, "scaml-gp", |row| {
                -sources
                    .iter()
                    .map(|source| source.mean(&points[row]))
                    .sum::<f64>()
            });
        } else if seen.len() % 7 == 1 {
            let logarithms = search.model.logarithms();
            let (weights, own) = logarithms.split_at(sources.len());
            let weights: Vec<f64> = weights.iter().map(|log| log.exp()).collect();
            let own = Kernel::from_logarithms(matern, own);
            let covariance = |a: usize, b: usize| {
                let of_sources = sources.iter().zip(&weights);
                let of_sources =
                    of_sources.map(|(source, w)| w * w * source.covariance(&points[a], &points[b]));
                of_sources.sum::<f64>() + own.covariance(&points[a], &points[b]) + 1.0
            };
            let mean = |row: usize| {
                let of_sources = sources.iter().zip(&weights);
                of_sources
                    .map(|(source, w)| w * source.mean(&points[row]))
                    .sum::<f64>()
            };
            let rows: Vec<usize> = seen.iter().map(|&row| row as usize).collect();
            let matrix = rows.iter().enumerate().map(|(place, &a)| {
                let entries = rows.iter().enumerate();
                let noise = |other| if place == other { own.noise } else { 0.0 };
                entries
                    .map(|(other, &b)| covariance(a, b) + noise(other))
                    .collect()
            });
            let factor = cholesky(&matrix.collect());
            let z = standardised(&observations.values);
            let residuals: Vec<f64> = rows.iter().zip(&z).map(|(&row, z)| z - mean(row)).collect();
            let alpha = solve(&factor, &residuals);
            let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
            assert_greatest(&observations, row, 2e-3, "scaml-gp", |row| {
                let cross: Vec<f64> = rows.iter().map(|&other| covariance(other, row)).collect();
                let half = solve_lower(&factor, &cross);
                let std_dev = (covariance(row, row) - dot(&half, &half)).sqrt();
                log_expected_improvement(mean(row) + dot(&cross, &alpha), std_dev, incumbent)
            });
        }
        observations.record(row, case.target().objective[row as usize]);
    }
}
