//! `stacked-gp`: processes on each other's residuals (Golovin et al. 2017, section 3.3).

use super::comparison::Case;
use super::gaussian_process::{Kernel, Process, assert_optimal, matern};
use super::gaussian_process_methods::{Model, assert_improves};
use super::transform::standardised;
use crate::method_tests::example::new_fits;
use crate::random::StreamName;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;

#[test]
fn stacked_gp_improves_on_the_sum_of_the_sources_processes_on_residuals() {
    let case = Case::of("stacked-gp", 30);
    let fits = new_fits();
    let mut stack: Vec<Process> = Vec::new();
    let sum = |stack: &[Process], point: &[f64]| -> f64 {
        stack.iter().map(|process| process.mean(point)).sum()
    };
    for source in case.sources() {
        let name = StreamName::new("sources", "sample of rows");
        let order = case.setting(&fits).random_of_task(name, source);
        let order = { order }.permutation(source.rows() as u32);
        let z = standardised(&source.objective);
        let points: Vec<Vec<f64>> = order
            .iter()
            .map(|&row| case.point(source, row as usize))
            .collect();
        let residuals: Vec<f64> = order
            .iter()
            .zip(&points)
            .map(|(&row, point)| z[row as usize] - sum(&stack, point))
            .collect();
        let mut fitted = GaussianProcess::new(&case.table.space, points.len(), Hyperprior::Gamma);
        points.iter().for_each(|point| fitted.observe(point));
        fitted.fit(&residuals).unwrap();
        let logarithms = fitted.logarithms();
        assert_optimal(matern, logarithms, &case.one_hot(), &points, &residuals);
        let kernel = Kernel::from_logarithms(matern, logarithms);
        stack.push(Process::new(kernel, &points, &residuals));
    }
    let points = case.points(case.target());
    let prior: Vec<(f64, f64)> = points
        .iter()
        .map(|point| (sum(&stack, point), 1.0))
        .collect();
    let least = prior
        .iter()
        .map(|(mean, _)| *mean)
        .fold(f64::INFINITY, f64::min);
    let model = Model {
        prior: Some(prior.clone()),
        initial: 1,
        // The product keeps the stack in single precision, and fits each level to the levels below as kept.
        tolerance: 2e-2,
        ..Model::new(&case, standardised)
    };
    let rows = assert_improves(&fits, "stacked-gp", &model, |_| true);
    assert!(prior[rows[0] as usize].0 < least + 1e-3);
}
