//! `sgpt` and `sgpt-copula`: the transfer acquisition function TAF-R (Wistuba, Schilling and
//! Schmidt-Thieme 2018, Scalable Gaussian process-based transfer surrogates, sections 6.2 and 7).

use super::comparison::{Case, assert_greatest};
use super::gaussian_process::{Kernel, Process, assert_optimal, matern, squared_exponential};
use super::gaussian_process_methods::Fit;
use super::normal::log_expected_improvement;
use super::transform::{Transform, gaussian_quantiles, standardised};
use crate::method_tests::example::new_fits;
use crate::random::StreamName;
use crate::surrogate::gaussian_process::GaussianProcess;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel;

/// Each source's predicted mean at each row of the target.
pub(super) fn source_means(case: &Case, transform: Transform) -> Vec<Vec<f64>> {
    let points = case.points(case.target());
    let processes = source_processes(case, transform, kernel::Kernel::Matern).into_iter();
    let means = processes.map(|process| points.iter().map(|point| process.mean(point)).collect());
    means.collect()
}

/// A process on each source's rows in random order.
pub(crate) fn source_processes(
    case: &Case,
    transform: Transform,
    kernel: kernel::Kernel,
) -> Vec<Process> {
    let correlation = match kernel {
        kernel::Kernel::Matern => matern,
        kernel::Kernel::SquaredExponential => squared_exponential as fn(f64) -> f64,
    };
    let fits = new_fits();
    let setting = case.setting(&fits);
    let processes = case.sources().into_iter().map(|source| {
        let mut random =
            setting.random_of_task(StreamName::new("sources", "sample of rows"), source);
        let order = random.permutation(source.rows() as u32);
        let z = transform(&source.objective);
        let rows = order.iter().map(|&row| row as usize);
        let points: Vec<_> = rows.clone().map(|row| case.point(source, row)).collect();
        let targets: Vec<f64> = rows.map(|row| z[row]).collect();
        let fitted = GaussianProcess::new(&case.table.space, points.len(), Hyperprior::Gamma);
        let mut fitted = fitted.with_kernel(kernel);
        points.iter().for_each(|point| fitted.observe(point));
        fitted.fit(&targets).unwrap();
        let logarithms = fitted.logarithms();
        assert_optimal(correlation, logarithms, &case.one_hot(), &points, &targets);
        let kernel = Kernel::from_logarithms(correlation, logarithms);
        Process::new(kernel, &points, &targets)
    });
    processes.collect()
}

/// The weight of a source (eq. 42 to 45): the Epanechnikov kernel of the distance between two
/// vectors with an entry per ordered pair of evaluated rows, 1 / (t (t - 1)) where the first is
/// worse than the second and 0 elsewhere.
fn weight(predicted: &[f64], observed: &[f64], bandwidth: f64) -> f64 {
    let count = observed.len() as f64;
    let mut squared = 0.0;
    for first in 0..observed.len() {
        for second in 0..observed.len() {
            let differs =
                (predicted[first] > predicted[second]) != (observed[first] > observed[second]);
            if differs {
                squared += 1.0 / (count * (count - 1.0)).powi(2);
            }
        }
    }
    let share = f64::sqrt(squared) / bandwidth;
    if share <= 1.0 {
        0.75 * (1.0 - share * share)
    } else {
        0.0
    }
}

fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}

/// Holds a run to eq. 46 and 47; returns how many sources had a say after the first rows.
fn assert_transfers(method: &str, transform: Transform, bandwidth: f64, initial: &str) -> usize {
    let case = Case::of(method, 30);
    let fits = new_fits();
    let means = source_means(&case, transform);
    let points = case.points(case.target());
    let mut fit = Fit::new(&case, &[]);
    let mut heard = 0;
    let bandwidth_text = bandwidth.to_string();
    let parameters = [("bandwidth", bandwidth_text.as_str()), ("initial", initial)];
    let rows = case.run(&fits, method, &parameters, |observations, chosen| {
        let evaluated = observations.rows.len();
        if initial == "random" && evaluated < 5 {
            return;
        }
        let weights: Vec<f64> = means
            .iter()
            .map(|means| {
                let predicted = observations.rows.iter().map(|&row| means[row as usize]);
                weight(
                    &predicted.collect::<Vec<_>>(),
                    &observations.values,
                    bandwidth,
                )
            })
            .collect();
        // Eq. 47: how far a source predicts the row to be below all evaluated ones.
        let transferred = |row: usize| -> f64 {
            let sources = means.iter().zip(&weights);
            sources
                .map(|(means, weight)| {
                    let best = least(observations.rows.iter().map(|&row| means[row as usize]));
                    match evaluated {
                        0 => -weight * means[row],
                        _ => weight * (best - means[row]).max(0.0),
                    }
                })
                .sum()
        };
        if evaluated < 5 {
            assert_greatest(observations, chosen, 1e-4, method, transferred);
            return;
        }
        heard += weights.iter().filter(|&&weight| weight > 0.0).count();
        let z = transform(&observations.values);
        let incumbent = least(z.iter().copied());
        let process = fit.on(&case, &observations.rows, &z);
        assert_greatest(observations, chosen, 1e-4, method, |row| {
            let (mean, std_dev) = (process.mean(&points[row]), process.std_dev(&points[row]));
            let improvement = log_expected_improvement(mean, std_dev, incumbent).exp();
            0.75 * improvement + transferred(row)
        });
    });
    if initial == "random" {
        assert_eq!(rows[..5], case.random_order(&fits)[..5]);
    }
    heard
}

#[test]
fn sgpt_takes_the_row_of_greatest_transfer_acquisition() {
    for (method, transform) in [
        ("sgpt", standardised as Transform),
        ("sgpt-copula", gaussian_quantiles),
    ] {
        for initial in ["random", "sources"] {
            // At a wide bandwidth all four sources have a say, at the default one few or none.
            assert!(assert_transfers(method, transform, 0.5, initial) >= 80);
            assert_transfers(method, transform, 0.01, initial);
        }
    }
}
