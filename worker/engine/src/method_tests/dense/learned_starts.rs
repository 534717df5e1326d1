//! `i-gp-init` and `i-rf-init`: first rows that the sources choose (Wistuba, Schilling and Schmidt-Thieme 2015, Learning
//! hyperparameter optimization initializations).

use super::comparison::{Case, assert_greatest};
use super::gaussian_process_methods::{Model, assert_improves};
use super::transfer_acquisition::source_processes;
use super::transform::standardised;
use crate::method_tests::example::new_fits;
use crate::surrogate::kernel::Kernel;

#[test]
fn the_first_rows_most_lower_the_mean_of_the_least_scaled_predictions() {
    for method in ["i-gp-init", "i-rf-init"] {
        let case = Case::of(method, 6);
        let points = case.points(case.target());
        let processes = source_processes(&case, standardised, Kernel::SquaredExponential);
        let losses = processes.iter().map(|process| {
            let means: Vec<f64> = points.iter().map(|point| process.mean(point)).collect();
            let least = means.iter().copied().fold(f64::INFINITY, f64::min);
            let greatest = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let scaled = means.iter().map(|mean| (mean - least) / (greatest - least));
            scaled.collect::<Vec<f64>>()
        });
        let losses: Vec<Vec<f64>> = losses.collect();
        case.run(&new_fits(), method, &[], |observations, chosen| {
            if observations.rows.len() >= 5 {
                return;
            }
            assert_greatest(observations, chosen, 1e-4, method, |row| {
                let taken = observations.rows.iter().map(|&row| row as usize);
                let rows: Vec<usize> = taken.chain([row]).collect();
                let least = losses.iter().map(|losses| {
                    let of_rows = rows.iter().map(|&row| losses[row]);
                    of_rows.fold(f64::INFINITY, f64::min)
                });
                -least.sum::<f64>()
            });
        });
    }
}

#[test]
fn after_them_i_gp_init_improves_as_i_gp() {
    let case = Case::of("i-gp-init", 30);
    let model = Model {
        kernel: Kernel::SquaredExponential,
        ..Model::new(&case, standardised)
    };
    assert_improves(&new_fits(), "i-gp-init", &model, |_| true);
}
