//! The hyperparameters of a coupled process: fitted once, to some of the sources' rows, with the signal variance fixed at 1.

use super::points::{Coupling, SourcePoints};
use crate::error::EngineError;
use crate::fits::FitName;
use crate::lbfgs;
use crate::setting::Setting;
use crate::surrogate::gaussian_process::FIT;
use crate::surrogate::hyperparameters::{HyperparameterModel, Hyperprior};
use crate::surrogate::kernel::Kernel;
use crate::surrogate::likelihood::{Data, Likelihood};
use crate::table::encoding::Space;
use crate::transform::Transform;

/// Raised whenever the fit changes.
const VERSION: u64 = 2;

/// Rows that the hyperparameters are fitted to, at most: one likelihood of them all, or one for each task.
const FITTED_TOGETHER: usize = 200;
const FITTED_BY_TASK: usize = 300;

/// 1 / lengthscale^2 of each coordinate and feature, and the noise variance.
pub(super) struct Lengthscales {
    /// By coordinate of a configuration.
    pub coordinates: Vec<f64>,
    /// By feature; none if the kernel does not compare features.
    pub features: Vec<f64>,
    /// Noise variance.
    pub noise: f64,
}

/// Where the fit of a setting is found, or goes.
fn name<'a>(
    setting: &Setting<'a>,
    kind: &'static str,
    coupling: Coupling,
    hyperprior: Hyperprior,
) -> FitName<'a> {
    FitName {
        variant: match (coupling, hyperprior) {
            (Coupling::Features, Hyperprior::Gamma) => "features, gamma",
            (Coupling::Features, Hyperprior::None) => "features, none",
            (Coupling::Neighbours, Hyperprior::Gamma) => "neighbours, gamma",
            (Coupling::Neighbours, Hyperprior::None) => "neighbours, none",
        },
        ..setting.fit_name(kind, VERSION, Transform::Standardisation)
    }
}

/// The hyperparameters for `values` at the rows, which `kind` names: fitted, or found fitted.
///
/// Where tasks are coupled by features, all rows have one likelihood. Where they are neighbours, it is the sum of those of
/// the tasks: what couples them has no lengthscale.
pub(super) fn lengthscales(
    setting: &Setting,
    kind: &'static str,
    coupling: Coupling,
    hyperprior: Hyperprior,
    rows: &SourcePoints,
    values: &[f64],
) -> Result<Lengthscales, EngineError> {
    let width = setting.space().width();
    let space = match coupling {
        Coupling::Features => with_features(setting.space(), rows.features[0].len()),
        Coupling::Neighbours => setting.space().clone(),
    };
    let coordinates = space.width();
    let name = name(setting, kind, coupling, hyperprior);
    // Numbers in this order: weights, noise.
    let stored = setting.shared().fit(&name, coordinates + 1, || {
        let groups = groups(coupling, rows, values, width, coordinates);
        let model = HyperparameterModel::new(&space, hyperprior);
        let logarithms = minimise(&model, &space, &groups)?;
        let weights = logarithms[..coordinates].iter();
        let weights = weights.map(|logarithm| libm::exp(-2.0 * logarithm) as f32);
        Ok(weights
            .chain([libm::exp(logarithms[coordinates + 1]) as f32])
            .collect())
    })?;
    let mut numbers: Vec<f64> = stored.iter().map(|&number| number.into()).collect();
    let noise = numbers.pop().unwrap_or_default();
    let features = numbers.split_off(width);
    Ok(Lengthscales {
        coordinates: numbers,
        features,
        noise,
    })
}

/// A space with a numeric coordinate more for each feature.
fn with_features(space: &Space, features: usize) -> Space {
    let mut space = space.clone();
    let features = Space::numeric(features).hyperparameters;
    space.hyperparameters.extend(features);
    space
}

/// The rows whose likelihoods are the terms of the objective.
fn groups(
    coupling: Coupling,
    rows: &SourcePoints,
    values: &[f64],
    width: usize,
    coordinates: usize,
) -> Vec<Data> {
    let point = |row: usize| {
        let mut point = rows.points[row * width..(row + 1) * width].to_vec();
        if coupling == Coupling::Features {
            point.extend(&rows.features[rows.tasks[row]]);
        }
        point
    };
    let group = |members: Vec<usize>| {
        let points: Vec<f64> = members.iter().flat_map(|&row| point(row)).collect();
        let targets = members.iter().map(|&row| values[row]).collect();
        Data::new(&points, coordinates, targets)
    };
    match coupling {
        Coupling::Features => vec![group((0..FITTED_TOGETHER.min(rows.count())).collect())],
        Coupling::Neighbours => {
            let tasks = rows.features.len() - 1;
            let members = |task: usize| -> Vec<usize> {
                let fitted = 0..FITTED_BY_TASK.min(rows.count());
                fitted.filter(|&row| rows.tasks[row] == task).collect()
            };
            (0..tasks).map(|task| group(members(task))).collect()
        }
    }
}

/// The logarithms of lengthscales, signal (0) and noise that minimise the sum of the negative log likelihoods and the
/// penalty.
fn minimise(
    model: &HyperparameterModel,
    space: &Space,
    groups: &[Data],
) -> Result<Vec<f64>, EngineError> {
    let coordinates = space.width();
    let most = groups.iter().map(|group| group.targets.len()).max();
    let likelihood = Likelihood::new(coordinates, most.unwrap_or(0));
    let mut likelihood = likelihood.with_kernel(Kernel::SquaredExponential);
    let mut logarithms = model.start();
    let (mut lower, mut upper) = model.bounds();
    (
        logarithms[coordinates],
        lower[coordinates],
        upper[coordinates],
    ) = (0.0, 0.0, 0.0);
    lbfgs::minimise(
        |logarithms, gradient| {
            gradient.fill(0.0);
            let sum = likelihood.evaluate_all(groups, 0.0, logarithms, gradient)?;
            Ok(sum + model.penalty(logarithms, gradient))
        },
        &mut logarithms,
        (&lower, &upper),
        FIT,
    )?;
    Ok(logarithms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of three tasks on a line, whose values wave once over it.
    fn rows() -> SourcePoints {
        let count = 45;
        let points: Vec<f64> = (0..count)
            .map(|row| f64::from(row * 17 % 45) / 44.0)
            .collect();
        SourcePoints {
            tasks: (0..count as usize).map(|row| row % 3).collect(),
            targets: points.iter().map(|x| (6.0 * x).sin()).collect(),
            points,
            features: vec![vec![0.0], vec![0.5], vec![1.0], vec![0.2]],
        }
    }

    #[test]
    fn the_slope_of_the_sum_of_likelihoods_is_zero_at_the_fit() {
        for coupling in [Coupling::Features, Coupling::Neighbours] {
            let rows = rows();
            let space = match coupling {
                Coupling::Features => Space::numeric(2),
                Coupling::Neighbours => Space::numeric(1),
            };
            let width = space.width();
            let model = HyperparameterModel::new(&space, Hyperprior::Gamma);
            let groups = groups(coupling, &rows, &rows.targets, 1, width);
            let logarithms = minimise(&model, &space, &groups).unwrap();
            assert_eq!(logarithms[width], 0.0, "the signal variance is 1");
            // By differences of the objective, each group's penalty left out but one.
            let value = |logarithms: &[f64]| -> f64 {
                let none = HyperparameterModel::new(&space, Hyperprior::None);
                let mut scratch = vec![0.0; width + 2];
                let terms = groups.iter().map(|Data { squares, targets }| {
                    let likelihood = Likelihood::new(width, targets.len());
                    likelihood
                        .with_kernel(Kernel::SquaredExponential)
                        .evaluate(squares, targets, &none, logarithms, &mut scratch)
                        .unwrap()
                });
                let sum: f64 = terms.sum();
                sum + model.penalty(logarithms, &mut vec![0.0; width + 2])
            };
            let (lower, upper) = model.bounds();
            for index in (0..width + 2).filter(|&index| index != width) {
                let moved = |step: f64| {
                    let mut moved = logarithms.clone();
                    moved[index] += step;
                    value(&moved)
                };
                let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                let at_bound = (logarithms[index] <= lower[index] && slope > 0.0)
                    || (logarithms[index] >= upper[index] && slope < 0.0);
                assert!(
                    at_bound || slope.abs() < 0.1,
                    "{index}: {slope} {logarithms:?}"
                );
            }
        }
    }
}
