use std::cell::RefCell;

use ndarray::{Array1, Array2};
use ndarray_linalg::Inverse;

use super::*;
use crate::acquisition::belief::Believed;
use crate::acquisition::expected_improvement::LogExpectedImprovement;
use crate::blas::pinned_test::is_pinned;
use crate::prior::parametric::ParametricPrior;
use crate::surrogate::hyperparameters::Hyperprior;
use crate::surrogate::kernel::Kernel;
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

/// Every combination of levels once.
fn grid(levels: &[usize]) -> (Vec<Column>, usize) {
    let rows = levels.iter().product();
    let column = |(index, &own): (usize, &usize)| {
        let stride: usize = levels[..index].iter().product();
        // In another order than that of the pool.
        let row = |place: usize| place * 1009 % rows;
        let levels = (0..rows).map(|place| (row(place) / stride % own) as u16);
        Column::Categorical(levels.collect())
    };
    (levels.iter().enumerate().map(column).collect(), rows)
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

/// A search over a pool, step by step.
struct Steps {
    space: Space,
    columns: Vec<Column>,
    rows: usize,
    kernel: Kernel,
}

impl Steps {
    /// Observes 40 rows and calls `check` after each, with the process of that step, the incumbent
    /// and the rows observed.
    fn run(&self, mut check: impl FnMut(&GaussianProcess, f64, &[bool])) {
        let process = GaussianProcess::new(&self.space, 40, Hyperprior::Gamma);
        let mut process = process.with_kernel(self.kernel);
        let (mut point, mut targets) = (vec![0.0; self.space.width()], Vec::new());
        let mut evaluated = vec![false; self.rows];
        for row in (0..40).map(|index| index * 13 % self.rows) {
            self.space.encode(&self.columns, row, &mut point);
            process.observe(&point);
            evaluated[row] = true;
            let last = point[point.len() - 1];
            targets.push((5.0 * point[0]).sin() + point[1] - last + 0.01 * (row % 7) as f64);
            process.fit(&targets).unwrap();
            let incumbent = targets.iter().copied().fold(f64::INFINITY, f64::min);
            check(&process, incumbent, &evaluated);
        }
    }
}

/// Pools of numeric, categorical and mixed spaces, and full grids. Those of few levels have many rows twice and many equal predictions.
fn pools() -> impl Iterator<Item = Steps> {
    let cases: [(&[usize], usize); 7] = [
        (&[0, 12, 3, 0, 5], 900),
        // Enough for bounds given half of the observations.
        (&[0, 0, 9], 5000),
        (&[0, 0, 0], 700),
        (&[6, 4, 3, 2, 2, 3], 864),
        (&[40, 40, 40, 30], 1000),
        (&[3, 4, 2], 300),
        (&[0, 40, 40, 40], 517),
    ];
    let kernels = [Kernel::Matern, Kernel::SquaredExponential];
    let pools = cases.into_iter().zip(kernels.into_iter().cycle());
    let pools = pools.map(|((levels, rows), kernel)| Steps {
        space: space(levels),
        columns: columns(levels, rows),
        rows,
        kernel,
    });
    // Of one group of columns and of two.
    let grids: [&[usize]; 3] = [&[5, 5, 3, 5, 2], &[4, 70, 3], &[6, 5, 6, 5, 6]];
    let grids = grids.into_iter().zip(kernels.into_iter().cycle());
    pools.chain(grids.map(|(levels, kernel)| {
        let (columns, rows) = grid(levels);
        Steps {
            space: space(levels),
            columns,
            rows,
            kernel,
        }
    }))
}

/// The predictions of all rows.
fn scan(pool: &mut CandidatePool, process: &GaussianProcess, rows: usize) -> Vec<(f64, f64)> {
    let recorder = Recorder(RefCell::new(vec![(f64::NAN, f64::NAN); rows]));
    pool.best_row(process, &recorder, &vec![false; rows], &vec![0; rows]);
    recorder.0.into_inner()
}

/// The row of greatest acquisition by a scan of all rows.
fn best_of_scan(
    predictions: &[(f64, f64)],
    acquisition: &impl Acquisition,
    evaluated: &[bool],
    priority: &[u32],
) -> Option<u32> {
    let value = |row: usize| acquisition.value(row, predictions[row].0, predictions[row].1);
    let open = (0..predictions.len()).filter(|&row| !evaluated[row]);
    let best = open.max_by(|&left, &right| {
        let by_value = value(left).total_cmp(&value(right));
        by_value.then(priority[right].cmp(&priority[left]))
    });
    best.map(|row| row as u32)
}

#[test]
fn the_best_row_is_the_one_that_a_full_scan_finds() {
    const TEST: &str =
        "surrogate::candidates::tests::the_best_row_is_the_one_that_a_full_scan_finds";
    // Other kernels than the pinned ones may take rows in other groups, and then values differ in their last digits.
    if !is_pinned(TEST) || !blas::single_threaded().contains("core Haswell") {
        return;
    }
    let mut ties = 0;
    for steps in pools() {
        let rows = steps.rows;
        let priority: Vec<u32> = (0..rows).map(|row| (row * 31 % rows) as u32).collect();
        let prior = ParametricPrior {
            means: (0..rows).map(|row| (row as f64 * 0.01).sin()).collect(),
            std_devs: (0..rows).map(|row| 0.5 + 0.1 * (row % 9) as f64).collect(),
        };
        let log_belief: Vec<f64> = (0..rows).map(|row| -0.3 * (row % 11) as f64).collect();
        let new_pool =
            || CandidatePool::new(&steps.space, &steps.columns, (0..rows as u32).collect());
        let (mut pool, mut scanned) = (new_pool(), new_pool());
        steps.run(|process, incumbent, evaluated| {
            let predictions = scan(&mut scanned, process, rows);
            let all = Recorder(RefCell::default());
            assert_eq!(
                pool.best_row(process, &all, &vec![true; rows], &priority),
                None
            );
            let largest = process.posterior().signal.sqrt();
            let improvement = LogExpectedImprovement::new(incumbent, largest);
            let expected = best_of_scan(&predictions, &improvement, evaluated, &priority);
            let found = pool.best_row(process, &improvement, evaluated, &priority);
            assert_eq!(found, expected);
            let winner = expected.unwrap() as usize;
            let tied = (0..rows).filter(|&row| predictions[row] == predictions[winner]);
            ties += usize::from(tied.count() > 1);
            let residuals = LogExpectedImprovement::of_residuals(incumbent, largest, &prior);
            let expected = best_of_scan(&predictions, &residuals, evaluated, &priority);
            let found = pool.best_row(process, &residuals, evaluated, &priority);
            assert_eq!(found, expected);
            let believed = Believed {
                acquisition: improvement,
                log_belief: &log_belief,
                power: 0.7,
            };
            let expected = best_of_scan(&predictions, &believed, evaluated, &priority);
            let found = pool.best_row(process, &believed, evaluated, &priority);
            assert_eq!(found, expected);
        });
    }
    assert!(ties > 20, "{ties}");
}

#[test]
fn bounds_in_single_precision_hold_and_are_near() {
    let (mut near, mut lowered, mut halves, mut on_grids) = (0, 0, 0, 0);
    for steps in pools() {
        let rows = steps.rows;
        let all = (0..rows as u32).collect();
        let mut pool = CandidatePool::new(&steps.space, &steps.columns, all);
        steps.run(|process, _, _| {
            let predictions = scan(&mut pool, process, rows);
            let posterior = process.posterior();
            let size: f64 = posterior.alpha.iter().map(|alpha| alpha.abs()).sum();
            let rows = pool.maximiser.rows();
            let mut bounds = ProcessPredictions::new(&pool.columns, &mut pool.scratch, process);
            on_grids += usize::from(bounds.scratch.bounds.is_on_grid);
            for (block, rows) in rows.chunks(BLOCK).enumerate() {
                let (mut means, mut std_devs) = ([0.0; BLOCK], [0.0; BLOCK]);
                let (means, std_devs) = (&mut means[..rows.len()], &mut std_devs[..rows.len()]);
                bounds.bound(block * BLOCK, means, std_devs);
                let by_nearest = std_devs.to_vec();
                let open: Vec<usize> = (0..rows.len()).step_by(2).collect();
                if bounds.tighten(Effort::Less, &open, std_devs) {
                    for &place in &open {
                        let (_, exact) = predictions[rows[place] as usize];
                        assert!(exact < std_devs[place] && std_devs[place] <= by_nearest[place]);
                        halves += usize::from(std_devs[place] < by_nearest[place]);
                    }
                }
                let by_half = std_devs.to_vec();
                if bounds.tighten(Effort::More, &open, std_devs) {
                    for &place in &open {
                        let (_, exact) = predictions[rows[place] as usize];
                        assert!(std_devs[place] <= by_half[place]);
                        near += usize::from(std_devs[place] < 1.01 * exact);
                        lowered += 1;
                    }
                }
                for ((row, bound), largest) in rows.iter().zip(means).zip(std_devs) {
                    let (mean, std_dev) = predictions[*row as usize];
                    assert!(*bound <= mean && *largest > std_dev, "row {row}");
                    let gap = mean - *bound;
                    let most = 4e-5 * posterior.signal * size + 2e-12 * posterior.mean.abs();
                    assert!(gap <= most, "row {row}: {gap}");
                }
            }
        });
    }
    assert!(on_grids > 30, "{on_grids}");
    assert!(halves > 10_000, "{halves}");
    assert!(
        lowered > 10_000 && near > 3 * lowered / 4,
        "{near} of {lowered}"
    );
}

#[test]
fn means_are_sums_over_the_points_and_in_the_order_of_rows() {
    let levels = [0, 12, 3];
    check_means(Kernel::Matern, &levels, &columns(&levels, 300), 300);
    // Full grids, of two groups and of three, with rows in an order of their own.
    for levels in [&[5, 5, 3, 5, 2][..], &[12, 90, 2, 3]] {
        let (columns, rows) = grid(levels);
        for kernel in [Kernel::Matern, Kernel::SquaredExponential] {
            check_means(kernel, levels, &columns, rows);
        }
    }
}

/// Checks the means at all rows given more points than are gone through together.
fn check_means(kernel: Kernel, levels: &[usize], columns: &[Column], rows: usize) {
    let space = space(levels);
    let width = space.width();
    let encode = |row: usize| {
        let mut point = vec![0.0; width];
        space.encode(columns, row, &mut point);
        point
    };
    let points: Vec<Vec<f64>> = (0..150).map(|number| encode(number * 37 % rows)).collect();
    let posterior = Posterior {
        kernel,
        weights: (0..width).map(|k| 0.5 + 0.1 * k as f64).collect(),
        signal: 2.0,
        noise: 0.1,
        mean: 0.7,
        alpha: (0..150).map(|number| f64::from(number).sin()).collect(),
    };
    let mut pool = CandidatePool::new(&space, columns, (0..rows as u32).collect());
    let means = pool.means(&posterior, &points.concat());
    for (row, found) in means.into_iter().enumerate() {
        let candidate = encode(row);
        let covariance = |point: &Vec<f64>| {
            let coordinates = point.iter().zip(&candidate).zip(&posterior.weights);
            let squared: f64 = coordinates
                .map(|((left, right), weight)| weight * (left - right).powi(2))
                .sum();
            2.0 * match kernel {
                Kernel::Matern => correlation(squared),
                Kernel::SquaredExponential => (-0.5 * squared).exp(),
            }
        };
        let terms = points.iter().zip(&posterior.alpha);
        let sum: f64 = terms.map(|(point, alpha)| alpha * covariance(point)).sum();
        assert!(
            (found - 0.7 - sum).abs() < 1e-11,
            "{kernel:?} {levels:?}, row {row}"
        );
    }
}
