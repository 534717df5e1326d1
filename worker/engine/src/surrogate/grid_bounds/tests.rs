use super::*;
use crate::surrogate::matern::correlation;
use crate::table::encoding::{Column, Hyperparameter, Kind, Space};

/// Levels of the hyperparameters. The first three are a group of 1000 combinations, the others of 12.
const LEVELS: [usize; 5] = [10, 10, 10, 4, 3];

const WIDTH: usize = 37;

/// The grid of those levels, its rows in the order of the pool, with those of `rows` alone.
fn columns(rows: impl Iterator<Item = usize> + Clone) -> PoolColumns {
    let column = |index: usize| {
        let stride: usize = LEVELS[..index].iter().product();
        let level = move |row: usize| (row / stride % LEVELS[index]) as u16;
        Column::Categorical(rows.clone().map(level).collect())
    };
    let columns: Vec<Column> = (0..LEVELS.len()).map(column).collect();
    let count = rows.clone().count() as u32;
    let hyperparameter = |levels: usize| Hyperparameter {
        name: String::new(),
        kind: Kind::Categorical {
            levels: (0..levels).map(|level| level.to_string()).collect(),
        },
    };
    let space = Space {
        hyperparameters: LEVELS.map(hyperparameter).into(),
    };
    PoolColumns::new(&space, &columns, &mut (0..count).collect::<Vec<_>>())
}

fn encode(row: usize) -> Vec<f64> {
    let mut rest = row;
    let mut point = Vec::new();
    for levels in LEVELS {
        point.extend((0..levels).map(|level| f64::from(level == rest % levels)));
        rest /= levels;
    }
    point
}

#[test]
fn a_grid_runs_through_its_first_group() {
    let rows = 12_000;
    assert_eq!(columns(0..rows).run_length, Some(1000));
    // Whole runs of it are enough, and a last one that is not whole is too little.
    assert_eq!(columns(0..3000).run_length, Some(1000));
    assert_eq!(columns(0..rows - 1).run_length, None);
    assert_eq!(columns(0..0).run_length, None);
    assert_eq!(columns((0..rows).map(|row| row.max(1))).run_length, None);
}

/// The sum of the kernels of a posterior's points, and the greatest correlation.
fn exact(posterior: &Posterior, points: &[Vec<f64>], candidate: &[f64]) -> (f64, f64) {
    let correlate = |point: &Vec<f64>| {
        let coordinates = point.iter().zip(candidate).zip(&posterior.weights);
        let squared = coordinates.map(|((left, right), weight)| weight * (left - right).powi(2));
        let squared: f64 = squared.sum();
        match posterior.kernel {
            Kernel::Matern => correlation(squared),
            Kernel::SquaredExponential => libm::exp(-0.5 * squared),
        }
    };
    let correlations: Vec<f64> = points.iter().map(correlate).collect();
    let terms = correlations.iter().zip(&posterior.alpha);
    let sum: f64 = terms.map(|(one, alpha)| one * alpha).sum();
    (
        posterior.signal * sum,
        correlations.into_iter().fold(0.0, f64::max),
    )
}

#[test]
fn sums_and_nearest_points_are_those_of_dense_algebra_within_a_margin_that_is_small() {
    let columns = columns(0..12_000);
    let mut bounds = GridBounds::default();
    let mut look_ups = LookUps::default();
    let scales = [1e-12, 1e-4, 0.05, 0.7, 5.0, 90.0, 1e5, 1e12];
    let kernels = [Kernel::Matern, Kernel::SquaredExponential];
    for (case, scale) in scales.into_iter().enumerate() {
        let count = [1, 3, 40][case % 3];
        // One of them between the levels.
        let mut points: Vec<Vec<f64>> = (0..count)
            .map(|index| encode((case + 1009 * index * index) % 12_000))
            .collect();
        points[0][2] = 0.3;
        for kernel in kernels {
            let posterior = Posterior {
                kernel,
                // Some coordinates far more important than others, and one that is of none.
                weights: (0..WIDTH)
                    .map(|k| scale * [1.0, 0.0, 1e-3, 30.0, 0.1][k % 5])
                    .collect(),
                signal: 2.5,
                noise: 0.1,
                mean: 0.7,
                alpha: (0..count)
                    .map(|index| 3.0 * (index as f64 * 1.7).cos())
                    .collect(),
            };
            columns.look_up(&posterior.weights, &points.concat(), &mut look_ups);
            assert!(bounds.set(&posterior, &columns, &look_ups));
            let size: f64 = posterior.alpha.iter().map(|alpha| alpha.abs()).sum();
            assert!(bounds.mean_margin < 1.6e-5 * 2.5 * size);
            let all: Vec<usize> = (0..count).collect();
            let mut correlations = Vec::new();
            for row in (0..12_000).step_by(7) {
                let (sum, greatest) = exact(&posterior, &points, &encode(row));
                let error = (f64::from(bounds.sums[row]) - sum).abs();
                assert!(
                    error < bounds.mean_margin,
                    "{kernel:?} {scale}, row {row}: {error}"
                );
                correlations.clear();
                correlations.push(bounds.nearest[row]);
                correlate(kernel, &mut correlations);
                let place = (row / BLOCK * BLOCK, &[(row % BLOCK) as u8][..]);
                bounds.append_correlations(&all, place, &mut correlations);
                let nearest = correlations[1..].iter().copied().fold(0.0, f32::max);
                for found in [correlations[0], nearest] {
                    let error = (f64::from(found) - greatest).abs();
                    assert!(error < MARGIN, "{kernel:?} {scale}, row {row}: {error}");
                }
            }
        }
    }
}

#[test]
fn bounds_that_are_too_loose_are_not_used() {
    let columns = columns(0..12_000);
    let mut look_ups = LookUps::default();
    let mut posterior = Posterior {
        kernel: Kernel::Matern,
        weights: vec![1.0; WIDTH],
        signal: 1.0,
        noise: 1e-6,
        mean: 0.0,
        alpha: vec![1e4, -1e4],
    };
    let points = [encode(0), encode(1)].concat();
    columns.look_up(&posterior.weights, &points, &mut look_ups);
    assert!(!GridBounds::default().set(&posterior, &columns, &look_ups));
    posterior.alpha = vec![1.0, -1.0];
    assert!(GridBounds::default().set(&posterior, &columns, &look_ups));
}
