//! Each choice beside the equations of the paper, with the network that was trained.

use super::*;
use crate::method_tests::dense::comparison::{Case, assert_greatest};
use crate::method_tests::dense::gaussian_process::{Kernel, Process, matern};
use crate::method_tests::dense::network;
use crate::method_tests::dense::normal::log_expected_improvement;
use crate::method_tests::dense::transform::standardised;
use crate::method_tests::example::new_fits;
use crate::methods::fsbo::deep_kernel::HYPERPARAMETERS;
use crate::methods::fsbo::meta_training::trained;

#[test]
fn each_row_improves_most_under_the_process_on_the_fine_tuned_features() {
    let case = Case::of("fsbo", 20);
    let fits = new_fits();
    let setting = case.setting(&fits);
    let transform = Transform::Standardisation;
    let kernel = trained(&setting, transform).unwrap();
    let predictions: Vec<f64> = (0..setting.rows()).map(|row| (row % 7) as f64).collect();
    let first = LeastPrediction::new(&setting, predictions);
    let mut search = DeepKernelSearch::new(&setting, first, kernel, transform);
    let points = case.points(case.target());
    let mut observations = Observations::new(setting.rows());
    for _ in 0..setting.iterations {
        let row = search.choose(&observations).unwrap();
        if observations.rows.is_empty() {
            assert_eq!(row % 7, 0);
        } else {
            let z = standardised(&observations.values);
            let tuned = search.tune(&observations.rows, &z).unwrap();
            let weights: Vec<f64> = tuned
                .parameters
                .iter()
                .map(|&weight| weight.into())
                .collect();
            let (weights, _) = weights.split_at(weights.len() - HYPERPARAMETERS);
            let features: Vec<Vec<f64>> = points
                .iter()
                .map(|point| network::outputs(weights, point, &[32; 4], 1, |x| x.max(0.0)))
                .collect();
            let [lengthscale, signal, noise] = tuned.hyperparameters();
            let logarithms = [vec![lengthscale; FEATURES], vec![signal, noise]].concat();
            let seen: Vec<Vec<f64>> = observations
                .rows
                .iter()
                .map(|&row| features[row as usize].clone())
                .collect();
            let process = Process::new(Kernel::from_logarithms(matern, &logarithms), &seen, &z);
            let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
            assert_greatest(&observations, row, 5e-3, "fsbo", |row| {
                let point = &features[row];
                log_expected_improvement(process.mean(point), process.std_dev(point), incumbent)
            });
        }
        observations.record(row, case.target().objective[row as usize]);
    }
}

#[test]
fn training_and_tuning_make_the_values_more_likely() {
    let case = Case::of("fsbo", 20);
    let fits = new_fits();
    let setting = case.setting(&fits);
    let kernel = trained(&setting, Transform::Standardisation).unwrap();
    let mut random = setting.random(crate::random::StreamName::new("fsbo", "test"));
    let untrained = DeepKernel::new(setting.space().width(), &mut random);
    let mut gradient = vec![0.0; kernel.parameters.len()];
    let mut of_source = |kernel: &DeepKernel| {
        let losses = case.sources().into_iter().map(|source| {
            let inputs = setting.space().encode_single(&source.columns, 0..40);
            let z = standardised(&source.objective);
            kernel.loss(&inputs, &z[..40], &mut gradient).unwrap()
        });
        losses.sum::<f64>() / case.sources().len() as f64
    };
    let (before, after) = (of_source(&untrained), of_source(&kernel));
    assert!(after < before - 0.2, "{before} {after}");

    let first = LeastPrediction::new(&setting, vec![0.0; setting.rows()]);
    let parameters = kernel.parameters.clone();
    let search = DeepKernelSearch::new(&setting, first, kernel, Transform::Standardisation);
    let rows: Vec<u32> = (0..30).collect();
    let z = standardised(&case.target().objective[..30]);
    let inputs = &search.inputs[..30 * search.width];
    let tuned = search.tune(&rows, &z).unwrap();
    let trained = DeepKernel::with_parameters(search.width, parameters);
    let mut loss = |kernel: &DeepKernel| kernel.loss(inputs, &z, &mut gradient).unwrap();
    assert!(loss(&tuned) < loss(&trained));
}
