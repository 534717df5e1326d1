use std::cell::RefCell;

use ndarray::{Array1, Array2};
use ndarray_linalg::Inverse;

use super::*;
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::matern::correlation;
use crate::table::encoding::{Hyperparameter, Kind};

/// Rules nothing out and notes every prediction by row.
struct Recorder(RefCell<Vec<(f64, f64)>>);

impl Acquisition for Recorder {
    fn value(&self, row: usize, mean: f64, std_dev: f64) -> f64 {
        self.0.borrow_mut()[row] = (mean, std_dev);
        0.0
    }

    fn may_reach(&self, _: usize, _: f64, _: f64, _: f64) -> bool {
        true
    }
}

fn space(levels: &[usize]) -> Space {
    let hyperparameter = |(index, &levels): (usize, &usize)| Hyperparameter {
        name: format!("hp_{index}"),
        kind: match levels {
            0 => Kind::Numeric {
                minimum: 0.0,
                maximum: 1.0,
            },
            _ => Kind::Categorical {
                levels: (0..levels).map(|level| level.to_string()).collect(),
            },
        },
    };
    Space {
        hyperparameters: levels.iter().enumerate().map(hyperparameter).collect(),
    }
}

/// Numeric and categorical columns, more combinations than one group takes.
fn columns(levels: &[usize], rows: usize) -> Vec<Column> {
    let column = |(index, &levels): (usize, &usize)| match levels {
        0 => Column::Numeric(
            (0..rows)
                .map(|row| (row * (7 + index) % 101) as f64 / 101.0)
                .collect(),
        ),
        _ => Column::Categorical(
            (0..rows)
                .map(|row| ((row * (3 + index) + row / 7) % levels) as u16)
                .collect(),
        ),
    };
    levels.iter().enumerate().map(column).collect()
}

#[test]
fn predictions_agree_with_dense_algebra() {
    let levels = [0, 40, 3, 0, 30, 2];
    let (space, columns) = (space(&levels), columns(&levels, 600));
    let width = space.width();
    let encode = |row: usize| {
        let mut point = vec![0.0; width];
        space.encode(&columns, row, &mut point);
        point
    };
    let mut process = GaussianProcess::new(&space, 20, Hyperprior::Gamma);
    let mut targets = Vec::new();
    for row in (0..20).map(|index| index * 29) {
        process.observe(&encode(row));
        targets.push((row as f64 * 0.37).sin());
    }
    process.fit(&targets).unwrap();
    let mut pool = CandidatePool::new(&space, &columns, (0..600).rev().collect());
    let predictions = Recorder(RefCell::new(vec![(f64::NAN, f64::NAN); 600]));
    pool.best_row(&process, &predictions, &[false; 600], &[0; 600]);
    let predictions = predictions.0.into_inner();
    let std_devs = pool
        .std_devs(process.posterior(), process.points())
        .unwrap();

    let values: Vec<f64> = process.logarithms().iter().map(|log| log.exp()).collect();
    let (signal, noise) = (values[width], values[width + 1]);
    let kernel = |left: &[f64], right: &[f64]| {
        let squared: f64 = (0..width)
            .map(|k| ((left[k] - right[k]) / values[k]).powi(2))
            .sum();
        signal * correlation(squared)
    };
    let points: Vec<&[f64]> = process.points().chunks_exact(width).collect();
    let inverse = Array2::from_shape_fn((20, 20), |(i, j)| {
        kernel(points[i], points[j]) + if i == j { noise } else { 0.0 }
    })
    .inv()
    .unwrap();
    let ones = Array1::<f64>::ones(20);
    let targets = Array1::from(targets);
    let mean = ones.dot(&inverse.dot(&targets)) / ones.dot(&inverse.dot(&ones));
    for (row, (mean_found, std_dev_found)) in predictions.into_iter().enumerate() {
        let candidate = encode(row);
        let cross: Array1<f64> = points
            .iter()
            .map(|point| kernel(point, &candidate))
            .collect();
        let weights = inverse.dot(&cross);
        let expected_mean = mean + weights.dot(&(&targets - mean));
        let expected_std_dev = (signal - cross.dot(&weights)).sqrt();
        assert!((mean_found - expected_mean).abs() < 1e-9, "row {row}");
        assert!((std_dev_found - expected_std_dev).abs() < 1e-8, "row {row}");
        assert!((std_devs[row] - expected_std_dev).abs() < 1e-8, "row {row}");
    }
}

#[test]
fn the_best_row_is_the_one_that_a_full_scan_finds() {
    let levels = [0, 12, 3, 0, 5];
    let (space, columns) = (space(&levels), columns(&levels, 900));
    let mut process = GaussianProcess::new(&space, 60, Hyperprior::Gamma);
    let mut pool = CandidatePool::new(&space, &columns, (0..900).collect());
    let (mut point, mut targets) = (vec![0.0; space.width()], Vec::new());
    let mut evaluated = [false; 900];
    let priority: Vec<u32> = (0..900).rev().collect();
    for row in (0..60).map(|index| index * 13 % 900) {
        space.encode(&columns, row, &mut point);
        process.observe(&point);
        evaluated[row] = true;
        targets.push((5.0 * point[0]).sin() + point[1] - point[14]);
        if targets.len() < 3 {
            continue;
        }
        process.fit(&targets).unwrap();
        let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
        let improvement = LogExpectedImprovement::new(incumbent, process.posterior().signal.sqrt());
        let found = pool.best_row(&process, &improvement, &evaluated, &priority);
        let scan = Recorder(RefCell::new(vec![(f64::NAN, f64::NAN); 900]));
        pool.best_row(&process, &scan, &evaluated, &priority);
        let predictions = scan.0.into_inner();
        let value = |row: usize| {
            let (mean, std_dev) = predictions[row];
            improvement.value(row, mean, std_dev)
        };
        let best = (0..900)
            .filter(|&row| !evaluated[row])
            .max_by(|&left, &right| value(left).total_cmp(&value(right)));
        // Up to rounding: a row's standard deviation may differ in its last digit with
        // the rows that are solved for beside it.
        let (found, best) = (value(found.unwrap() as usize), value(best.unwrap()));
        assert!((found - best).abs() < 1e-9 * best.abs(), "{found} {best}");
    }
    let all = Recorder(RefCell::default());
    assert_eq!(pool.best_row(&process, &all, &[true; 900], &priority), None);
}

#[test]
fn means_are_sums_over_the_points_and_in_the_order_of_rows() {
    let levels = [0, 12, 3];
    let (space, columns) = (space(&levels), columns(&levels, 300));
    let width = space.width();
    let encode = |row: usize| {
        let mut point = vec![0.0; width];
        space.encode(&columns, row, &mut point);
        point
    };
    let posterior = Posterior {
        kernel: Default::default(),
        weights: (0..width).map(|k| 0.5 + 0.1 * k as f64).collect(),
        signal: 2.0,
        noise: 0.1,
        mean: 0.7,
        alpha: vec![1.0, -0.5, 0.25],
    };
    let points = [encode(3), encode(77), encode(205)];
    let mut pool = CandidatePool::new(&space, &columns, (0..300).collect());
    let means = pool.means(&posterior, &points.concat());
    for (row, found) in means.into_iter().enumerate() {
        let candidate = encode(row);
        let kernel = |point: &Vec<f64>| {
            let coordinates = point.iter().zip(&candidate).zip(&posterior.weights);
            let squared =
                coordinates.map(|((left, right), weight)| weight * (left - right).powi(2));
            2.0 * correlation(squared.sum())
        };
        let terms = points.iter().zip(&posterior.alpha);
        let expected = 0.7
            + terms
                .map(|(point, alpha)| alpha * kernel(point))
                .sum::<f64>();
        assert!((found - expected).abs() < 1e-12, "row {row}");
    }
}
