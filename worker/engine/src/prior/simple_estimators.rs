//! Two estimators beside the network, to judge it by: a linear model and nearest neighbours, both fitted to Gaussian
//! quantiles of all sources (Salinas, Shen and Perrone 2019, A copula approach for hyperparameter transfer learning,
//! Table 5). No method uses them.

use std::sync::Arc;

use pulp::Simd;

use crate::blas::{self, MatrixMut, MatrixRef, Triangular};
use crate::blobs::MemoryBlobs;
use crate::error::EngineError;
use crate::fits::SharedFits;
use crate::prediction_error::root_mean_square_error;
use crate::setting::{Setting, Source};
use crate::table::{Table, Task};
use crate::transform::Transform;

/// Penalty of the linear model's weights; its intercept has none. It decides among the weights of one-hot
/// coordinates, which add up to 1, and changes no prediction noticeably.
const RIDGE: f64 = 1e-6;

/// Neighbours whose mean is taken.
const NEIGHBOURS: usize = 5;

/// Source rows up to which neighbours are looked for: each is compared with each of the target's.
const MOST_SOURCE_ROWS: usize = 50_000;

/// Source rows whose distances are computed side by side.
const TOGETHER: usize = 32;

/// Rows of the target whose neighbours are looked for, evenly spread over its rows.
const TARGET_ROWS: usize = 500;

/// The root mean square errors of the estimators on a target, in units of its Gaussian quantiles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimpleErrors {
    /// Of least squares on the encoded configuration; each task has the same weight, whatever its number of rows.
    pub linear: f64,
    /// Of the mean of the five nearest source rows, by Euclidean distance of encoded configurations; of equally near ones
    /// the first of the table count. On at most 500 rows of the target; `None` for more than 50,000 source rows.
    pub nearest_neighbours: Option<f64>,
}

/// The errors on the task of that name; `None` if the table has no such task. Where the sweep limits the number of
/// sources, they are those of seed 0.
///
/// # Errors
/// [`EngineError::ImpossibleJob`] if there is no source, or a task has a single row.
pub fn simple_prior_errors(
    table: &Table,
    target: &str,
) -> Result<Option<SimpleErrors>, EngineError> {
    let Some(position) = table.tasks.iter().position(|task| task.name == target) else {
        return Ok(None);
    };
    let fits = SharedFits::new(Arc::new(MemoryBlobs::default()));
    let task = &table.tasks[position];
    let setting = Setting::new(table, position, 0, task.rows(), &fits);
    let sources = setting.sources(Transform::Copula)?;
    let sources: Vec<Source> = sources.iter().collect();
    let predictions = linear_predictions(&setting, &sources)?;
    let count: usize = sources.iter().map(|source| source.targets.len()).sum();
    Ok(Some(SimpleErrors {
        linear: root_mean_square_error(&predictions, task, Transform::Copula)?,
        nearest_neighbours: (count <= MOST_SOURCE_ROWS)
            .then(|| neighbours_error(&setting, &sources, task)),
    }))
}

/// What the linear model predicts for each row of the target.
fn linear_predictions(setting: &Setting, sources: &[Source]) -> Result<Vec<f64>, EngineError> {
    let width = setting.space().width();
    let size = width + 1;
    // The last coordinate is the intercept's 1.
    let mut point = vec![1.0; size];
    let mut matrix = vec![0.0; size * size];
    let mut weights = vec![0.0; size];
    for diagonal in matrix.iter_mut().step_by(size + 1).take(width) {
        *diagonal = RIDGE;
    }
    for source in sources {
        let share = 1.0 / source.targets.len() as f64;
        for (row, target) in source.targets.iter().enumerate() {
            let columns = &source.task.columns;
            setting.space().encode(columns, row, &mut point[..width]);
            for (column, entry) in point.iter().enumerate() {
                if *entry == 0.0 {
                    continue;
                }
                weights[column] += share * entry * target;
                for (slot, other) in matrix[column * size..].iter_mut().zip(&point) {
                    *slot += share * entry * other;
                }
            }
        }
    }
    blas::cholesky(MatrixMut::square(&mut matrix, size, size))?;
    for system in [Triangular::Lower, Triangular::LowerTransposed] {
        let right = MatrixMut::new(&mut weights, size, 1, size);
        blas::solve_triangular(system, MatrixRef::square(&matrix, size, size), right);
    }
    let prediction = |row: usize| {
        setting
            .space()
            .encode(setting.columns(), row, &mut point[..width]);
        point
            .iter()
            .zip(&weights)
            .map(|(x, weight)| x * weight)
            .sum()
    };
    Ok((0..setting.rows()).map(prediction).collect())
}

/// The error of the nearest neighbours' mean.
fn neighbours_error(setting: &Setting, sources: &[Source], target: &Task) -> f64 {
    let width = setting.space().width();
    let targets: Vec<f64> = sources
        .iter()
        .flat_map(|source| source.targets)
        .copied()
        .collect();
    let mut points = vec![0.0; targets.len().next_multiple_of(TOGETHER) * width];
    let mut point = vec![0.0; width];
    let rows = sources.iter().flat_map(|source| {
        let columns = &source.task.columns;
        (0..source.targets.len()).map(move |row| (columns, row))
    });
    for (number, (columns, row)) in rows.enumerate() {
        setting.space().encode(columns, row, &mut point);
        let group = &mut points[number / TOGETHER * TOGETHER * width..];
        let places = group.iter_mut().skip(number % TOGETHER).step_by(TOGETHER);
        places
            .zip(&point)
            .for_each(|(place, entry)| *place = *entry);
    }
    let mut observed = Vec::new();
    Transform::Copula.average(&target.objectives(), &mut observed);
    let rows = observed.len();
    let looked_at = rows.min(TARGET_ROWS);
    let mut squared = Vec::new();
    let squares = (0..looked_at).map(|place| {
        let row = place * rows / looked_at;
        setting.space().encode(setting.columns(), row, &mut point);
        squared_distances(&points, &point, &mut squared);
        (observed[row] - nearest_mean(&squared[..targets.len()], &targets)).powi(2)
    });
    (squares.sum::<f64>() / looked_at as f64).sqrt()
}

/// Puts the squared distance of a point to each of the points into `squared`. The points lie in groups of [`TOGETHER`],
/// coordinate by coordinate within a group.
#[pulp::with_simd(squared_distances = pulp::Arch::new())]
#[inline(always)]
fn squared_distances_with<'a, S: Simd>(
    _simd: S,
    points: &'a [f64],
    point: &'a [f64],
    squared: &'a mut Vec<f64>,
) {
    squared.clear();
    for group in points.chunks_exact(point.len() * TOGETHER) {
        let mut sums = [0.0; TOGETHER];
        for (others, own) in group.as_chunks::<TOGETHER>().0.iter().zip(point) {
            for (sum, other) in sums.iter_mut().zip(others) {
                *sum += (other - own) * (other - own);
            }
        }
        squared.extend(sums);
    }
}

/// The mean target of the nearest points, given by their squared distances.
fn nearest_mean(squared: &[f64], targets: &[f64]) -> f64 {
    // Distance and target, the nearest first.
    let mut nearest: Vec<(f64, f64)> = Vec::with_capacity(NEIGHBOURS + 1);
    let mut farthest = f64::INFINITY;
    for (squared, target) in squared.iter().zip(targets) {
        if *squared >= farthest {
            continue;
        }
        let place = nearest.partition_point(|(distance, _)| distance <= squared);
        nearest.insert(place, (*squared, *target));
        nearest.truncate(NEIGHBOURS);
        if nearest.len() == NEIGHBOURS {
            farthest = nearest[NEIGHBOURS - 1].0;
        }
    }
    nearest.iter().map(|(_, target)| target).sum::<f64>() / nearest.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::method_tests::dense::comparison::Case;
    use crate::method_tests::dense::linear_algebra::{cholesky, dot, solve};
    use crate::method_tests::dense::transform::gaussian_quantiles;

    fn root_mean_square(predictions: impl Iterator<Item = f64>, z: &[f64]) -> f64 {
        let squares = predictions.zip(z).map(|(mean, z)| (z - mean).powi(2));
        (squares.sum::<f64>() / z.len() as f64).sqrt()
    }

    #[test]
    fn errors_agree_with_dense_algebra_and_a_sorted_list() {
        let case = Case::of("cts", 1);
        let target = case.target();
        let z = gaussian_quantiles(&target.objective);
        let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
        for source in case.sources() {
            let z = gaussian_quantiles(&source.objective);
            rows.extend(case.points(source).into_iter().zip(z));
        }
        let found = simple_prior_errors(&case.table, &target.name)
            .unwrap()
            .unwrap();

        // All tasks have as many rows, so that all rows count alike: 1 / 90 each.
        let with_one = |point: &[f64]| [point, &[1.0]].concat();
        let width = rows[0].0.len();
        let mut matrix = vec![vec![0.0; width + 1]; width + 1];
        let mut right = vec![0.0; width + 1];
        for (point, z) in &rows {
            let point = with_one(point);
            for a in 0..=width {
                right[a] += point[a] * z / 90.0;
                (0..=width).for_each(|b| matrix[a][b] += point[a] * point[b] / 90.0);
            }
        }
        (0..width).for_each(|place| matrix[place][place] += 1e-6);
        let weights = solve(&cholesky(&matrix), &right);
        let points = case.points(target);
        let linear = points.iter().map(|point| dot(&weights, &with_one(point)));
        let linear = root_mean_square(linear, &z);
        assert!((found.linear - linear).abs() < 1e-8, "{found:?} {linear}");

        let nearest = points.iter().map(|point| {
            let squared = |other: &[f64]| -> f64 {
                let pairs = other.iter().zip(point);
                pairs.map(|(a, b)| (a - b).powi(2)).sum()
            };
            // A stable sort: of equally near rows the first come first.
            let mut sorted: Vec<&(Vec<f64>, f64)> = rows.iter().collect();
            sorted.sort_by(|a, b| squared(&a.0).total_cmp(&squared(&b.0)));
            sorted[..5].iter().map(|(_, z)| z).sum::<f64>() / 5.0
        });
        let nearest = root_mean_square(nearest, &z);
        let error = (found.nearest_neighbours.unwrap() - nearest).abs();
        assert!(error < 1e-10, "{found:?} {nearest}");
        assert_eq!(simple_prior_errors(&case.table, "another").unwrap(), None);
    }
}
