//! `ablr` and `ablr-copula` beside dense algebra: with weights w ~ N(0, I / alpha) of the features and noise of
//! variance 1 / beta a task is a Gaussian process of mean 0 and covariance Phi Phi' / alpha + I / beta; the
//! features' weights and all precisions minimise the sum of the tasks' negative log marginal likelihoods
//! (Perrone et al. 2018, section 3).

use std::f64::consts::PI;

use super::*;
use crate::method_tests::dense::comparison::{Case, assert_greatest};
use crate::method_tests::dense::linear_algebra::{
    Matrix, cholesky, dot, log_determinant, solve, solve_lower,
};
use crate::method_tests::dense::network;
use crate::method_tests::dense::normal::log_expected_improvement;
use crate::method_tests::dense::transform::{gaussian_quantiles, standardised};
use crate::method_tests::example::new_fits;
use crate::sources::sample::SourceSample;

/// Three layers of 50 hyperbolic tangents, and a constant.
fn features(weights: &[f64], point: &[f64]) -> Vec<f64> {
    let mut features = network::outputs(weights, point, &[50, 50, 50], 0, f64::tanh);
    features.push(1.0);
    features
}

/// A task as a Gaussian process.
struct Process {
    design: Matrix,
    alpha: f64,
    factor: Matrix,
    targets: Vec<f64>,
}

impl Process {
    fn new(weights: &[f64], [alpha, beta]: [f64; 2], points: &[Vec<f64>], targets: &[f64]) -> Self {
        let (alpha, beta) = (alpha.exp(), beta.exp());
        let rows = points.iter();
        let design: Matrix = rows.map(|point| features(weights, point)).collect();
        let mut covariance: Matrix = design
            .iter()
            .map(|left| {
                design
                    .iter()
                    .map(|right| dot(left, right) / alpha)
                    .collect()
            })
            .collect();
        for (place, row) in covariance.iter_mut().enumerate() {
            row[place] += 1.0 / beta;
        }
        Self {
            factor: cholesky(&covariance),
            design,
            alpha,
            targets: targets.to_vec(),
        }
    }

    fn negative_log_likelihood(&self) -> f64 {
        let count = self.targets.len() as f64;
        let misfit = dot(&self.targets, &solve(&self.factor, &self.targets));
        0.5 * misfit + 0.5 * log_determinant(&self.factor) + 0.5 * count * (2.0 * PI).ln()
    }

    /// Mean and standard deviation of the features' regression.
    fn predict(&self, features: &[f64]) -> (f64, f64) {
        let rows = self.design.iter();
        let cross: Vec<f64> = rows.map(|row| dot(row, features) / self.alpha).collect();
        let mean = dot(&cross, &solve(&self.factor, &self.targets));
        let half = solve_lower(&self.factor, &cross);
        let variance = dot(features, features) / self.alpha - dot(&half, &half);
        (mean, variance.sqrt())
    }
}

/// Points and transformed values of each task, the target's being the last.
type Tasks = Vec<(Vec<Vec<f64>>, Vec<f64>)>;

/// The sum of the tasks' negative log marginal likelihoods; `point` holds the weights, then log alpha
/// and log beta of each task.
fn joint(point: &[f64], tasks: &Tasks) -> f64 {
    let (weights, precisions) = point.split_at(point.len() - 2 * tasks.len());
    let of_tasks = tasks.iter().zip(precisions.chunks_exact(2));
    of_tasks
        .map(|((points, targets), logarithms)| {
            let precisions = [logarithms[0], logarithms[1]];
            Process::new(weights, precisions, points, targets).negative_log_likelihood()
        })
        .sum()
}

fn assert_agrees(method: &str, transform: Transform, dense_transform: fn(&[f64]) -> Vec<f64>) {
    let case = Case::of(method, 25);
    let fits = new_fits();
    let setting = case.setting(&fits);
    let mut search = LinearRegressionSearch::new(&setting, transform).unwrap();
    // The joint fits see a quarter of each source.
    let all = setting.sources(transform).unwrap();
    let sources: Tasks = case
        .sources()
        .into_iter()
        .zip(all.iter())
        .map(|(source, same)| {
            let (points, values) = (case.points(source), dense_transform(&source.objective));
            let rows = SourceSample::order(&setting, same, values.len().div_ceil(4));
            let rows = rows.iter().map(|&row| row as usize);
            rows.map(|row| (points[row].clone(), values[row])).unzip()
        })
        .collect();
    let points = case.points(case.target());
    let order = case.random_order(&fits);
    let mut observations = Observations::new(case.rows());
    let (mut first, mut gained) = (f64::NAN, 0.0);
    while observations.rows.len() < case.iterations {
        let step = observations.rows.len();
        let before = search.point.clone();
        let chosen = search.choose(&observations).unwrap();
        if step < INITIAL {
            assert_eq!(chosen, order[step]);
        } else {
            let rows = observations.rows.iter().map(|&row| row as usize);
            let observed: Vec<Vec<f64>> = rows.map(|row| points[row].clone()).collect();
            let z = dense_transform(&observations.values);
            let mut tasks = sources.clone();
            tasks.push((observed.clone(), z.clone()));
            let likelihoods = [&before, &search.point].map(|point| joint(point, &tasks));
            assert!(
                likelihoods[1] <= likelihoods[0] + 1e-3,
                "{method}, step {step}: the fit went from {} to {}",
                likelihoods[0],
                likelihoods[1]
            );
            if first.is_nan() {
                first = likelihoods[0];
            }
            gained += likelihoods[0] - likelihoods[1];
            let (weights, precisions) = search.point.split_at(search.point.len() - 2 * tasks.len());
            let [.., alpha, beta] = precisions[..] else {
                panic!("the target has two precisions");
            };
            let process = Process::new(weights, [alpha, beta], &observed, &z);
            let incumbent = z.iter().copied().fold(f64::INFINITY, f64::min);
            assert_greatest(&observations, chosen, 1e-3, method, |row| {
                let (mean, std_dev) = process.predict(&features(weights, &points[row]));
                log_expected_improvement(mean, std_dev, incumbent)
            });
        }
        let value = case.target().objective[chosen as usize];
        observations.record(chosen, value);
    }
    // The fits go on with the target's observations.
    assert!(gained > 1.0, "{method}: {gained} of {first}");
}

#[test]
fn ablr_takes_the_row_of_greatest_expected_improvement_under_a_joint_fit() {
    assert_agrees("ablr", Transform::Standardisation, standardised);
    assert_agrees("ablr-copula", Transform::Copula, gaussian_quantiles);
}
